// numbers.mjs SNAPSHOT.json WRITERS.json: the page of tables, on stdout.
import { required } from "./required.mjs";
import { measured, readSuite, rowsWith, rowWith, servers, valuesOf } from "./suite.mjs";

const [snapshotPath, writersPath] = process.argv.slice(2);
const snapshot = readSuite(snapshotPath, "snapshot");
const writers = readSuite(writersPath, "writers");
const out = [];
const say = (...lines) => out.push(...lines);

function number(value) {
  if (Math.abs(value) >= 1000) return Math.round(value).toString();
  if (Math.abs(value) >= 100) return value.toFixed(0);
  if (Math.abs(value) >= 10) return value.toFixed(1);
  if (Math.abs(value) >= 1) return value.toFixed(2);
  return value === 0 ? "0" : value.toPrecision(3);
}

function table(head, lines) {
  say(`| ${head.join(" | ")} |`, `|${head.map(() => " --- |").join("")}`);
  for (const line of lines) say(`| ${line.join(" | ")} |`);
  say("");
}

const withMinimum = (row) => `${number(row.median)} (${number(row.min)})`;
const withSpread = (row) => `${number(row.median)} (${number(row.q1)}–${number(row.q3)})`;
const alone = (row) => number(row.median);
const cell = (row, format) => (measured(row) ? format(row) : "absent");

// A line for each value of `by`, a column for each server that the rows have.
function byServer(suite, labels, by, format) {
  const there = servers.filter((server) => rowsWith(suite, { ...labels, server }).length > 0);
  if (there.length === 0) return say("absent: not measured in this run", "");
  table([by, ...there], valuesOf(suite, by, labels).map((value) => [
    value, ...there.map((server) => cell(rowWith(suite, { ...labels, [by]: value, server }), format))]));
}

function ratios(suite, pattern) {
  const found = suite.ratios.filter((ratio) => pattern.test(ratio.name));
  if (found.length === 0) return say("absent: not measured in this run", "");
  table(["ratio", "value", "95 % interval", "rounds"], found.map((ratio) => [
    ratio.name, ratio.value.toFixed(3), `${ratio.low.toFixed(3)} – ${ratio.high.toFixed(3)}`, ratio.pairs]));
}

function notes(suite) {
  for (const note of suite.notes) say(`- ${note}`);
  if (suite.notes.length > 0) say("");
}

const picture = (name, words) => say(`![${words}](pictures/${name}.svg)`, "");
const minutes = (suite) => (suite.seconds / 60).toFixed(0);

say("# The cached snapshot in numbers", "");
say("Made by `bench/plot.sh SNAPSHOT.json WRITERS.json` from what `./dev bench snapshot --format json` and " +
  "`./dev bench writers --format json` printed; not written by hand.", "");
for (const suite of [snapshot, writers])
  if (suite.effort !== "full")
    say(suite.effort === "trial"
      ? `**The figures of \`${suite.suite}\` are from a trial run** that only shows that every piece works, on a machine with other work: do not quote them.`
      : `The figures of \`${suite.suite}\` are from a run with \`--quick\`: fewer cases and rounds.`, "");

// The scan's share of a transaction depends on the machine's caches, and with it
// what any cache can save: said beside the bound, so that a "no" can be judged.
function sayWhatTheScanCosts() {
  const most = { idle: "4000", server: "unpatched" };
  const scan = rowWith(snapshot, { ...most, unit: "ns a snapshot", xmin: "new", sessions: "1" });
  const cpu = rowWith(snapshot, { ...most, unit: "us CPU a transaction", clients: "8" });
  const ratio = snapshot.ratios.find(({ name }) => name === "CPU, 4000 idle, 8 clients, debian15 / unpatched");
  if (!measured(scan) || !measured(cpu)) return;
  const left = 1 - 2 * scan.median / 1000 / cpu.median;
  say(`A \`SELECT 1\` takes two snapshots. With 4000 idle connections the unpatched scan took ${number(scan.median)} ns here, ` +
    `of ${number(cpu.median)} us of server CPU a transaction: without the scans ${left.toFixed(2)} of it is left, and what lies ` +
    "below that comes from the caches that the scan no longer fills. On a machine, or in an hour, whose scan is slower, " +
    "the ratio is lower" + (ratio ? `; Debian's 15 stands at ${ratio.value.toFixed(3)} (${ratio.low.toFixed(3)} – ${ratio.high.toFixed(3)}) in this run.` : "."), "");
}

say("## What was required", "");
say("A ratio with its 95 % interval against the bound that was set before; `yes` goes by the estimate.", "");
table(["figure", "bound", "measured", "holds"], required(snapshot, writers));
sayWhatTheScanCosts();

say("## How it was measured", "");
table(["suite", "commit", "date", "machine", "CPUs", "minutes", "A/A floor"], [snapshot, writers].map((suite) => [
  `\`${suite.suite}\``, suite.commit ?? "not recorded", suite.date, suite.machine.cpu, suite.machine.cpus, minutes(suite),
  suite.noise_floor_percent === null ? "absent" : `${suite.noise_floor_percent.toFixed(2)} %`]));
say(
  "- All servers run side by side and take turns within a round, in an order that rotates. `unpatched` is stock 13.16 " +
    "with the same compiler and flags, the alignment of `procarray.c`'s loops included: the baseline. `unpatched again` is a second server of the same, so its ratio to " +
    "the first is what no difference at all looks like here (A/A). `debian15` is Debian's build of PostgreSQL 15.",
  "- A ratio is the Hodges-Lehmann estimate over the rounds' ratios with its exact 95 % interval (signed-rank). " +
    "Medians stand with the lowest round or with the quartiles, as the table says. The A/A floor is the median " +
    "difference of one round between the two unpatched servers (`snapshot`: ns, `writers`: tps). Two servers of one " +
    "build can differ steadily by where their memory lies: what is no further from 1 than the A/A ratio beside it is " +
    "no difference, also where its interval leaves 1 out.",
  "- ns: a loop in C inside the server; a round is the lowest of 20 runs of about 0.4 ms. `set`: the own xmin is set " +
    "already. `new`: each call publishes it, as at the start of a transaction. Two sessions: both loop at once on CPUs " +
    "of their own; a round is the mean of their medians. The loop fills one static snapshot, as backends do, so " +
    "`lockfree` keeps what it holds while nobody commits.",
  "- CPU a transaction: CPU time of the server's ended backends, their start included, over the transactions of " +
    "pgbench. Comparable within a line, not between lines.",
  "- fsync and autovacuum are off; everything else is as by default, but for `max_connections`, and in `writers` " +
    "256 MB of shared buffers and no checkpoint while it measures.",
  "- *absent* is not zero: it was not measured, or that server does not count it.", "");

say("## ns a snapshot", "");
picture("snapshot-ns-set", "ns a snapshot by idle connections and mode, own xmin set");
const ns = { unit: "ns a snapshot" };
for (const [xmin, sessions, words] of [["set", "1", "`set`, one session"], ["new", "1", "`new`, one session"],
  ["set", "2", "`set`, two sessions at once"], ["new", "2", "`new`, two sessions at once"]]) {
  say(`${words}: median (lowest) by idle connections`, "");
  byServer(snapshot, { ...ns, xmin, sessions }, "idle", withMinimum);
}
picture("snapshot-ns-new", "ns a snapshot by idle connections and mode, own xmin published");
say("### Against copy and Debian's 15", "");
ratios(snapshot, /^ns .*lockfree \/ (copy|debian15)/);
say("### What `off` costs", "");
ratios(snapshot, /^ns .*(off|unpatched again) \/ unpatched/);
say("### A server with idle connections beside one without, in turns", "");
ratios(snapshot, /^flat/);
const inTurns = rowsWith(snapshot, { part: "in turns" });
if (inTurns.length > 0)
  table(["own xmin", "idle", "ns: median (lowest)"], inTurns.map((row) => [row.xmin, row.idle, cell(row, withMinimum)]));
say("### Instructions a snapshot (callgrind, exact)", "");
for (const xmin of ["set", "new"]) {
  say(`\`${xmin}\`, by idle connections`, "");
  byServer(snapshot, { unit: "instructions a snapshot", xmin }, "idle", alone);
}

say("## Server CPU a transaction (`SELECT 1`, prepared)", "");
picture("snapshot-cpu", "server CPU a transaction relative to unpatched, by idle connections");
for (const clients of valuesOf(snapshot, "clients", { unit: "us CPU a transaction" })) {
  say(`us of CPU, ${clients} clients: median (quartiles) by idle connections`, "");
  byServer(snapshot, { unit: "us CPU a transaction", clients }, "idle", withSpread);
  say(`transactions a second, ${clients} clients`, "");
  byServer(snapshot, { unit: "transactions a second", clients }, "idle", withSpread);
}
ratios(snapshot, /^CPU/);
notes(snapshot);

say("## Writers", "", "### One writer beside two sessions that take snapshots", "");
for (const unit of ["commits a second", "ns a snapshot"])
  for (const writer of valuesOf(writers, "writer", { part: "beside", unit })) {
    say(`${unit}, writer: ${writer}; median (quartiles) by idle connections`, "");
    byServer(writers, { part: "beside", unit, writer }, "idle", withSpread);
  }
ratios(writers, /beside/);

say("### TPC-B-like, 8 clients", "");
for (const unit of ["transactions a second", "us CPU a transaction", "share reused", "rebuilds a writing commit"]) {
  say(`${unit}: median (quartiles) by idle connections`, "");
  byServer(writers, { part: "tpcb-like", unit }, "idle", withSpread);
}
ratios(writers, /TPC-B-like/);

say("### By share of writing transactions, 8 clients", "");
picture("writers-tps", "transactions a second by share of writing transactions");
picture("writers-reused", "share of snapshots reused by share of writing transactions");
for (const unit of ["transactions a second", "us CPU a transaction", "share reused", "rebuilds a writing commit"]) {
  say(`${unit}: median (quartiles) by percent writing`, "");
  byServer(writers, { part: "by share", unit }, "percent writing", withSpread);
}
ratios(writers, /% writing/);

say("### Many more active clients than CPUs, one run each", "");
for (const unit of ["transactions a second", "share reused", "share rebuilt", "share private",
  "rebuilds a writing commit"]) {
  say(`${unit}, by \`snapshot_cache_verify\``, "");
  byServer(writers, { part: "oversubscribed", unit }, "verify", alone);
}

say("### Slots apart (`snapshot_slot_spread`)", "");
const spreadRows = rowsWith(writers, { part: "slot spread" });
table(["idle", "server", "what", "median (lowest)"], spreadRows.map((row) => [
  row.idle, row.server, row.xmin ? `${row.unit}, ${row.xmin}, sessions: ${row.sessions}` : row.unit,
  cell(row, withMinimum)]));
ratios(writers, /spread/);
notes(writers);
process.stdout.write(out.join("\n").replace(/\n+$/, "") + "\n");
