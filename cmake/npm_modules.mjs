// The npm packages of a folder's package-lock.json, installed once into the
// cache folder ($SNAPSCOPE_CACHE, as patched-pg/build/common.sh chooses it):
// never into the source tree.  `bundle` are those that the build or the program
// needs, `test` adds those of the tests.
//
//   node npm_modules.mjs FOLDER [bundle|test]    prints the folder node_modules
import { spawnSync } from "node:child_process";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from "node:fs";
import { homedir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const descriptions = ["package.json", "package-lock.json"];

function cacheFolder() {
  if (process.env.SNAPSCOPE_CACHE) return process.env.SNAPSCOPE_CACHE;
  if (process.getuid() === 0) return "/var/cache/snapscope";
  return join(process.env.XDG_CACHE_HOME || join(homedir(), ".cache"), "snapscope");
}

// The packages' folder; throws with what npm said where it cannot be had.
export function modules(described, what = "bundle") {
  const hash = createHash("sha256");
  for (const name of descriptions) hash.update(readFileSync(join(described, name)));
  const parent = join(cacheFolder(), "npm");
  const folder = join(parent, `${what}-${hash.digest("hex").slice(0, 16)}`);
  if (existsSync(folder)) return join(folder, "node_modules");

  // Built beside its place and renamed: another build never sees half of it.
  mkdirSync(parent, { recursive: true });
  const made = mkdtempSync(join(parent, "."));
  try {
    for (const name of descriptions) copyFileSync(join(described, name), join(made, name));
    const options = ["ci", "--no-audit", "--no-fund", "--ignore-scripts", ...(what === "test" ? [] : ["--omit=dev"])];
    const done = spawnSync("npm", options, { cwd: made, encoding: "utf8" });
    if (done.status !== 0)
      throw new Error(`npm cannot install the packages of ${described}: ${done.error?.message ?? done.stderr.trim()}`);
    try {
      renameSync(made, folder);
    } catch (error) {
      if (!existsSync(folder)) throw error; // else another build was first
    }
  } finally {
    rmSync(made, { recursive: true, force: true });
  }
  return join(folder, "node_modules");
}

if (process.argv[1] === fileURLToPath(import.meta.url)) console.log(modules(process.argv[2], process.argv[3]));
