// The slot map on a canvas: hover, keyboard and filter.
import { arrayOf, type PlaceData, type SlotsData } from "./data";
import { blend, depth, parseColour, type Rgb } from "./colours";
import { drawScale, hatch, make, onWidth, say, sized } from "./dom";
import { nanoseconds, number, percent } from "./format";
import { entriesOn, entryAt, type Grid, gridFor, lineBox, linesOf, moved, type Piece, piecesOf } from "./slot_layout";
import { colour, onTheme } from "./theme";

interface Metric {
  label: string;
  evidence: string;
  kind: string;
  values: ArrayLike<number>;
  text: (value: number) => string;
}

export class SlotMap {
  private readonly place: PlaceData;
  private readonly rowOf = new Map<number, number>(); // slot to its row in the arrays
  private readonly slot: ArrayLike<number>;
  private readonly pid: ArrayLike<number>;
  private readonly backend: ArrayLike<number>;
  private readonly metrics: Metric[];
  private readonly canvas = make("canvas", {
    tabindex: "0",
    role: "application",
    "aria-roledescription": "slot map",
  });
  private readonly details = make("div", { class: "details-of" });
  private readonly scale = make("canvas", { class: "scale", "aria-hidden": "true" });
  private readonly scaleText = make("span", { class: "faint" });
  private readonly filter = make("input", { type: "search", size: "22", placeholder: "pid, slot, backend, socket" });
  private metric = 0;
  private focus = 0;
  private hover: number | null = null;
  private width = 0;
  private grid: Grid | null = null;

  constructor(
    private readonly element: HTMLElement,
    private readonly data: SlotsData,
    private readonly block: ArrayBuffer,
  ) {
    this.slot = arrayOf(block, data.slot);
    this.pid = arrayOf(block, data.pid);
    this.backend = arrayOf(block, data.backend);
    for (let i = 0; i < this.slot.length; i++) this.rowOf.set(this.slot[i]!, i);
    this.place = data.array ?? this.inOrder();
    this.metrics = data.metrics.map((m) => ({ ...m, values: arrayOf(block, m.values), text: (v: number) => number(v) }));
    this.addCpuTime();
    this.metrics = this.metrics.filter((m) => this.greatest(m) >= 0);
    this.focus = this.firstActive();
    this.build();
  }

  // No line is known: eight slots a strip.
  private inOrder(): PlaceData {
    let entries = 1;
    for (let i = 0; i < this.slot.length; i++) entries = Math.max(entries, this.slot[i]! + 1);
    return { name: "", offset: 0, stride: 8, entries, lines: Math.ceil(entries / 8) };
  }

  private addCpuTime(): void {
    const start = arrayOf(this.block, this.data.residency.start);
    const runNs = arrayOf(this.block, this.data.residency.run_ns);
    const values = Float64Array.from({ length: this.slot.length }, (_, i) => {
      let sum = start[i + 1]! > start[i]! ? 0 : NaN;
      for (let at = start[i]!; at < start[i + 1]!; at++) sum += runNs[at]!;
      return sum;
    });
    this.metrics.push({
      label: "CPU time",
      evidence: this.data.residency.evidence,
      kind: this.data.residency.kind,
      values,
      text: nanoseconds,
    });
  }

  // -1 where no slot has a value at all.
  private greatest(metric: Metric): number {
    let most = -1;
    for (let i = 0; i < metric.values.length; i++) if (metric.values[i]! > most) most = metric.values[i]!;
    return most;
  }

  private active(row: number): boolean {
    return this.metrics.some((m) => m.values[row]! > 0);
  }

  private firstActive(): number {
    for (let i = 0; i < this.slot.length; i++) if (this.active(i)) return this.slot[i]!;
    return this.slot[0] ?? 0;
  }

  private build(): void {
    const choice = make("select", {});
    this.metrics.forEach((m, i) => choice.append(make("option", { value: String(i) }, m.label)));
    choice.addEventListener("change", () => {
      this.metric = Number(choice.value);
      this.draw();
    });
    this.filter.addEventListener("input", () => this.draw());
    const keys = "Arrow keys move, N and P go to the next and previous that did something.";
    this.canvas.setAttribute("aria-label", `Slot map of ${this.place.entries} entries. ${keys}`);
    this.element.append(
      make(
        "div",
        { class: "controls" },
        make("label", {}, "colour by ", choice),
        make("label", {}, "show only ", this.filter),
        this.scale,
        this.scaleText,
      ),
      make("div", { class: "map" }, this.canvas),
      this.details,
      make("p", { class: "faint hint" }, keys + " A cell without an owner is empty; hatched is unavailable."),
    );
    this.listen();
    const box = this.canvas.parentElement!;
    onWidth(box, (width) => this.resize(width));
    onTheme(() => this.draw());
    this.tell(this.focus, false);
  }

  private listen(): void {
    const under = (event: MouseEvent) =>
      this.grid ? entryAt(this.place, this.grid, event.offsetX, event.offsetY) : null;
    this.canvas.addEventListener("mousemove", (event) => {
      const entry = under(event);
      if (entry === this.hover) return;
      this.hover = entry;
      this.draw();
      this.tell(entry ?? this.focus, false);
    });
    this.canvas.addEventListener("mouseleave", () => {
      this.hover = null;
      this.draw();
      this.tell(this.focus, false);
    });
    this.canvas.addEventListener("click", (event) => this.go(under(event)));
    this.canvas.addEventListener("focus", () => {
      this.draw();
      this.tell(this.focus, true);
    });
    this.canvas.addEventListener("blur", () => this.draw());
    this.canvas.addEventListener("keydown", (event) => {
      if (event.ctrlKey || event.altKey || event.metaKey || !this.grid) return;
      const step = event.key.toLowerCase() === "n" ? 1 : event.key.toLowerCase() === "p" ? -1 : 0;
      const to = step ? this.nextActive(step) : moved(this.place, this.grid, this.focus, event.key);
      if (to === null) return;
      event.preventDefault();
      this.go(to);
    });
  }

  private nextActive(step: number): number {
    for (let entry = this.focus + step; entry >= 0 && entry < this.place.entries; entry += step) {
      const row = this.rowOf.get(entry);
      if (row !== undefined && this.active(row)) return entry;
    }
    return this.focus;
  }

  private go(entry: number | null): void {
    if (entry === null) return;
    this.focus = entry;
    this.draw();
    this.tell(entry, true);
    this.scrollTo(entry);
  }

  private scrollTo(entry: number): void {
    const box = this.canvas.parentElement!;
    const piece = this.grid && piecesOf(this.place, this.grid, entry)[0];
    if (!piece) return;
    if (piece.y < box.scrollTop) box.scrollTop = piece.y;
    else if (piece.y + piece.height > box.scrollTop + box.clientHeight)
      box.scrollTop = piece.y + piece.height - box.clientHeight;
  }

  resize(width: number): void {
    this.width = width;
    this.draw();
  }

  // ---- what is said of an entry

  private placeOf(row: number): string {
    const { start, cpu, run_ns } = this.data.residency;
    const [starts, cpus, runNs] = [arrayOf(this.block, start), arrayOf(this.block, cpu), arrayOf(this.block, run_ns)];
    const shares: [number, number][] = [];
    let sum = 0;
    for (let at = starts[row]!; at < starts[row + 1]!; at++) {
      shares.push([cpus[at]!, runNs[at]!]);
      sum += runNs[at]!;
    }
    if (sum <= 0) return "where it ran: unavailable (sched)";
    shares.sort((a, b) => b[1] - a[1]);
    const named = shares.slice(0, 3).map(([id, ns]) => {
      const known = this.data.cpus.find(([number]) => number === id);
      return `CPU ${id}${known ? ` (core ${known[1]}, socket ${known[2]})` : ""} ${percent(ns, sum)}`;
    });
    return `ran on ${named.join(", ")}${shares.length > 3 ? ` and ${shares.length - 3} more` : ""}`;
  }

  private sockets(row: number): Set<number> {
    const starts = arrayOf(this.block, this.data.residency.start);
    const cpus = arrayOf(this.block, this.data.residency.cpu);
    const out = new Set<number>();
    for (let at = starts[row]!; at < starts[row + 1]!; at++) {
      const known = this.data.cpus.find(([number]) => number === cpus[at]);
      if (known) out.add(known[2]);
    }
    return out;
  }

  private ownerOf(row: number): string {
    const pid = this.pid[row]!;
    const backend = this.data.backends[this.backend[row]!] ?? "";
    return (pid > 0 ? `pid ${pid}` : "free at the end") + (backend ? `, ${backend}` : "");
  }

  private lineText(entry: number): string {
    if (!this.data.array) return "";
    const [first, last] = linesOf(this.place, entry);
    const others = entriesOn(this.place, [first, last]).filter((other) => other !== entry && this.rowOf.has(other));
    const busy = others.filter((other) => this.active(this.rowOf.get(other)!));
    const where = first === last ? `line ${first}` : `lines ${first} and ${last}`;
    const shared = others.length
      ? `, shared with ${others.length} other owners` + (busy.length ? ` (busy: ${busy.join(", ")})` : "")
      : ", shared with no other owner";
    return where + shared;
  }

  describe(entry: number): string[] {
    const row = this.rowOf.get(entry);
    const parts = [`slot ${entry}`];
    if (row === undefined) return [...parts, "no owner during the run", this.lineText(entry)].filter((part) => part);
    parts.push(this.ownerOf(row), this.lineText(entry), this.placeOf(row));
    for (const m of this.metrics) {
      const value = m.values[row]!;
      parts.push(`${m.label} ${Number.isNaN(value) ? "unavailable" : m.text(value)}`);
    }
    return parts.filter((part) => part);
  }

  private tell(entry: number, aloud: boolean): void {
    const parts = this.describe(entry);
    this.details.replaceChildren(
      make("b", {}, parts[0]!),
      ...parts.slice(1).map((part) => make("span", {}, make("bdi", {}, part))),
    );
    if (aloud) say(parts.join("; "));
  }

  // ---- drawing

  private wanted(entry: number, row: number): boolean {
    const text = this.filter.value.trim().toLowerCase();
    if (!text) return true;
    const socket = /^socket\s*(\d+)$/.exec(text);
    if (socket) return this.sockets(row).has(Number(socket[1]));
    return `${entry}` === text || this.ownerOf(row).toLowerCase().includes(text);
  }

  draw(): void {
    if (this.width <= 0) return;
    const grid = (this.grid = gridFor(this.place, this.width));
    const pen = sized(this.canvas, grid.width, grid.height);
    const stops = [colour("--heat-0"), colour("--heat-1"), colour("--heat-2")].map(parseColour);
    const metric = this.metrics[this.metric];
    const most = metric ? this.greatest(metric) : 0;
    this.drawLines(pen, grid);
    this.drawCells(pen, grid, stops, metric, most);
    this.drawMarks(pen, grid);
    this.drawLegend(stops, metric, most);
  }

  private drawLines(pen: CanvasRenderingContext2D, grid: Grid): void {
    pen.fillStyle = colour("--line-strip");
    for (let line = 0; line < this.place.lines; line++) {
      const box = lineBox(grid, line);
      pen.fillRect(box.x, box.y, box.width, box.height);
    }
    pen.fillStyle = colour("--ink-2");
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const every = grid.lineHeight < 12 ? 2 : 1;
    for (let row = 0; row * grid.columns < this.place.lines; row += every) {
      const line = row * grid.columns;
      pen.fillText(String(this.data.array ? line : line * 8), grid.left - 8, lineBox(grid, line).y + grid.lineHeight / 2);
    }
  }

  private drawCells(pen: CanvasRenderingContext2D, grid: Grid, stops: Rgb[], metric: Metric | undefined, most: number): void {
    const absent = hatch(pen, "absent", colour("--ink-2"));
    const modelled = metric ? hatch(pen, metric.kind, colour("--ink")) : null;
    for (const [entry, row] of this.rowOf) {
      if (entry >= this.place.entries) continue;
      const value = metric ? metric.values[row]! : NaN;
      pen.globalAlpha = this.wanted(entry, row) ? 1 : 0.12;
      for (const piece of piecesOf(this.place, grid, entry)) {
        const inner = { ...piece, width: Math.max(piece.width - 1, 1) };
        this.fill(pen, inner, Number.isNaN(value) ? colour("--paper") : blend(stops, depth(value, most)));
        const lines = Number.isNaN(value) ? absent : modelled;
        if (lines) this.fill(pen, inner, lines);
      }
    }
    pen.globalAlpha = 1;
  }

  private fill(pen: CanvasRenderingContext2D, piece: Piece, style: string | CanvasPattern): void {
    pen.fillStyle = style;
    pen.fillRect(piece.x, piece.y, piece.width, piece.height);
  }

  // The line that the entry shares, then the entry itself.
  private drawMarks(pen: CanvasRenderingContext2D, grid: Grid): void {
    const focused = document.activeElement === this.canvas;
    const entry = this.hover ?? (focused ? this.focus : null);
    if (entry === null) return;
    const frame = (piece: Piece, style: string, width: number) => {
      pen.strokeStyle = style;
      pen.lineWidth = width;
      pen.strokeRect(piece.x - 1, piece.y - 1, piece.width + 2, piece.height + 2);
    };
    if (this.data.array) {
      const [first, last] = linesOf(this.place, entry);
      for (let line = first; line <= last; line++) frame(lineBox(grid, line), colour("--accent"), 1.5);
    }
    // Seen on the faintest and on the strongest colour.
    for (const piece of piecesOf(this.place, grid, entry)) {
      frame(piece, colour("--paper"), 5);
      frame(piece, colour("--mark"), 2.5);
    }
  }

  private drawLegend(stops: Rgb[], metric: Metric | undefined, most: number): void {
    drawScale(this.scale, stops, metric?.kind ?? "absent");
    this.scaleText.textContent = metric ? `0 to ${metric.text(Math.max(most, 0))}, ${metric.evidence}` : "unavailable";
  }
}
