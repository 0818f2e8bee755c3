// A lake's files by hyparquet, a reader of its own, against DuckDB's answers.
// Exit 77: a package or DuckDB cannot be had here.
import { spawnSync } from "node:child_process";
import { mkdtempSync, readdirSync, rmSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { modules } from "../../cmake/npm_modules.mjs";

let packages;
try {
  packages = modules(fileURLToPath(new URL("../../fleet/npm", import.meta.url)), "test");
} catch (error) {
  console.log(`SKIPPED: ${error.message}`);
  process.exit(77);
}
const load = (name, file) => import(pathToFileURL(join(packages, name, file)).href);
const { asyncBufferFromFile } = await load("hyparquet", "src/node.js");
const { parquetReadObjects } = await load("hyparquet", "src/index.js");
const { compressors } = await load("hyparquet-compressors", "src/index.js");

const lake = mkdtempSync(join(tmpdir(), "snapscope-lake-"));
let wrong = 0;
try {
  const written = spawnSync(process.env.WRITER, [lake, "5", "60", "7"], { encoding: "utf8" });
  if (written.status === 77) {
    console.log(`SKIPPED: ${written.stderr.trim()}`);
    process.exit(77);
  }
  if (written.status !== 0) throw new Error(`the writer failed: ${written.stderr}`);

  const files = (folder) =>
    readdirSync(folder).flatMap((name) => {
      const path = join(folder, name);
      return statSync(path).isDirectory() ? files(path) : name.endsWith(".parquet") ? [path] : [];
    });
  const rowsOf = async (table) => {
    const rows = [];
    for (const file of files(join(lake, table)))
      for (const row of await parquetReadObjects({ file: await asyncBufferFromFile(file), compressors })) rows.push(row);
    return rows;
  };
  const duckdb = (sql) => {
    const asked = spawnSync(process.env.PROGRAM, ["fleet", "query", lake, sql, "--format", "json"], { encoding: "utf8" });
    if (asked.status !== 0) throw new Error(`${sql}: ${asked.stderr}`);
    return JSON.parse(asked.stdout).rows[0];
  };
  for (const [table, column] of [["runs", "snapshots_taken"], ["windows", "value"], ["histograms", "count"],
    ["transfers", "count"], ["slots", "taken"], ["metrics", "value"], ["lines", "lines"], ["sources", "records"]]) {
    const rows = await rowsOf(table);
    const sum = rows.reduce((total, row) => total + Number(row[column] ?? 0), 0);
    const other = duckdb(`SELECT count(*) AS n, CAST(sum("${column}") AS DOUBLE) AS sum FROM ${table}`);
    const same = rows.length === other.n && Math.abs(sum - other.sum) <= 1e-9 * Math.abs(sum) && rows.length > 0;
    console.log(`${same ? "same" : "NOT THE SAME"}: ${table}: ${rows.length} rows, sum ${sum}; ${other.n}, ${other.sum}`);
    wrong += !same;
  }
} finally {
  rmSync(lake, { recursive: true, force: true });
}
process.exit(wrong > 0 ? 1 : 0);
