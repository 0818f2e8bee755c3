// Where each entry of the array lies: cache lines as strips in rows, entries as
// pieces of them, to the byte.  Pure.
import type { PlaceData } from "./data";

export const lineBytes = 64;

export interface Grid {
  columns: number; // lines a row
  lineWidth: number;
  lineHeight: number;
  gap: number;
  top: number; // room for the frame of a marked line
  left: number; // room for the number of a row's first line
  width: number;
  height: number;
}

export interface Piece {
  x: number;
  y: number;
  width: number;
  height: number;
}

// As wide as fits; smaller cells where there are many lines.
export function gridFor(place: PlaceData, width: number): Grid {
  const [lineWidth, lineHeight] = place.lines <= 300 ? [96, 18] : place.lines <= 1500 ? [64, 13] : [40, 9];
  const [left, top, gap] = [44, 3, 4];
  const columns = Math.max(1, Math.floor((width - left + gap) / (lineWidth + gap)));
  const rows = Math.ceil(place.lines / columns);
  return { columns, lineWidth, lineHeight, gap, top, left, width, height: top + rows * (lineHeight + gap) };
}

// [first, last] line that an entry touches.
export function linesOf(place: PlaceData, entry: number): [number, number] {
  const start = place.offset + entry * place.stride;
  return [Math.floor(start / lineBytes), Math.floor((start + place.stride - 1) / lineBytes)];
}

export function lineBox(grid: Grid, line: number): Piece {
  return {
    x: grid.left + (line % grid.columns) * (grid.lineWidth + grid.gap),
    y: grid.top + Math.floor(line / grid.columns) * (grid.lineHeight + grid.gap),
    width: grid.lineWidth,
    height: grid.lineHeight,
  };
}

// An entry that straddles lines has a piece on each.
export function piecesOf(place: PlaceData, grid: Grid, entry: number): Piece[] {
  const start = place.offset + entry * place.stride;
  const end = start + place.stride;
  const scale = grid.lineWidth / lineBytes;
  const [first, last] = linesOf(place, entry);
  const pieces: Piece[] = [];
  for (let line = first; line <= last; line++) {
    const box = lineBox(grid, line);
    const from = Math.max(start - line * lineBytes, 0);
    const to = Math.min(end - line * lineBytes, lineBytes);
    pieces.push({ x: box.x + from * scale, y: box.y, width: (to - from) * scale, height: box.height });
  }
  return pieces;
}

// The entry under a point; null between strips and outside.
export function entryAt(place: PlaceData, grid: Grid, x: number, y: number): number | null {
  const column = Math.floor((x - grid.left) / (grid.lineWidth + grid.gap));
  const row = Math.floor((y - grid.top) / (grid.lineHeight + grid.gap));
  if (x < grid.left || column >= grid.columns || row < 0) return null;
  const line = row * grid.columns + column;
  const box = lineBox(grid, line);
  if (x >= box.x + box.width || y >= box.y + box.height) return null;
  const byte = line * lineBytes + ((x - box.x) / box.width) * lineBytes - place.offset;
  const entry = Math.floor(byte / place.stride);
  return byte >= 0 && entry < place.entries ? entry : null;
}

// Entries that have a byte on one of these lines.
export function entriesOn(place: PlaceData, [first, last]: [number, number]): number[] {
  const from = Math.max(0, Math.floor((first * lineBytes - place.offset) / place.stride));
  const out: number[] = [];
  for (let entry = from; entry < place.entries; entry++) {
    const [a, b] = linesOf(place, entry);
    if (a > last) break;
    if (b >= first) out.push(entry);
  }
  return out;
}

// Where a key leads from `entry`; null where the key is no move.
export function moved(place: PlaceData, grid: Grid, entry: number, key: string): number | null {
  const clamp = (value: number) => Math.min(Math.max(value, 0), place.entries - 1);
  const perRow = (grid.columns * lineBytes) / place.stride;
  switch (key) {
    case "ArrowRight":
      return clamp(entry + 1);
    case "ArrowLeft":
      return clamp(entry - 1);
    case "ArrowDown":
      return clamp(Math.round(entry + perRow));
    case "ArrowUp":
      return clamp(Math.round(entry - perRow));
    case "Home":
      return 0;
    case "End":
      return place.entries - 1;
  }
  return null;
}
