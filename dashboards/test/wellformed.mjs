// node wellformed.mjs FILE.html...: every page as the HTML standard's parser
// sees it.  Exit: 0 no parse error, 1 some, 77 the parser cannot be had here.
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { testPackages } from "./packages.mjs";

let packages;
try {
  packages = testPackages();
} catch (error) {
  console.log(`SKIPPED: ${error.message}`);
  process.exit(77);
}
const { parse } = await import(pathToFileURL(join(packages, "parse5", "dist", "index.js")).href);

let errors = 0;
const files = process.argv.slice(2);
for (const file of files)
  parse(readFileSync(file, "utf8"), {
    onParseError: ({ code, startLine, startCol }) => {
      console.log(`${file}:${startLine}:${startCol}: ${code}`);
      errors += 1;
    },
  });
console.log(`${files.length} pages, ${errors} parse errors`);
process.exit(errors === 0 && files.length > 0 ? 0 : 1);
