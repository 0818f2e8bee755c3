// node build.mjs ASSETS.cpp
//
// Bundles main.ts, live.ts and style.css and writes them as C++ (src/assets.hpp), with
// the hashes by which the page's policy lets them run.
import { createHash } from "node:crypto";
import { writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { modules } from "../../cmake/npm_modules.mjs";

const here = dirname(fileURLToPath(import.meta.url));
const [output] = process.argv.slice(2);
if (!output) {
  console.error("usage: node build.mjs ASSETS.cpp");
  process.exit(2);
}

let packages;
try {
  packages = modules(here, "bundle");
} catch (error) {
  console.error(`error: ${error.message}`);
  process.exit(1);
}
const esbuild = createRequire(join(packages, "x.js"))("esbuild");

async function bundle(entry, more) {
  const built = await esbuild.build({
    entryPoints: [join(here, entry)],
    bundle: true,
    minify: true,
    charset: "ascii",
    legalComments: "none",
    nodePaths: [packages],
    write: false,
    ...more,
  });
  return built.outputFiles[0].text.trim();
}

// The colours of the dark theme, which theme.css states once: chosen by button,
// and where the system prefers dark and no button said otherwise.
function followPreference(css) {
  const chosen = /:root\[data-theme="?dark"?\]\{([^}]*)\}/.exec(css);
  if (!chosen) throw new Error("theme.css has no dark theme");
  const preferred = `@media screen and (prefers-color-scheme:dark){:root:not([data-theme=light]){${chosen[1]}}}`;
  return css.slice(0, chosen.index) + preferred + css.slice(chosen.index);
}

const script = await bundle("main.ts", { format: "iife", target: "es2020" });
const live = await bundle("live.ts", { format: "iife", target: "es2020" });
const style = followPreference(await bundle("style.css", { target: ["chrome100", "firefox100", "safari15"] }));
for (const [name, text] of Object.entries({ script, live, style }))
  if (/<\/(script|style)|<!--/i.test(text)) throw new Error(`the ${name} would end its own element`);

// As lines that a compiler takes, whatever their limit of a literal.
function lines(text) {
  const out = [];
  for (let at = 0; at < text.length; at += 100)
    out.push([...text.slice(at, at + 100)].map((c) => c.charCodeAt(0)).join(","));
  return out.join(",\n");
}

function constant(name, text) {
  if (/[^\x00-\x7f]/.test(text)) throw new Error(`${name} is not ASCII`);
  return `constexpr char ${name}_bytes[] = {\n${lines(text)}};\nconst std::string_view ${name}{${name}_bytes, sizeof ${name}_bytes};\n`;
}

const hash = (text) => `sha256-${createHash("sha256").update(text, "utf8").digest("base64")}`;
writeFileSync(
  output,
  `// Made by page/build.mjs.\n#include "assets.hpp"\n\nnamespace snapscope::assets {\n` +
    constant("script", script) +
    constant("live_script", live) +
    constant("style", style) +
    constant("script_hash", hash(script)) +
    constant("live_script_hash", hash(live)) +
    constant("style_hash", hash(style)) +
    `} // namespace snapscope::assets\n`,
);
