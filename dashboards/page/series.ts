// Time series by uPlot: the charts of a view share cursor and zoom; every
// chart is steered by keys, too.
import uPlot from "uplot";
import { arrayOf, type LineData, type PanelData, type SeriesData, withGaps } from "./data";
import { make, onWidth, say } from "./dom";
import { clock, number, short } from "./format";
import { colour, onTheme } from "./theme";

// The kinds of evidence, as the swatches of the legend show them (style.css).
export const dashes: Record<string, number[]> = {
  counted: [],
  stated: [],
  sampled: [2, 3],
  measured: [14, 3],
  inferred: [7, 4],
  emulated: [10, 3, 2, 3],
  modelled: [10, 3, 2, 3, 2, 3],
};

// From the same run: one zoom for all of them.
const zoomed: uPlot[] = [];
let zooming = false;

function zoomAll(from: uPlot): void {
  if (zooming) return;
  zooming = true;
  const { min, max } = from.scales.x!;
  if (min != null && max != null)
    for (const other of zoomed) if (other !== from && other.data[0] === from.data[0]) other.setScale("x", { min, max });
  zooming = false;
}

// What is beside the lines of a live chart: which time x = 0 is (ms since 1970),
// and moments that somebody marked.
export interface Moments {
  origin: number | null;
  marks: { t: number; text: string }[];
}
const none: Moments = { origin: null, marks: [] };

export class Chart {
  private readonly plot: uPlot;
  private readonly now: HTMLElement[] = [];
  private readonly box: HTMLElement;
  private readonly unlisten: () => void;
  private at = 0;

  constructor(
    figure: HTMLElement,
    private readonly panel: PanelData,
    private x: number[],
    private ys: (number | null)[][],
    private readonly moments = none,
  ) {
    this.box = make("div", {
      class: "plot",
      tabindex: "0",
      role: "application",
      "aria-roledescription": "chart",
      "aria-label":
        `${panel.title}, ${panel.unit}. Left and right move the cursor, plus and minus zoom, Escape shows all.`,
    });
    figure.append(this.box);
    this.plot = new uPlot(this.options(), [x, ...ys] as uPlot.AlignedData, this.box);
    zoomed.push(this.plot);
    this.legend(figure);
    this.listen();
    onWidth(this.box, (width) => this.resize(width));
    this.unlisten = onTheme(() => this.plot.redraw(true, true));
  }

  // Its element is gone.
  remove(): void {
    this.unlisten();
    zoomed.splice(zoomed.indexOf(this.plot), 1);
    this.plot.destroy();
  }

  private height(): number {
    return this.panel.small ? 110 : 190;
  }

  private options(): uPlot.Options {
    const ink = () => colour("--ink-2");
    const grid = { stroke: () => colour("--rule"), width: 1 };
    const axis = { stroke: ink, grid, ticks: { ...grid, size: 4 }, font: "11px system-ui, sans-serif" };
    return {
      width: 400,
      height: this.height(),
      legend: { show: false },
      padding: [8, 12, 0, 0],
      scales: { x: { time: false }, y: { range: (_, low, high) => range(low, high) } },
      cursor: { sync: { key: "snapscope" }, drag: { x: true, y: false }, points: { size: 7 } },
      axes: [
        { ...axis, values: (_, splits) => splits.map((s) => this.timeText(s)), size: 26, gap: 3 },
        { ...axis, values: (_, splits) => splits.map(short), size: 48, gap: 4 },
      ],
      series: [{}, ...this.panel.lines.map((line, i) => this.line(line, i))],
      hooks: {
        setCursor: [() => this.show()],
        setScale: [(plot, key) => key === "x" && zoomAll(plot)],
        draw: [(plot) => this.drawMarks(plot)],
      },
    };
  }

  // The same lines of another time; what was zoomed into stays in view.
  update(x: number[], ys: (number | null)[][]): void {
    const { min, max } = this.plot.scales.x!;
    const whole = min == null || max == null || (min <= this.x[0]! && max >= this.x[this.x.length - 1]!);
    [this.x, this.ys] = [x, ys];
    this.at = Math.min(this.at, Math.max(x.length - 1, 0));
    this.plot.setData([x, ...ys] as uPlot.AlignedData, whole);
    if (!whole) this.plot.setScale("x", { min, max });
    this.show();
  }

  private timeText(seconds: number): string {
    if (this.moments.origin === null) return `${number(seconds)} s`;
    return clock(this.moments.origin + seconds * 1000);
  }

  private drawMarks(plot: uPlot): void {
    const { left, top, width, height } = plot.bbox;
    const pen = plot.ctx;
    pen.save();
    pen.strokeStyle = pen.fillStyle = colour("--mark");
    pen.setLineDash([6, 3]);
    for (const mark of this.moments.marks) {
      const x = plot.valToPos(mark.t, "x", true);
      if (!(x >= left && x <= left + width)) continue;
      pen.beginPath();
      pen.moveTo(x, top);
      pen.lineTo(x, top + height);
      pen.stroke();
      pen.fillText(mark.text, x + 4, top + 10, left + width - x);
    }
    pen.restore();
  }

  private line(line: LineData, i: number): uPlot.Series {
    return {
      label: line.label,
      stroke: () => colour(`--s${(i % 8) + 1}`),
      width: 1.6,
      dash: dashes[line.kind] ?? [],
      spanGaps: false,
      // Kinds that are not counted carry their dots where there is room.
      points: { show: this.x.length < 40 },
    };
  }

  // The legend that is in the page becomes buttons with the value at the cursor.
  private legend(figure: HTMLElement): void {
    figure.querySelectorAll<HTMLElement>(".legend > li").forEach((item, i) => {
      const button = make("button", { type: "button", class: "toggle", "aria-pressed": "true" });
      const name = this.panel.lines[i]?.label ?? "";
      button.append(...Array.from(item.childNodes).slice(0, 2));
      button.title = `show or hide ${name}`;
      button.addEventListener("click", () => {
        const shown = button.getAttribute("aria-pressed") !== "true";
        button.setAttribute("aria-pressed", String(shown));
        this.plot.setSeries(i + 1, { show: shown });
      });
      const now = make("output", { class: "now" });
      this.now.push(now);
      item.prepend(button, now);
    });
  }

  private show(): void {
    const at = this.plot.cursor.idx;
    this.now.forEach((now, i) => {
      const value = at == null ? undefined : this.ys[i]?.[at];
      now.textContent = at == null ? "" : value == null ? "absent" : number(value);
    });
  }

  private listen(): void {
    this.box.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey) return;
      const { min, max } = this.plot.scales.x!;
      if (min == null || max == null) return;
      const step = Math.max(1, Math.round(this.visible(min, max) / 60)) * (event.shiftKey ? 10 : 1);
      if (event.key === "ArrowRight") this.move(step);
      else if (event.key === "ArrowLeft") this.move(-step);
      else if (event.key === "+" || event.key === "=") this.zoom(min, max, 0.5);
      else if (event.key === "-") this.zoom(min, max, 2);
      else if (event.key === "Escape") this.all();
      else return;
      event.preventDefault();
    });
  }

  private visible(min: number, max: number): number {
    return this.x.filter((x) => x >= min && x <= max).length;
  }

  private move(by: number): void {
    this.at = Math.min(Math.max(this.at + by, 0), this.x.length - 1);
    const x = this.x[this.at]!;
    this.plot.setCursor({ left: this.plot.valToPos(x, "x"), top: 10 });
    const values = this.panel.lines.map((line, i) => {
      const value = this.ys[i]?.[this.at];
      return `${line.label} ${value == null ? "absent" : number(value)}`;
    });
    const when = this.moments.origin === null ? `${number(x)} seconds` : this.timeText(x);
    say(`${when}: ${values.join(", ")}`);
  }

  private zoom(min: number, max: number, factor: number): void {
    const middle = Math.min(Math.max(this.x[this.at]!, min), max);
    const low = Math.max(middle - (middle - min) * factor, this.x[0]!);
    const high = Math.min(middle + (max - middle) * factor, this.x[this.x.length - 1]!);
    if (high > low) this.plot.setScale("x", { min: low, max: high });
  }

  private all(): void {
    this.plot.setScale("x", { min: this.x[0]!, max: this.x[this.x.length - 1]! });
  }

  resize(width: number): void {
    this.plot.setSize({ width, height: this.height() });
  }
}

// From zero, so that a height means what it seems to; below zero only where values are.
export function range(low: number | null, high: number | null): [number, number] {
  if (low == null || high == null) return [0, 1];
  const top = high > 0 ? high * 1.05 : high < 0 ? 0 : 1;
  return [low < 0 ? low * 1.05 : 0, top > 0 ? top : 0];
}

export function drawSeries(element: HTMLElement, data: SeriesData, block: ArrayBuffer): Chart[] {
  // One array for all charts: it tells which belong together.
  const x = sameTimes(data, block);
  const figures = element.querySelectorAll<HTMLElement>("[data-panel]");
  return data.panels.flatMap((panel, i) => {
    const figure = figures[i];
    return figure ? [new Chart(figure, panel, x, panel.lines.map((line) => withGaps(arrayOf(block, line.y))))] : [];
  });
}

const times = new Map<number, number[]>();
function sameTimes(data: SeriesData, block: ArrayBuffer): number[] {
  let x = times.get(data.x.at);
  if (!x) times.set(data.x.at, (x = Array.from(arrayOf(block, data.x))));
  return x;
}
