// The parts of the page that take data and return data.
import assert from "node:assert/strict";
import { test } from "node:test";
import { blend, isDark, depth, parseColour } from "./colours";
import { arrayOf, bytesOf, type PlaceData, withGaps } from "./data";
import { grouped, nanoseconds, number, percent, short } from "./format";
import { every, matrixCellAt, matrixGrid, matrixMoved } from "./matrix_layout";
import { entriesOn, entryAt, gridFor, linesOf, moved, piecesOf } from "./slot_layout";

test("arrays are read where their reference says", () => {
  const bytes = new ArrayBuffer(24);
  new Float32Array(bytes, 0, 2).set([1.5, NaN]);
  new Float64Array(bytes, 8, 1).set([1e300]);
  new Uint32Array(bytes, 16, 1).set([4294967295]);
  const block = bytesOf(Buffer.from(bytes).toString("base64") + "\n");
  assert.deepEqual([...arrayOf(block, { type: "f32", at: 0, count: 2 })], [1.5, NaN]);
  assert.deepEqual([...arrayOf(block, { type: "f64", at: 8, count: 1 })], [1e300]);
  assert.deepEqual([...arrayOf(block, { type: "u32", at: 16, count: 1 })], [4294967295]);
  assert.throws(() => arrayOf(block, { type: "f32", at: 0, count: 7 }));
});

test("what is absent is a gap and no zero", () => {
  assert.deepEqual(withGaps(Float32Array.of(0, NaN, 2)), [0, null, 2]);
});

test("numbers are written as the tables write them", () => {
  assert.equal(number(12345.678), "12\u00a0346");
  assert.equal(number(0.012345), "0.01235");
  assert.equal(number(0), "0");
  assert.equal(number(NaN), "absent");
  assert.equal(number(-1500.25, 6), "-1\u00a0500.25");
  assert.equal(grouped(1234567), "1\u00a0234\u00a0567");
  assert.equal(short(12000), "12k");
  assert.equal(short(2.5e9), "2.5G");
  assert.equal(short(0), "0");
  assert.equal(nanoseconds(1234), "1.234 us");
  assert.equal(percent(1, 3), "33.3 %");
  assert.equal(percent(1, 0), "");
});

test("colours blend from end to end, and text on them is told apart", () => {
  const stops = ["#fff", "#0000ff"].map(parseColour);
  assert.equal(blend(stops, 0), "rgb(255,255,255)");
  assert.equal(blend(stops, 1), "rgb(0,0,255)");
  assert.equal(blend(stops, 0.5), "rgb(128,128,255)");
  assert.equal(blend(stops, 7), "rgb(0,0,255)");
  assert.ok(isDark("rgb(0,0,255)"));
  assert.ok(!isDark("rgb(255,255,255)"));
  assert.equal(depth(0, 100), 0);
  assert.equal(depth(100, 100), 1);
  assert.ok(depth(1, 1e6) > 0.1, "one of a million is seen");
  assert.ok(depth(25, 100) < depth(100, 100) * 0.7, "a quarter is told from the whole");
  assert.equal(depth(5, 0), 0);
});

const place: PlaceData = { name: "PGXACT", offset: 60, stride: 12, entries: 1120, lines: 211 };

test("an entry lies on the lines of its bytes", () => {
  assert.deepEqual(linesOf(place, 0), [0, 1]);
  assert.deepEqual(linesOf(place, 1), [1, 1]);
  assert.deepEqual(linesOf(place, 7), [2, 2]);
  assert.deepEqual(entriesOn(place, [0, 0]), [0]);
  assert.deepEqual(entriesOn(place, [1, 1]), [0, 1, 2, 3, 4, 5]);
});

test("pieces of all entries fill the strips without overlap", () => {
  const grid = gridFor(place, 1000);
  let width = 0;
  for (let entry = 0; entry < place.entries; entry++) {
    const pieces = piecesOf(place, grid, entry);
    width += pieces.reduce((sum, piece) => sum + piece.width, 0);
    for (const piece of pieces) {
      assert.equal(entryAt(place, grid, piece.x + piece.width / 2, piece.y + 1), entry);
      assert.ok(piece.x + piece.width <= grid.width && piece.y + piece.height <= grid.height);
    }
  }
  assert.ok(Math.abs(width - (place.entries * place.stride * grid.lineWidth) / 64) < 1e-6);
});

test("outside of entries there is none", () => {
  const grid = gridFor(place, 1000);
  assert.equal(entryAt(place, grid, 5, 5), null, "the numbers of lines");
  assert.equal(entryAt(place, grid, grid.left + 1, 5), null, "bytes before the array");
  assert.equal(entryAt(place, grid, grid.left + 50, 1e6), null);
  assert.equal(entryAt(place, grid, 1e6, 5), null);
});

test("keys stay inside the array", () => {
  const grid = gridFor(place, 1000);
  assert.equal(moved(place, grid, 0, "ArrowLeft"), 0);
  assert.equal(moved(place, grid, 1119, "ArrowRight"), 1119);
  assert.equal(moved(place, grid, 0, "End"), 1119);
  assert.equal(moved(place, grid, 5, "Home"), 0);
  assert.equal(moved(place, grid, 5, "x"), null);
  const below = moved(place, grid, 100, "ArrowDown")!;
  assert.equal(moved(place, grid, below, "ArrowUp"), 100);
  assert.equal(linesOf(place, below)[0] - linesOf(place, 100)[0], grid.columns);
});

test("cells of a heat map are found, and keys stay inside", () => {
  const grid = matrixGrid(60, 2, 14, 900);
  assert.deepEqual(matrixCellAt(grid, grid.left + 1, grid.top + 1), [0, 0]);
  assert.deepEqual(matrixCellAt(grid, grid.left + grid.cellWidth * 1.5, grid.top + grid.cellHeight * 59.5), [59, 1]);
  assert.equal(matrixCellAt(grid, 1, grid.top + 1), null);
  assert.equal(matrixCellAt(grid, grid.left + 1, 1), null);
  assert.deepEqual(matrixMoved(grid, [0, 0], "ArrowUp"), [0, 0]);
  assert.deepEqual(matrixMoved(grid, [59, 1], "ArrowDown"), [59, 1]);
  assert.deepEqual(matrixMoved(grid, [3, 0], "End"), [3, 1]);
  assert.equal(matrixMoved(grid, [3, 0], "q"), null);
  assert.equal(every(5, 14), 3);
});
