// Reports in a real browser.  REPORTS: the folder that make_reports filled;
// screenshots go to REPORTS/shots.
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { missing, openBrowser, openPage, requireModule, seeAll, shotFolder } from "./browser.mjs";

const reports = process.env.REPORTS;
const why = missing();
if (why) {
  console.log(`SKIPPED: ${why}`);
  process.exit(77);
}

const pages = ["rich", "empty", "hostile", "long", "several", "paired", "unpaired", "few", "sweep", "table"];
const file = (name) => join(reports, `${name}.html`);
const shot = shotFolder(join(reports, "shots"));

let browser;
let context;
before(async () => {
  browser = await openBrowser();
  context = await browser.contextOf({ viewport: { width: 1280, height: 900 } });
});
after(async () => {
  await context?.close();
  browser?.close();
});

// Canvases that show one colour alone.
const blanks = (page) =>
  page.$$eval("canvas", (all) =>
    all.filter((canvas) => {
      if (canvas.width === 0 || canvas.closest("details:not([open])")) return false;
      const { data } = canvas.getContext("2d").getImageData(0, 0, canvas.width, canvas.height);
      const pixels = new Uint32Array(data.buffer);
      return pixels.every((pixel) => pixel === pixels[0]);
    }).length,
  );

const pictureOf = (page, selector) => page.$eval(selector, (canvas) => canvas.toDataURL());

for (const name of pages)
  test(`${name}: no complaint, no request, nothing blank`, async () => {
    const { page, faults } = await openPage(context, file(name));
    await seeAll(page);
    assert.equal(await page.$eval("html", (html) => html.className), "scripted");
    assert.equal(await blanks(page), 0);
    assert.deepEqual(faults, []);
    await page.close();
  });

test("charts, slot map and heat maps are drawn", async () => {
  const { page } = await openPage(context, file("rich"));
  await seeAll(page);
  assert.ok((await page.$$(".plot canvas")).length >= 5);
  assert.equal((await page.$$("[data-view] .map canvas")).length, 1 + 6);
  await page.close();
});

test("the key figures are those of show --format json", async () => {
  const expected = JSON.parse(readFileSync(join(reports, "rich.json"), "utf8"));
  const { page } = await openPage(context, file("rich"));
  const values = await page.$$eval(".figure", (figures) =>
    Object.fromEntries(figures.map((f) => [f.querySelector("dt").textContent, f.querySelector("data")?.value])),
  );
  assert.equal(Number(values["transactions"]), expected.tps.value);
  assert.equal(Number(values["snapshots"]), expected.snapshots.taken);
  assert.equal(Number(values["reused"]), expected.snapshots.reused);
  assert.equal(Number(values["duration, half below"]), expected.duration_ns.p50);
  assert.equal(Number(values["duration, 99 % below"]), expected.duration_ns.p99);
  await page.close();
});

test("the keyboard moves through the slot map, and it is said aloud", async () => {
  const { page } = await openPage(context, file("rich"));
  await seeAll(page);
  const said = () => page.$eval("#said", (region) => region.textContent);
  await page.focus('canvas[aria-roledescription="slot map"]');
  assert.match(await said(), /^slot 7; pid 4007, client backend; .*line/);
  assert.match(await said(), /socket 0/);
  await page.keyboard.press("ArrowRight");
  assert.match(await said(), /^slot 8;/);
  await page.keyboard.press("n");
  assert.match(await said(), /^slot 48;/);
  await page.keyboard.press("p");
  assert.match(await said(), /^slot 7;/);
  await page.keyboard.press("ArrowDown");
  assert.doesNotMatch(await said(), /^slot 7;/);
  await page.keyboard.press("End");
  assert.match(await said(), /^slot 1119; no owner/);
  await page.close();
});

test("hovering a slot tells its owner, core and socket", async () => {
  const { page } = await openPage(context, file("rich"));
  await seeAll(page);
  const map = page.locator('canvas[aria-roledescription="slot map"]');
  await map.scrollIntoViewIfNeeded();
  // The array starts at byte 60 of a line: entry 7 lies at byte 144, on line 2.
  const box = await map.boundingBox();
  await page.mouse.move(box.x + 44 + 2 * 100 + ((144 - 128 + 6) / 64) * 96, box.y + 9);
  assert.match(await page.$eval(".details-of", (d) => d.textContent), /^slot 7.*pid 4007.*line 2.*core \d+, socket \d/);
  await page.close();
});

test("the filter and the choice of colour redraw the slot map", async () => {
  const { page } = await openPage(context, file("rich"));
  await seeAll(page);
  const map = 'canvas[aria-roledescription="slot map"]';
  const first = await pictureOf(page, map);
  await page.fill('.controls input[type="search"]', "socket 1");
  const filtered = await pictureOf(page, map);
  assert.notEqual(filtered, first);
  await page.fill('.controls input[type="search"]', "");
  assert.equal(await pictureOf(page, map), first);
  await page.selectOption(".controls select", { label: "migrations" });
  assert.notEqual(await pictureOf(page, map), first);
  await page.close();
});

test("a chart zooms by mouse and by keys, and shows all again", async () => {
  const { page, faults } = await openPage(context, file("rich"));
  await seeAll(page);
  const canvas = ".plot canvas";
  const whole = await pictureOf(page, canvas);
  const over = page.locator(".plot .u-over").first();
  await over.scrollIntoViewIfNeeded(); // the mouse reaches what is in view only
  const box = await over.boundingBox();
  await page.mouse.move(box.x + box.width * 0.3, box.y + 40);
  await page.mouse.down();
  await page.mouse.move(box.x + box.width * 0.6, box.y + 40, { steps: 4 });
  await page.mouse.up();
  await page.waitForFunction(([s, old]) => document.querySelector(s).toDataURL() !== old, [canvas, whole]);
  await page.focus(".plot");
  await page.keyboard.press("Escape");
  await page.waitForFunction(([s, old]) => document.querySelector(s).toDataURL() === old, [canvas, whole]);
  await page.keyboard.press("ArrowRight");
  assert.match(await page.$eval("#said", (region) => region.textContent), /seconds: transactions [\d.]/);
  await page.keyboard.press("+");
  await page.waitForFunction(([s, old]) => document.querySelector(s).toDataURL() !== old, [canvas, whole]);
  assert.deepEqual(faults, []);
  await page.close();
});

test("a line can be hidden", async () => {
  const { page } = await openPage(context, file("rich"));
  await seeAll(page);
  const toggle = page.locator(".legend .toggle").first();
  await toggle.click();
  assert.equal(await toggle.getAttribute("aria-pressed"), "false");
  await page.close();
});

test("dark and light are toggled, and charts follow", async () => {
  const { page } = await openPage(context, file("rich"));
  await seeAll(page);
  const ground = () => page.$eval("html", (html) => getComputedStyle(html).backgroundColor);
  const [light, picture] = [await ground(), await pictureOf(page, ".map canvas")];
  await page.click("#theme");
  assert.notEqual(await ground(), light);
  await page.waitForFunction((old) => document.querySelector(".map canvas").toDataURL() !== old, picture);
  await page.click("#theme");
  assert.equal(await ground(), light);
  await page.close();
});

test("hostile names stay text", async () => {
  const { page, faults } = await openPage(context, file("hostile"));
  await seeAll(page);
  await page.focus('canvas[aria-roledescription="slot map"]');
  for (let i = 0; i < 15; i++) await page.keyboard.press("n");
  assert.equal(await page.evaluate(() => window.hacked), undefined);
  assert.equal(await page.$$eval("img, iframe, [onmouseover], [onfocus], [onerror]", (all) => all.length), 0);
  const text = await page.$eval("main", (main) => main.textContent);
  for (const name of ["<script>window.hacked=1</script>", "\u05e9\u05dc\u05d5\u05dd", "\u{1f418} elephant", "user\\u{202E}gpj.exe"])
    assert.ok(text.includes(name), name);
  assert.ok(!text.includes("\u202e"));
  assert.deepEqual(faults, []);
  await page.close();
});

test("what could not be had is said, and no chart stands for it", async () => {
  const { page } = await openPage(context, file("empty"));
  assert.equal(await page.$$eval("canvas", (all) => all.length), 0);
  const cells = await page.$$eval(".absent", (all) => all.map((cell) => cell.textContent));
  assert.ok(cells.length >= 8);
  for (const cell of cells) assert.match(cell, /^unavailable: /);
  assert.ok(cells.some((cell) => cell.includes("no hardware PMU in this VM; HITM needs bare metal")));
  await page.close();
});

test("with scripts off the tables are there and open", async () => {
  const plain = await browser.contextOf({ javaScriptEnabled: false, viewport: { width: 1280, height: 900 } });
  for (const name of ["rich", "paired"]) {
    const { page, faults } = await openPage(plain, file(name));
    const text = await page.locator("main").innerText();
    for (const word of name === "rich"
      ? ["Each series over the whole run", "Slots that did something", "transfers by socket", "xact end", "p99.9"]
      : ["Hodges-Lehmann", "server_cpu_us_per_xact", "off-1.snap"])
      assert.ok(text.includes(word), `${name}: ${word}`);
    assert.deepEqual(faults, []);
    await page.screenshot({ path: shot(`${name}-no-script`), fullPage: true });
    await page.close();
  }
  await plain.close();
});

test("axe finds no serious fault, light and dark", async () => {
  const axe = requireModule("axe-core").source;
  for (const name of ["rich", "empty", "several", "paired", "few", "sweep", "table"])
    for (const scheme of ["light", "dark"]) {
      const { page } = await openPage(context, file(name));
      await page.emulateMedia({ colorScheme: scheme });
      await seeAll(page);
      await page.evaluate(axe);
      const { violations } = await page.evaluate(() => axe.run());
      const serious = violations
        .filter((v) => v.impact === "serious" || v.impact === "critical")
        .map((v) => `${name} ${scheme} ${v.id}: ${v.nodes.slice(0, 3).map((n) => n.html.slice(0, 160)).join(" | ")}`);
      assert.deepEqual(serious, []);
      await page.close();
    }
});

test("on a narrow screen nothing is wider than it", async () => {
  const { page } = await openPage(context, file("rich"));
  await page.setViewportSize({ width: 380, height: 800 });
  await seeAll(page);
  assert.ok(await page.evaluate(() => document.scrollingElement.scrollWidth <= innerWidth));
  await page.screenshot({ path: shot("rich-narrow"), fullPage: true });
  await page.close();
});

test("a sweep's marks say their run, and its axes lie below each other", async () => {
  const { page, faults } = await openPage(context, file("sweep"));
  const titles = await page.$$eval("#tps .picture title", (all) => all.map((title) => title.textContent));
  assert.ok(titles.some((title) => /^max_connections 300: 33/.test(title)));
  assert.ok(titles.some((title) => /^max_connections 900 failed: /.test(title)));
  const widths = await page.$$eval(".picture", (all) => all.map((picture) => picture.viewBox.baseVal.width));
  assert.ok(widths.length >= 5);
  for (const width of widths) assert.equal(width, 860);
  await page.setViewportSize({ width: 1280, height: 1400 });
  await page.screenshot({ path: shot("sweep-top") });
  assert.deepEqual(faults, []);
  await page.close();
});

test("a million points open, and how long that takes is printed", async (t) => {
  const { page, faults } = await openPage(context, file("long"));
  await page.waitForSelector(".plot canvas");
  const ms = await page.evaluate(() => performance.timing.loadEventEnd - performance.timing.navigationStart);
  t.diagnostic(`a million points: loaded after ${ms} ms`);
  assert.deepEqual(faults, []);
  await page.close();
});

test("pictures for people: light, dark, print", async () => {
  for (const name of pages)
    for (const scheme of ["light", "dark"]) {
      const { page } = await openPage(context, file(name));
      await page.emulateMedia({ colorScheme: scheme });
      await seeAll(page);
      await page.screenshot({ path: shot(`${name}-${scheme}`), fullPage: true });
      if (scheme === "light") {
        const pdf = await page.pdf({ format: "A4", printBackground: true, preferCSSPageSize: true });
        assert.equal(pdf.subarray(0, 5).toString(), "%PDF-");
        writeFileSync(join(reports, "shots", `${name}.pdf`), pdf);
      }
      await page.close();
    }
});
