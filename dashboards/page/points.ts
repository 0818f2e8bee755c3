// The points of the charts of one view, as windows come and go.  Pure.
import { arrayOf, type SeriesData, withGaps } from "./data";

export class Points {
  x: number[];
  ys: (number | null)[][][]; // by panel, then by line

  constructor(data: SeriesData, block: ArrayBuffer) {
    this.x = Array.from(arrayOf(block, data.x));
    this.ys = values(data, block);
  }

  // Adds what is after the last point, and forgets what is before `from` seconds.
  append(data: SeriesData, block: ArrayBuffer, from: number): void {
    this.x = this.x.concat(Array.from(arrayOf(block, data.x)));
    const added = values(data, block);
    const gone = this.x.findIndex((x) => x >= from);
    const first = gone < 0 ? 0 : gone;
    this.x = this.x.slice(first);
    this.ys = this.ys.map((panel, p) => panel.map((line, l) => line.concat(added[p]![l]!).slice(first)));
  }
}

function values(data: SeriesData, block: ArrayBuffer): (number | null)[][][] {
  return data.panels.map((panel) => panel.lines.map((line) => withGaps(arrayOf(block, line.y))));
}

// What must be the same for points to be added: which lines there are.
export function shapeOf(data: SeriesData): string {
  return JSON.stringify(data.panels.map((p) => [p.title, p.unit, p.lines.map((l) => [l.label, l.kind, l.source])]));
}
