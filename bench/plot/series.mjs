// series.mjs SNAPSHOT.json WRITERS.json FOLDER: one table a picture, for
// pictures.gp.  A column is a server; "?" is what was not measured.
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { measured, ratioNamed, readSuite, rowWith, servers, valuesOf } from "./suite.mjs";

const [snapshotPath, writersPath, folder] = process.argv.slice(2);
const snapshot = readSuite(snapshotPath, "snapshot");
const writers = readSuite(writersPath, "writers");

// lines: [{label, cells: [[value, low, high] or undefined, by server]}]
function write(name, names, lines) {
  const head = ["position", "label", ...names.flatMap((server) => [server, "low", "high"])];
  const body = lines.map(({ label, cells }, at) => [at, label, ...cells.flatMap((cell) => cell ?? ["?", "?", "?"])]);
  const quote = (value) => (typeof value === "string" && value !== "?" ? JSON.stringify(value) : value);
  writeFileSync(join(folder, `${name}.data`), [head, ...body].map((line) => line.map(quote).join(" ")).join("\n") + "\n");
}

const spread = (row) => (measured(row) ? [row.median, row.q1, row.q3] : undefined);
const interval = (ratio) => (ratio ? [ratio.value, ratio.low, ratio.high] : undefined);

const nsServers = servers.filter((server) => server !== "unpatched again");
for (const xmin of ["set", "new"]) {
  const labels = { unit: "ns a snapshot", xmin, sessions: "1" };
  write(`snapshot-ns-${xmin}`, nsServers, valuesOf(snapshot, "idle", labels).map((idle) => ({
    label: idle,
    cells: nsServers.map((server) => spread(rowWith(snapshot, { ...labels, idle, server }))),
  })));
}

const compared = servers.filter((server) => server !== "unpatched");
const cpu = { unit: "us CPU a transaction", server: "unpatched" };
write("snapshot-cpu", compared, valuesOf(snapshot, "idle", cpu).flatMap((idle) =>
  valuesOf(snapshot, "clients", { ...cpu, idle }).map((clients) => ({
    label: `${idle}, ${clients} clients`,
    cells: compared.map((server) =>
      interval(ratioNamed(snapshot, `CPU, ${idle} idle, ${clients} clients, ${server} / unpatched`))),
  }))));

// Stock counts no snapshots.
const modes = ["off", "copy", "spin", "lockfree"];
for (const [name, unit, names] of [
  ["writers-tps", "transactions a second", ["unpatched", ...modes]], ["writers-reused", "share reused", modes]]) {
  const labels = { part: "by share", unit };
  write(name, names, valuesOf(writers, "percent writing", labels).map((percent) => ({
    label: percent,
    cells: names.map((server) => spread(rowWith(writers, { ...labels, "percent writing": percent, server }))),
  })));
}
