// The slot map on a canvas: hover, keyboard and filter.
import type { SlotsData } from "./data";
import { blend, depth, parseColour, type Rgb } from "./colours";
import { drawScale, hatch, make, onWidth, say, sized } from "./dom";
import { entryAt, type Grid, gridFor, lineBox, linesOf, moved, type Piece, piecesOf } from "./slot_layout";
import { greatest, type Metric, SlotRows } from "./slot_rows";
import { colour, onTheme } from "./theme";

export class SlotMap {
  private rows: SlotRows;
  private readonly canvas = make("canvas", {
    tabindex: "0",
    role: "application",
    "aria-roledescription": "slot map",
  });
  private readonly details = make("div", { class: "details-of" });
  private readonly scale = make("canvas", { class: "scale", "aria-hidden": "true" });
  private readonly scaleText = make("span", { class: "faint" });
  private readonly choice = make("select", {});
  private readonly filter = make("input", { type: "search", size: "22", placeholder: "pid, slot, backend, socket" });
  private metric = 0;
  private focus = 0;
  private hover: number | null = null;
  private width = 0;
  private grid: Grid | null = null;

  constructor(
    private readonly element: HTMLElement,
    data: SlotsData,
    block: ArrayBuffer,
  ) {
    this.rows = new SlotRows(data, block);
    this.focus = this.rows.firstActive();
    this.build();
  }

  // The same map with other numbers: of another moment.
  update(data: SlotsData, block: ArrayBuffer): void {
    const label = this.rows.metrics[this.metric]?.label;
    this.rows = new SlotRows(data, block);
    this.offer(label);
    this.focus = Math.min(this.focus, this.rows.place.entries - 1);
    this.draw();
    this.tell(this.hover ?? this.focus, false);
  }

  // The metrics to colour by; the one named `label` stays chosen.
  private offer(label?: string): void {
    const names = this.rows.metrics.map((m) => m.label);
    this.metric = Math.max(names.indexOf(label ?? ""), 0);
    const offered = Array.from(this.choice.options, (option) => option.text);
    if (names.join() !== offered.join())
      this.choice.replaceChildren(...names.map((name, i) => make("option", { value: String(i) }, name)));
    this.choice.value = String(this.metric);
  }

  private build(): void {
    this.offer();
    this.choice.addEventListener("change", () => {
      this.metric = Number(this.choice.value);
      this.draw();
    });
    this.filter.addEventListener("input", () => this.draw());
    const keys = "Arrow keys move, N and P go to the next and previous that did something.";
    this.canvas.setAttribute("aria-label", `Slot map of ${this.rows.place.entries} entries. ${keys}`);
    this.element.append(
      make(
        "div",
        { class: "controls" },
        make("label", {}, "colour by ", this.choice),
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
      this.grid ? entryAt(this.rows.place, this.grid, event.offsetX, event.offsetY) : null;
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
      const to = step ? this.rows.nextActive(this.focus, step) : moved(this.rows.place, this.grid, this.focus, event.key);
      if (to === null) return;
      event.preventDefault();
      this.go(to);
    });
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
    const piece = this.grid && piecesOf(this.rows.place, this.grid, entry)[0];
    if (!piece) return;
    if (piece.y < box.scrollTop) box.scrollTop = piece.y;
    else if (piece.y + piece.height > box.scrollTop + box.clientHeight)
      box.scrollTop = piece.y + piece.height - box.clientHeight;
  }

  resize(width: number): void {
    this.width = width;
    this.draw();
  }

  private tell(entry: number, aloud: boolean): void {
    const parts = this.rows.describe(entry);
    this.details.replaceChildren(
      make("b", {}, parts[0]!),
      ...parts.slice(1).map((part) => make("span", {}, make("bdi", {}, part))),
    );
    if (aloud) say(parts.join("; "));
  }

  draw(): void {
    if (this.width <= 0) return;
    const grid = (this.grid = gridFor(this.rows.place, this.width));
    const pen = sized(this.canvas, grid.width, grid.height);
    const stops = [colour("--heat-0"), colour("--heat-1"), colour("--heat-2")].map(parseColour);
    const metric = this.rows.metrics[this.metric];
    const most = metric ? greatest(metric) : 0;
    this.drawLines(pen, grid);
    this.drawCells(pen, grid, stops, metric, most);
    this.drawMarks(pen, grid);
    this.drawLegend(stops, metric, most);
  }

  private drawLines(pen: CanvasRenderingContext2D, grid: Grid): void {
    pen.fillStyle = colour("--line-strip");
    for (let line = 0; line < this.rows.place.lines; line++) {
      const box = lineBox(grid, line);
      pen.fillRect(box.x, box.y, box.width, box.height);
    }
    pen.fillStyle = colour("--ink-2");
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "right";
    pen.textBaseline = "middle";
    const every = grid.lineHeight < 12 ? 2 : 1;
    for (let row = 0; row * grid.columns < this.rows.place.lines; row += every) {
      const line = row * grid.columns;
      pen.fillText(String(this.rows.hasLines ? line : line * 8), grid.left - 8, lineBox(grid, line).y + grid.lineHeight / 2);
    }
  }

  private drawCells(pen: CanvasRenderingContext2D, grid: Grid, stops: Rgb[], metric: Metric | undefined, most: number): void {
    const absent = hatch(pen, "absent", colour("--ink-2"));
    const modelled = metric ? hatch(pen, metric.kind, colour("--ink")) : null;
    for (const [entry, row] of this.rows.rowOf) {
      if (entry >= this.rows.place.entries) continue;
      const value = metric ? metric.values[row]! : NaN;
      pen.globalAlpha = this.rows.wanted(this.filter.value, entry, row) ? 1 : 0.12;
      for (const piece of piecesOf(this.rows.place, grid, entry)) {
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
    if (this.rows.hasLines) {
      const [first, last] = linesOf(this.rows.place, entry);
      for (let line = first; line <= last; line++) frame(lineBox(grid, line), colour("--accent"), 1.5);
    }
    // Seen on the faintest and on the strongest colour.
    for (const piece of piecesOf(this.rows.place, grid, entry)) {
      frame(piece, colour("--paper"), 5);
      frame(piece, colour("--mark"), 2.5);
    }
  }

  private drawLegend(stops: Rgb[], metric: Metric | undefined, most: number): void {
    drawScale(this.scale, stops, metric?.kind ?? "absent");
    this.scaleText.textContent = metric ? `0 to ${metric.text(Math.max(most, 0))}, ${metric.evidence}` : "unavailable";
  }
}
