// A browser that reports everything that a page must not do.  Shared by the
// tests that open pages.
import { existsSync, mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { testPackages } from "./packages.mjs";

const program = process.env.SNAPSCOPE_CHROMIUM || "/usr/bin/chromium";
const flags = [
  "--headless",
  "--no-sandbox",
  "--disable-gpu",
  "--disable-quic",
  "--no-first-run",
  "--disable-background-networking",
  "--disable-component-update",
  "--disable-sync",
];

// Why the tests cannot run here; empty where they can.
export function missing() {
  if (!existsSync(program)) return "chromium is not installed";
  try {
    testPackages();
  } catch (error) {
    return error.message;
  }
  return "";
}

export function requireModule(name) {
  return createRequire(join(testPackages(), "x.js"))(name);
}

export async function openBrowser() {
  const profile = mkdtempSync(join(tmpdir(), "snapscope-browser-"));
  const { chromium } = requireModule("playwright-core");
  const contextOf = (options) =>
    chromium.launchPersistentContext(mkdtempSync(join(profile, "p-")), { executablePath: program, args: flags, ...options });
  return {
    contextOf,
    close: () => rmSync(profile, { recursive: true, force: true }),
  };
}

// What a page must never do, as it happens; `allowed` says which requests it may make.
export function watchPage(page, allowed) {
  const faults = [];
  page.on("console", (message) => faults.push(`console: ${message.text()}`));
  page.on("pageerror", (error) => faults.push(`error: ${error.message}`));
  page.on("request", (request) => allowed(request.url()) || faults.push(`request: ${request.url()}`));
  page.on("dialog", (dialog) => (faults.push("dialog"), dialog.dismiss()));
  return faults;
}

// Opens FILE; `faults` fills with what a report must never do.
export async function openPage(context, file) {
  const page = await context.newPage();
  const url = pathToFileURL(file).href;
  const faults = watchPage(page, (request) => request === url);
  await page.addInitScript(() => {
    document.addEventListener("securitypolicyviolation", (event) =>
      console.error(`policy: ${event.violatedDirective} ${event.blockedURI}`),
    );
  });
  await page.goto(url);
  return { page, faults };
}

// Everything into view once, so that what is drawn when seen is drawn.
export async function seeAll(page) {
  await page.evaluate(async () => {
    for (let y = 0; y < document.body.scrollHeight; y += 600) {
      scrollTo(0, y);
      await new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(done)));
    }
    scrollTo(0, 0);
  });
}

export function shotFolder(folder) {
  mkdirSync(folder, { recursive: true });
  return (name) => join(folder, `${name}.png`);
}
