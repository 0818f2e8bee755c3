// Holds run.json files against docs/run-schema.json with ajv, or others against
// another schema of docs.
//
//   node check.mjs [--schema NAME.json] [--modules DIR] [--refused FILE.jsonl] RUN.json...
//
// Every RUN.json must satisfy the schema; every `run` in FILE.jsonl, one
// {"why": ..., "run": ...} a line, must not.  ajv is installed from the lock file
// into DIR, where it is not there yet.  Exit: 0 as it must be, 1 not, 2 usage,
// 77 ajv cannot be had here.
import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, mkdirSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, "..", "..");
let modules = join(root, "build", "schema-test");
let refused = null;
let schemaName = "run-schema.json";
const files = [];
for (let args = process.argv.slice(2); args.length > 0; args.shift()) {
  if (args[0] === "--modules" && args.length > 1) modules = resolve((args.shift(), args[0]));
  else if (args[0] === "--schema" && args.length > 1) schemaName = (args.shift(), args[0]);
  else if (args[0] === "--refused" && args.length > 1) refused = (args.shift(), args[0]);
  else files.push(args[0]);
}
if (files.length === 0 && refused === null) {
  console.error("usage: node check.mjs [--modules DIR] [--refused FILE.jsonl] RUN.json...");
  process.exit(2);
}

function install() {
  mkdirSync(modules, { recursive: true });
  for (const name of ["package.json", "package-lock.json"]) copyFileSync(join(here, name), join(modules, name));
  const options = ["ci", "--no-audit", "--no-fund", "--ignore-scripts"];
  const done = spawnSync("npm", options, { cwd: modules, encoding: "utf8" });
  if (done.status === 0) return;
  console.log(`SKIPPED: ajv cannot be installed here: ${done.error?.message ?? done.stderr.trim()}`);
  process.exit(77);
}

const lock = "package-lock.json";
const fresh =
  existsSync(join(modules, "node_modules", "ajv")) &&
  existsSync(join(modules, lock)) &&
  readFileSync(join(modules, lock)).equals(readFileSync(join(here, lock)));
if (!fresh) install();

const Ajv = createRequire(join(modules, "package.json"))("ajv/dist/2020").default;
const schema = JSON.parse(readFileSync(join(root, "docs", schemaName), "utf8"));
const validate = new Ajv({ strict: true, allowUnionTypes: true }).compile(schema);

// Every property says what it is.
function undescribed(value, at) {
  const bad = [];
  for (const [name, property] of Object.entries(value?.properties ?? {})) {
    const stated = property.description ?? schema.$defs?.[property.$ref?.split("/").pop()]?.description;
    if (!stated && !/\/(if|then)$/.test(at)) bad.push(`${at}/${name}`);
  }
  if (value !== null && typeof value === "object")
    for (const [key, inner] of Object.entries(value)) bad.push(...undescribed(inner, `${at}/${key}`));
  return bad;
}

let failures = 0;
function complain(text) {
  console.log(text);
  failures += 1;
}
for (const at of undescribed(schema, "")) complain(`the schema does not describe ${at}`);
for (const file of files)
  try {
    if (!validate(JSON.parse(readFileSync(file, "utf8"))))
      for (const error of validate.errors) complain(`${file}: ${error.instancePath || "/"} ${error.message}`);
  } catch (error) {
    complain(`${file}: ${error.message}`);
  }
let lines = 0;
if (refused !== null)
  for (const line of readFileSync(refused, "utf8").split("\n").filter((text) => text !== "")) {
    const { why, run } = JSON.parse(line);
    lines += 1;
    if (validate(run)) complain(`the schema allows what the reader refuses: ${why}`);
  }
console.log(`${files.length} files to satisfy the schema, ${lines} damaged ones not to: ${failures} failures`);
process.exit(failures === 0 ? 0 : 1);
