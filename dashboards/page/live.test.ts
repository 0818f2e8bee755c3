// The parts of the live page that take data and return data.
import assert from "node:assert/strict";
import { test } from "node:test";
import type { SeriesData, SlotsData } from "./data";
import { Points, shapeOf } from "./points";
import { SlotRows } from "./slot_rows";

function series(x: number[], y: number[], label = "reused"): [SeriesData, ArrayBuffer] {
  const block = new ArrayBuffer(16 * Math.max(x.length, 1));
  new Float64Array(block, 0, x.length).set(x);
  new Float32Array(block, 8 * x.length, y.length).set(y);
  const line = { label, kind: "counted", source: "ring", y: { type: "f32" as const, at: 8 * x.length, count: y.length } };
  const panel = { title: "Snapshots", unit: "a second", small: false, lines: [line] };
  return [{ view: "series", x: { type: "f64", at: 0, count: x.length }, panels: [panel] }, block];
}

test("points are added at the end, and what is no longer kept goes", () => {
  const points = new Points(...series([1, 2, 3], [10, NaN, 30]));
  points.append(...series([4], [40]), 2);
  assert.deepEqual(points.x, [2, 3, 4]);
  assert.deepEqual(points.ys, [[[null, 30, 40]]]);
});

test("another line is another picture", () => {
  assert.equal(shapeOf(series([1], [1])[0]), shapeOf(series([1, 2], [3, 4])[0]));
  assert.notEqual(shapeOf(series([1], [1])[0]), shapeOf(series([1], [1], "rebuilt")[0]));
});

test("what somebody types means a slot, a socket or part of an owner", () => {
  const block = new ArrayBuffer(64);
  new Uint32Array(block, 0, 2).set([4, 9]); // slots
  new Uint32Array(block, 8, 2).set([812, 0]); // pids
  new Uint32Array(block, 16, 2).set([0, 0]); // backends
  new Uint32Array(block, 24, 3).set([0, 1, 1]); // where their CPUs begin
  new Uint32Array(block, 40, 1).set([3]); // CPU
  new Float32Array(block, 44, 1).set([5e9]);
  const u32 = (at: number, count: number) => ({ type: "u32" as const, at, count });
  const data: SlotsData = {
    view: "slots",
    array: null,
    slot: u32(0, 2),
    pid: u32(8, 2),
    backend: u32(16, 2),
    backends: ["client backend"],
    metrics: [],
    residency: {
      evidence: "counted by sched",
      kind: "counted",
      start: u32(24, 3),
      cpu: u32(40, 1),
      run_ns: { type: "f32", at: 44, count: 1 },
    },
    cpus: [[3, 1, 1]],
  };
  const rows = new SlotRows(data, block);
  const wanted = (text: string) => [4, 9].filter((slot, row) => rows.wanted(text, slot, row));
  assert.deepEqual(wanted(""), [4, 9]);
  assert.deepEqual(wanted("9"), [9]);
  assert.deepEqual(wanted("PID 812"), [4]);
  assert.deepEqual(wanted("socket 1"), [4]);
  assert.deepEqual(wanted("socket 0"), []);
  assert.equal(rows.nextActive(9, -1), 4);
  assert.match(rows.describe(4).join("; "), /pid 812, client backend; ran on CPU 3 \(core 1, socket 1\) 100.0 %; CPU time 5 s/);
  assert.match(rows.describe(5).join("; "), /no owner during the run/);
});
