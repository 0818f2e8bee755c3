// Debian's Prometheus against `snapscope serve`: the text passes promtool, it
// scrapes, the rules load and are evaluated, every expression of the Grafana
// dashboard answers with data; a recorded run is backfilled and found again.
import assert from "node:assert/strict";
import { execFileSync, spawn, spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import net from "node:net";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath } from "node:url";
import { startStage, until } from "./stage.mjs";

const files = join(dirname(fileURLToPath(import.meta.url)), "..", "..", "dashboards");
for (const program of ["prometheus", "promtool"])
  if (spawnSync(program, ["--version"]).error) {
    console.log(`SKIPPED: ${program} is not installed`);
    process.exit(77);
  }

const folder = mkdtempSync(join(tmpdir(), "snapscope-prometheus-"));
const token = "0123456789abcdef0123456789abcdef";
writeFileSync(join(folder, "token"), token + "\n", { mode: 0o600 });

let stage;
let url;
let prometheus;
let api;

const freePort = () =>
  new Promise((done) => {
    const server = net.createServer().listen(0, "127.0.0.1", () => {
      const { port } = server.address();
      server.close(() => done(port));
    });
  });

// As the README says, but for the port and the pace.
function configuration(host) {
  const text = readFileSync(join(files, "prometheus", "prometheus.yml"), "utf8");
  const edited = text
    .replaceAll("5s", "1s")
    .replace("127.0.0.1:9188", host)
    .replace("# authorization:", "authorization:")
    .replace("#   credentials_file: /etc/prometheus/snapscope.token", `  credentials_file: ${join(folder, "token")}`);
  writeFileSync(join(folder, "prometheus.yml"), edited);
  cpSync(join(files, "prometheus", "snapscope.rules.yml"), join(folder, "snapscope.rules.yml"));
  execFileSync("promtool", ["check", "config", join(folder, "prometheus.yml")]);
}

async function startPrometheus(data) {
  const port = await freePort();
  const child = spawn(
    "prometheus",
    [
      `--config.file=${join(folder, "prometheus.yml")}`,
      `--storage.tsdb.path=${data}`,
      `--web.listen-address=127.0.0.1:${port}`,
      "--log.level=error",
    ],
    { stdio: ["ignore", "ignore", "inherit"] },
  );
  const base = `http://127.0.0.1:${port}`;
  await until(async () => (await fetch(`${base}/-/ready`).catch(() => null))?.ok, "Prometheus is ready");
  return { child, base };
}

async function query(expr) {
  const answer = await (await fetch(`${api}/api/v1/query?query=${encodeURIComponent(expr)}`)).json();
  assert.equal(answer.status, "success", `${expr}: ${answer.error}`);
  return answer.data.result;
}

before(async () => {
  stage = await startStage({
    options: ["--events", "--interval", "500", "--token-file", join(folder, "token"), "--record-to", folder],
  });
  url = new URL(stage.url);
  configuration(url.host);
  ({ child: prometheus, base: api } = await startPrometheus(join(folder, "data")));
});
after(async () => {
  prometheus?.kill();
  await stage?.end();
  rmSync(folder, { recursive: true, force: true });
});

const authorized = { headers: { Authorization: `Bearer ${token}` } };
const metricsText = async () => (await fetch(`${url.origin}/metrics`, authorized)).text();

test("nothing is told without the token", async () => {
  assert.equal((await fetch(`${url.origin}/metrics`)).status, 401);
  assert.equal((await fetch(`${url.origin}/metrics`, authorized)).status, 200);
});

test("promtool finds nothing to complain of", async () => {
  await until(async () => (await metricsText()).includes("snapscope_snapshots_total{"), "snapshots");
  const { status, stdout, stderr } = spawnSync("promtool", ["check", "metrics"], { input: await metricsText(), encoding: "utf8" });
  assert.equal(stdout + stderr, "");
  assert.equal(status, 0);
});

test("labels hold nothing that grows with the load, and names of databases and applications are none of them", async () => {
  const text = await metricsText();
  const labels = new Set([...text.matchAll(/[{,]([a-z_]+)="/g)].map((found) => found[1]));
  for (const label of labels)
    assert.ok(["server", "source", "kind", "state", "outcome", "reason", "le", "version", "snapshot_cache"].includes(label), label);
  assert.ok(!text.includes("hacked"));
});

test("it scrapes, and the rules are loaded and healthy", async () => {
  await until(async () => (await query('up{job="snapscope"} == 1')).length === 1, "a scrape");
  const { data } = await (await fetch(`${api}/api/v1/rules`)).json();
  const rules = data.groups.flatMap((group) => group.rules);
  assert.equal(rules.filter((rule) => rule.type === "recording").length, 5);
  assert.equal(rules.filter((rule) => rule.type === "alerting").length, 5);
  await until(async () => {
    const now = (await (await fetch(`${api}/api/v1/rules`)).json()).data.groups.flatMap((group) => group.rules);
    return now.every((rule) => rule.health === "ok");
  }, "every rule evaluated");
  for (const rule of rules.filter((r) => r.type === "recording"))
    await until(async () => (await query(rule.name)).length > 0, rule.name);
});

test("every expression of the dashboard answers with data", async () => {
  const dashboard = JSON.parse(readFileSync(join(files, "grafana", "snapscope.json"), "utf8"));
  assert.ok(dashboard.templating.list.some((variable) => variable.type === "datasource"));
  const expressions = dashboard.panels.flatMap((panel) => panel.targets.map((target) => target.expr));
  assert.ok(expressions.length >= 15);
  for (const panel of dashboard.panels) assert.equal(panel.datasource.uid, "${datasource}", panel.title);
  for (const expr of expressions) {
    const now = expr.replaceAll("$__rate_interval", "15s").replaceAll("$server", ".*");
    await until(async () => (await query(now)).some((row) => Number.isFinite(Number(row.value[1]))), now);
  }
  assert.deepEqual(
    (await query("snapscope_server_up")).map((row) => row.metric.server),
    [stage.pgdata],
  );
});

test("a recorded run is backfilled with its own times", async () => {
  const post = (query) =>
    fetch(`${url.origin}/api/record?${query}`, { method: "POST", headers: { ...authorized.headers, "X-Snapscope": "1" } });
  const servers = async () => (await (await fetch(`${url.origin}/api/servers`, authorized)).json()).servers[0];
  const from = (await servers()).last_seq;
  assert.equal((await post(`do=start&from=${from}`)).status, 202);
  await until(async () => (await servers()).last_seq >= from + 4, "four more windows");
  assert.equal((await post("do=stop")).status, 202);
  await until(async () => (await servers()).recording === null, "the end of the recording");
  const run = readdirSync(folder).find((name) => name.endsWith(".snap"));
  const shown = JSON.parse(execFileSync(process.env.PROGRAM, ["show", join(folder, run), "--format", "json"]));
  const text = execFileSync(process.env.PROGRAM, ["export", join(folder, run), "--format", "openmetrics"], { encoding: "utf8" });
  assert.ok(text.endsWith("# EOF\n"));
  writeFileSync(join(folder, "run.om"), text);
  const data = join(folder, "backfilled");
  execFileSync("promtool", ["tsdb", "create-blocks-from", "openmetrics", join(folder, "run.om"), data]);
  assert.ok(existsSync(data));
  const second = await startPrometheus(data);
  try {
    const end = text.match(/snapscope_snapshots_taken_total\{[^\n]*source="ring"[^\n]*\} (\d+) ([\d.]+)\n(?!snapscope_snapshots_taken_total\{[^\n]*source="ring")/);
    const answer = await (
      await fetch(`${second.base}/api/v1/query?time=${end[2]}&query=${encodeURIComponent('snapscope_snapshots_taken_total{source="ring"}')}`)
    ).json();
    const own = answer.data.result.filter((row) => !row.metric.instance);
    assert.equal(own.length, 1);
    assert.equal(Number(own[0].value[1]), shown.snapshots.taken);
  } finally {
    second.child.kill();
  }
});
