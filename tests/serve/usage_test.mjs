// `snapscope serve` on a command line: what it refuses, how, and that it leaves
// nothing behind.
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, test } from "node:test";

const folder = mkdtempSync(join(tmpdir(), "snapscope-usage-"));
after(() => rmSync(folder, { recursive: true, force: true }));

function serve(...options) {
  const { status, stdout, stderr } = spawnSync(process.env.PROGRAM, ["serve", ...options], { encoding: "utf8", timeout: 60000 });
  assert.equal(stdout, "");
  assert.match(stderr, /^[^\n]+\n$/, "one line that says what failed");
  return { status, stderr };
}
const nobody = ["--pgdata", join(folder, "none")];

test("what makes no sense is refused before anything is looked at", () => {
  writeFileSync(join(folder, "short"), "secret\n", { mode: 0o600 });
  for (const options of [
    ["--listen", "9188"],
    ["--listen", "somewhere:9188"],
    ["--listen", "127.0.0.1:99999"],
    ["--interval", "1"],
    ["--keep", "0"],
    ["--source", "tarot"],
    ["--record-to", join(folder, "no", "folder")],
    ["--token-file", join(folder, "short")],
    ["--pid", "0"],
  ]) {
    const { status, stderr } = serve(...(options[0] === "--pid" ? [] : nobody), ...options);
    assert.equal(status, 2, `${options.join(" ")}: ${stderr}`);
  }
});

test("a server that is not there is said", () => {
  const { status, stderr } = serve(...nobody, "--listen", "127.0.0.1:0");
  assert.equal(status, 1);
  assert.match(stderr, /none/);
});

test("a token that cannot be read is no reason to do without one", () => {
  const { status, stderr } = serve(...nobody, "--token-file", join(folder, "missing"));
  assert.equal(status, 1);
  assert.match(stderr, /missing/);
});

test("a port that is taken is said before a server is attached", async () => {
  const other = net.createServer();
  await new Promise((done) => other.listen(0, "127.0.0.1", done));
  const { status, stderr } = serve(...nobody, "--listen", `127.0.0.1:${other.address().port}`);
  other.close();
  assert.equal(status, 1);
  assert.match(stderr, /cannot listen on 127\.0\.0\.1/);
});
