// The npm packages of the page and its tests: the folder node_modules.
import { fileURLToPath } from "node:url";
import { modules } from "../../cmake/npm_modules.mjs";

export const testPackages = () => modules(fileURLToPath(new URL("../page", import.meta.url)), "test");
