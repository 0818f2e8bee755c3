// The figures that were asked for before anything was measured, each with its
// bound and whether this run keeps it: lines of a table.
import { ratioNamed, rowWith } from "./suite.mjs";

const absent = (what, bound) => [what, bound, "absent", "absent"];

// A ratio's estimate against its bound; the interval says how sure that is.
function ofRatio(what, ratio, bound, atMost = true) {
  const words = `${atMost ? "at most" : "at least"} ${bound}`;
  if (ratio === undefined) return absent(what, words);
  const holds = atMost ? ratio.value <= bound : ratio.value >= bound;
  return [what, words, `${ratio.value.toFixed(3)} (${ratio.low.toFixed(3)} – ${ratio.high.toFixed(3)})`,
    holds ? "yes" : "**no**"];
}

// lockfree with 4000 idle connections beside itself with none, in turns: the lowest rounds.
function flat(snapshot, xmin) {
  const what = `ns ${xmin}, \`lockfree\`: lowest with 4000 idle over lowest with 0, in turns`;
  const [full, none] = ["4000", "0"].map((idle) => rowWith(snapshot, { part: "in turns", idle, xmin }));
  if (full === undefined || none === undefined) return absent(what, "at most 1.5");
  const value = full.min / none.min;
  return [what, "at most 1.5", `${value.toFixed(3)} (${full.min.toFixed(2)} / ${none.min.toFixed(2)})`,
    value <= 1.5 ? "yes" : "**no**"];
}

// Not worse than the unpatched server beyond what two of the same differ by.
function readWrite(writers, idle, mode) {
  const what = `tps, TPC-B-like, ${idle} idle, \`${mode}\` / unpatched`;
  const floor = writers.noise_floor_percent;
  const ratio = ratioNamed(writers, `tps, TPC-B-like, ${idle} idle, ${mode} / unpatched`);
  if (floor === null || ratio === undefined) return absent(what, "at least 1 less the A/A floor");
  return ofRatio(what, ratio, Number((1 / (1 + floor / 100)).toFixed(3)), false);
}

export function required(snapshot, writers) {
  const ns = (xmin, other, bound, sessions = "") => ofRatio(
    `ns ${xmin}, 1000 idle${sessions}, \`lockfree\` / ${other}`,
    ratioNamed(snapshot, `ns ${xmin}, 1000 idle${sessions}, lockfree / ${other}`), bound);
  const cached = ["copy", "spin", "lockfree"];
  return [
    ns("set", "copy", 0.45), ns("set", "debian15", 0.75),
    ns("new", "copy", 0.65), ns("new", "debian15", 1),
    ns("set", "copy", 0.6, ", two sessions"), ns("set", "debian15", 0.9, ", two sessions"),
    ...["0", "1000"].map((idle) => ofRatio(
      `commits of a writer beside two sessions, update, ${idle} idle, \`lockfree\` / copy`,
      ratioNamed(writers, `commits a second beside two sessions, update, ${idle} idle, lockfree / copy`), 1.3, false)),
    flat(snapshot, "set"), flat(snapshot, "new"),
    ...cached.map((mode) => ofRatio(`CPU of \`SELECT 1\`, 4000 idle, 8 clients, \`${mode}\` / unpatched`,
      ratioNamed(snapshot, `CPU, 4000 idle, 8 clients, ${mode} / unpatched`), 0.6)),
    ...["0", "1000"].flatMap((idle) => ["off", ...cached].map((mode) => readWrite(writers, idle, mode))),
  ];
}
