// The JSON of a suite of ./dev bench, and looking things up in it.
import { readFileSync } from "node:fs";

export const servers = ["unpatched", "unpatched again", "off", "copy", "spin", "lockfree", "debian15"];

export function readSuite(path, name) {
  const suite = JSON.parse(readFileSync(path, "utf8"));
  if (suite.suite !== name) throw new Error(`not the JSON of the suite ${name}, but of ${suite.suite}`);
  return suite;
}

// The rows whose labels are those given; `undefined` stands for "has no such label".
export function rowsWith(suite, labels) {
  return suite.rows.filter((row) => Object.entries(labels).every(([name, value]) => row[name] === value));
}

// The only such row, or undefined.
export function rowWith(suite, labels) {
  const rows = rowsWith(suite, labels);
  if (rows.length > 1) throw new Error(`several rows with ${JSON.stringify(labels)}`);
  return rows[0];
}

export const measured = (row) => row !== undefined && row.median !== null;

// The values that a label takes, in the order in which they were measured.
export function valuesOf(suite, label, labels) {
  return [...new Set(rowsWith(suite, labels).map((row) => row[label]))];
}

export const ratioNamed = (suite, name) => suite.ratios.find((ratio) => ratio.name === name);
