// node page.mjs FOLDER: the types of page/*.ts, and their tests (*.test.ts)
// under node's own runner, bundled into FOLDER.  Exit as theirs; 77: the
// packages cannot be had here.
import { spawnSync } from "node:child_process";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { testPackages } from "./packages.mjs";

const folder = process.argv[2];
const source = join(dirname(fileURLToPath(import.meta.url)), "..", "page");
let packages;
try {
  packages = testPackages();
} catch (error) {
  console.log(`SKIPPED: ${error.message}`);
  process.exit(77);
}
const { build } = createRequire(join(packages, "x.js"))("esbuild");

// The packages lie elsewhere: the compiler is told where.
mkdirSync(folder, { recursive: true });
const project = join(folder, "tsconfig.json");
writeFileSync(
  project,
  JSON.stringify({
    extends: join(source, "tsconfig.json"),
    compilerOptions: { paths: { uplot: [join(packages, "uplot", "dist", "uPlot.d.ts")] } },
    include: [join(source, "*.ts")],
    exclude: [join(source, "*.test.ts")],
  }),
);
const types = spawnSync(process.execPath, [join(packages, "typescript", "bin", "tsc"), "-p", project], {
  encoding: "utf8",
});
if (types.status !== 0) {
  console.log(types.stdout + types.stderr);
  process.exit(1);
}

const tests = readdirSync(source).filter((name) => name.endsWith(".test.ts"));
await build({
  entryPoints: tests.map((name) => join(source, name)),
  bundle: true,
  platform: "node",
  format: "esm",
  outdir: folder,
  outExtension: { ".js": ".mjs" },
  logLevel: "error",
});
const run = spawnSync(process.execPath, ["--test", ...tests.map((name) => join(folder, name.replace(/\.ts$/, ".mjs")))], {
  stdio: "inherit",
});
process.exit(run.status ?? 1);
