// The live page in a real browser, over a real server: hover, pause, rewind,
// mark, record, restart; numbers against the API; no complaint, no request that
// leaves; axe.  Pictures of the main views go to SHOTS.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { missing, openBrowser, openPage, requireModule, seeAll, shotFolder, watchPage } from "../../dashboards/test/browser.mjs";
import { startStage, until } from "./stage.mjs";

const why = missing();
if (why) {
  console.log(`SKIPPED: ${why}`);
  process.exit(77);
}

const shot = shotFolder(process.env.SHOTS);
const folder = mkdtempSync(join(tmpdir(), "snapscope-live-"));
let stage;
let browser;
let context;
before(async () => {
  stage = await startStage({ servers: 2, options: ["--events", "--interval", "500", "--record-to", folder] });
  browser = await openBrowser();
  context = await browser.contextOf({ viewport: { width: 1280, height: 900 } });
  const last = async () => (await (await fetch(stage.url + "api/servers")).json()).servers[0].last_seq;
  await until(async () => (await last()) >= 6, "six windows");
});
after(async () => {
  await context?.close();
  browser?.close();
  await stage?.end();
  rmSync(folder, { recursive: true, force: true });
});

async function open(path = "") {
  const page = await context.newPage();
  const faults = watchPage(page, (request) => request.startsWith(stage.url));
  await page.goto(stage.url + path);
  await page.waitForFunction(() => document.querySelector("#status")?.textContent === "live");
  return { page, faults };
}
const shown = (page) => page.$eval("#past", (range) => Number(range.value));
const figures = (page) =>
  page.$$eval(".figure", (all) =>
    Object.fromEntries(all.map((f) => [f.querySelector("dt").textContent, Number(f.querySelector("data")?.value)])),
  );
const next = async (page) => {
  const seq = await shown(page);
  await page.waitForFunction((old) => Number(document.querySelector("#past").value) > old, seq);
};
const status = (page) => page.$eval("#status", (s) => s.textContent);

test("windows come, charts go on, and nothing complains", async () => {
  const { page, faults } = await open();
  await page.locator(".plot canvas").first().waitFor();
  const picture = () => page.$eval(".plot canvas", (canvas) => canvas.toDataURL());
  const [first, seq] = [await picture(), await shown(page)];
  await next(page);
  await next(page);
  assert.notEqual(await picture(), first);
  assert.ok((await shown(page)) >= seq + 2);
  assert.deepEqual(faults, []);
  await page.close();
});

test("numbers on the screen are those of the API at that moment", async () => {
  const { page } = await open();
  await page.click("#pause");
  const seq = await shown(page);
  const onScreen = await figures(page);
  const api = await (await fetch(`${stage.url}api/run?span=10&seq=${seq}`)).json();
  assert.equal(onScreen["snapshots"], api.snapshots.taken);
  assert.equal(onScreen["reused"], api.snapshots.reused);
  assert.equal(onScreen["transactions"], api.tps.value);
  assert.equal(onScreen["duration, half below"], api.duration_ns.p50);
  assert.equal(onScreen["duration, 99 % below"], api.duration_ns.p99);
  await page.close();
});

test("paused, it stands still; live again, it goes on", async () => {
  const { page, faults } = await open();
  await page.click("#pause");
  assert.equal(await status(page), "paused");
  const [seq, text] = [await shown(page), await page.$eval("#run", (run) => run.textContent)];
  await page.waitForFunction((old) => Number(document.querySelector("#past").max) >= old + 3, seq);
  assert.equal(await shown(page), seq);
  assert.equal(await page.$eval("#run", (run) => run.textContent), text);
  await page.click("#pause");
  await page.waitForFunction((old) => Number(document.querySelector("#past").value) >= old + 3, seq);
  assert.deepEqual(faults, []);
  await page.close();
});

test("rewound, it shows what was then", async () => {
  const { page, faults } = await open();
  const first = await page.$eval("#past", (range) => Number(range.min));
  await page.$eval(
    "#past",
    (range, seq) => {
      range.value = String(seq);
      range.dispatchEvent(new Event("input"));
    },
    first + 1,
  );
  const then = await (await fetch(`${stage.url}api/run?span=10&seq=${first + 1}`)).json();
  await page.waitForFunction(
    (taken) => [...document.querySelectorAll(".figure data")].some((data) => data.value === String(taken)),
    then.snapshots.taken,
  );
  assert.equal(await status(page), "paused");
  await page.screenshot({ path: shot("live-rewound") });
  assert.deepEqual(faults, []);
  await page.close();
});

test("what the reader opened, hovers and has chosen stays while windows come", async () => {
  const { page, faults } = await open();
  await page.locator("#r1-slots").scrollIntoViewIfNeeded(); // what is out of sight is not drawn
  const map = page.locator('canvas[aria-roledescription="slot map"]');
  await map.scrollIntoViewIfNeeded();
  await page.selectOption("#r1-slots select", { label: "CPU time" });
  await page.fill('#r1-slots input[type="search"]', "client");
  await page.locator("#r1-slots summary").click();
  await map.focus();
  await page.keyboard.press("n");
  const slot = await page.$eval("#r1-slots .details-of b", (b) => b.textContent);
  await next(page);
  await next(page);
  assert.equal(await page.$eval("#r1-slots select", (s) => s.selectedOptions[0].text), "CPU time");
  assert.equal(await page.$eval('#r1-slots input[type="search"]', (i) => i.value), "client");
  assert.equal(await page.$eval("#r1-slots details", (d) => d.open), true);
  assert.equal(await page.$eval("#r1-slots .details-of b", (b) => b.textContent), slot);
  assert.equal(await page.evaluate(() => document.activeElement.getAttribute("aria-roledescription")), "slot map");
  assert.deepEqual(faults, []);
  await page.close();
});

test("hovering tells the value in a chart, and the owner of a slot", async () => {
  const { page, faults } = await open();
  await page.click("#pause");
  const over = page.locator(".plot .u-over").first();
  await over.scrollIntoViewIfNeeded();
  await over.hover();
  assert.match(await page.$eval(".legend .now", (now) => now.textContent), /^[\d.\u00a0]+$/);
  await page.locator("#r1-slots").scrollIntoViewIfNeeded();
  const map = page.locator('canvas[aria-roledescription="slot map"]');
  await map.scrollIntoViewIfNeeded();
  await map.hover({ position: { x: 60, y: 12 } });
  assert.match(await page.$eval("#r1-slots .details-of", (details) => details.textContent), /^slot \d+.*line/);
  assert.deepEqual(faults, []);
  await page.close();
});

test("a mark is drawn, for everybody", async () => {
  const { page } = await open();
  const other = (await open()).page;
  await page.fill("#mark-text", "<b>deploy</b>");
  await page.click("#mark");
  const marks = async () =>
    JSON.parse((await (await fetch(`${stage.url}api/view`)).json()).state.marks.length) > 0 &&
    (await (await fetch(`${stage.url}api/view`)).json()).state.marks.at(-1).text;
  assert.equal(await until(marks, "a mark"), "<b>deploy</b>");
  await next(other);
  await page.close();
  await other.close();
});

test("recorded from a past moment, the run holds what came from there on", async () => {
  const { page } = await open();
  const from = (await shown(page)) - 3;
  await page.$eval("#past", (range, seq) => {
    range.value = String(seq);
    range.dispatchEvent(new Event("input"));
  }, from);
  await page.waitForFunction(() => document.querySelector("#status").textContent === "paused");
  await page.waitForFunction((seq) => Number(document.querySelector("#past").value) === seq, from);
  await page.click("#record");
  await page.waitForFunction(() => document.querySelector("#news").textContent.startsWith("recording "));
  await page.click("#record");
  await page.waitForFunction(() => document.querySelector("#news").textContent.startsWith("recorded "));
  const [name] = readdirSync(folder).filter((entry) => entry.endsWith(".snap"));
  const run = JSON.parse(readFileSync(join(folder, name, "run.json"), "utf8"));
  assert.equal(run.finished, true);
  assert.ok(run.windows.start_ns.length >= 4);
  await page.close();

  // The report of a real run says what `show` says.
  const said = JSON.parse(execFileSync(process.env.PROGRAM, ["show", join(folder, name), "--format", "json"]));
  const file = join(folder, "recorded.html");
  execFileSync(process.env.PROGRAM, ["report", join(folder, name), "-o", file]);
  const report = await openPage(context, file);
  await seeAll(report.page);
  const onScreen = await figures(report.page);
  assert.ok(said.snapshots.taken > 0);
  assert.equal(onScreen["snapshots"], said.snapshots.taken);
  assert.equal(onScreen["reused"], said.snapshots.reused);
  assert.equal(onScreen["transactions"], said.tps.value);
  assert.equal(onScreen["duration, 99 % below"], said.duration_ns.p99);
  assert.deepEqual(report.faults, []);
  await report.page.close();
});

test("another server, another span", async () => {
  const { page, faults } = await open();
  assert.equal(await page.$$eval("#server option", (all) => all.length), 2);
  const title = () => page.$eval("#run h2", (h) => h.textContent);
  const first = await title();
  await page.selectOption("#server", "1");
  await page.waitForFunction((old) => document.querySelector("#run h2").textContent !== old, first);
  await page.selectOption("#span", { label: "all that is kept" });
  await next(page);
  assert.deepEqual(faults, []);
  await page.close();
});

test("hostile names of a database and an application stay text, in page, report and metrics", async () => {
  const { page, faults } = await open();
  await next(page);
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.$$eval("#run img, #run script, #run iframe", (all) => all.length), 0);
  assert.ok(!(await page.$eval("main", (main) => main.textContent)).includes("\u202e"));
  assert.deepEqual(faults, []);
  await page.close();
});

test("theme, axe, and pictures for people", async () => {
  const axe = requireModule("axe-core").source;
  for (const scheme of ["light", "dark"]) {
    const { page } = await open();
    await page.emulateMedia({ colorScheme: scheme });
    const ground = () => page.$eval("html", (html) => getComputedStyle(html).backgroundColor);
    const before = await ground();
    await page.click("#theme");
    assert.notEqual(await ground(), before);
    await page.click("#theme");
    await page.click("#pause"); // pictures of one moment
    await seeAll(page);
    await page.evaluate(axe);
    const { violations } = await page.evaluate(() => axe.run());
    const serious = violations
      .filter((v) => v.impact === "serious" || v.impact === "critical")
      .map((v) => `${scheme} ${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(" | ")}`);
    assert.deepEqual(serious, []);
    await page.screenshot({ path: shot(`live-${scheme}`), fullPage: true });
    for (const id of ["time", "duration", "invalidations", "slots", "horizon", "sources"])
      await page.locator(`#r1-${id}`).screenshot({ path: shot(`live-${id}-${scheme}`) });
    await page.close();
  }
});

test("without scripts it is one look at the server", async () => {
  const plain = await browser.contextOf({ javaScriptEnabled: false, viewport: { width: 1280, height: 900 } });
  const page = await plain.newPage();
  await page.goto(stage.url);
  const text = await page.locator("main").innerText();
  for (const word of ["Without scripts", "Each series over the whole run", "Slots that did something"])
    assert.ok(text.includes(word), word);
  await plain.close();
});

test("nobody holds a capability who speaks with the network", () => {
  const text = readFileSync(`/proc/${stage.pid}/task/${stage.pid}/status`, "utf8");
  assert.match(text, /CapEff:\t0+\n/);
  assert.match(text, /CapPrm:\t0+\n/);
});

test("answers are hardened, and another name for this host is refused", async () => {
  const answer = await fetch(stage.url);
  const policy = answer.headers.get("content-security-policy");
  assert.match(policy, /default-src 'none'; script-src 'sha256-[^']+'; style-src 'sha256-[^']+'; connect-src 'self';/);
  assert.match(policy, /frame-ancestors 'none'/);
  assert.equal(answer.headers.get("x-content-type-options"), "nosniff");
  const { port } = new URL(stage.url);
  const { request } = await import("node:http");
  const code = await new Promise((done) =>
    request({ port, host: "127.0.0.1", headers: { Host: "evil.example" } }, (got) => done(got.statusCode)).end(),
  );
  assert.equal(code, 421);
  assert.equal((await fetch(`${stage.url}api/mark?seq=1`, { method: "POST" })).status, 403);
});

test("a restart of the server is said, and it comes back by itself", async () => {
  const { page, faults } = await open();
  const seq = await shown(page);
  assert.equal(await stage.ask("restart"), "done");
  await page.waitForFunction(
    (old) => document.querySelector("#status").textContent === "live" && Number(document.querySelector("#past").value) > old + 1,
    seq,
    { timeout: 60000 },
  );
  assert.deepEqual(faults, []);
  await page.close();
});
