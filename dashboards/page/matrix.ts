// A heat map on a canvas, with hover and keyboard.
import { arrayOf, type MatrixData } from "./data";
import { blend, isDark, depth, parseColour, type Rgb } from "./colours";
import { drawScale, hatch, make, onWidth, say, sized } from "./dom";
import { number, percent, short } from "./format";
import { every, type MatrixGrid, matrixCellAt, matrixGrid, matrixMoved } from "./matrix_layout";
import { colour, onTheme } from "./theme";

export class HeatMap {
  private readonly counts: ArrayLike<number>;
  private readonly canvas = make("canvas", {
    tabindex: "0",
    role: "application",
    "aria-roledescription": "heat map",
  });
  private readonly details = make("div", { class: "details-of" });
  private readonly scale = make("canvas", { class: "scale", "aria-hidden": "true" });
  private readonly most: number;
  private readonly sum: number;
  private at: [number, number] = [0, 0];
  private hover: [number, number] | null = null;
  private grid: MatrixGrid | null = null;
  private width = 0;

  constructor(
    element: HTMLElement,
    private readonly data: MatrixData,
    block: ArrayBuffer,
  ) {
    this.counts = arrayOf(block, data.counts);
    let [most, sum] = [0, 0];
    for (let i = 0; i < this.counts.length; i++) {
      most = Math.max(most, this.counts[i]!);
      sum += this.counts[i]!;
      if (this.counts[i] === most && most > 0) this.at = [Math.floor(i / data.columns.length), i % data.columns.length];
    }
    [this.most, this.sum] = [most, sum];
    this.canvas.setAttribute("aria-label", `Heat map: ${data.title}. Arrow keys move from cell to cell.`);
    const box = make("div", { class: "map" }, this.canvas);
    const to = make("span", { class: "faint" }, `0 to ${number(most)}${data.unit ? " " + data.unit : ""}`);
    element.append(make("div", { class: "controls" }, this.scale, to), box, this.details);
    this.listen();
    onWidth(box, (width) => this.resize(width));
    onTheme(() => this.draw());
    this.tell(this.at, false);
  }

  private listen(): void {
    this.canvas.addEventListener("mousemove", (event) => {
      this.hover = this.grid && matrixCellAt(this.grid, event.offsetX, event.offsetY);
      this.draw();
      this.tell(this.hover ?? this.at, false);
    });
    this.canvas.addEventListener("mouseleave", () => {
      this.hover = null;
      this.draw();
      this.tell(this.at, false);
    });
    for (const name of ["focus", "blur"] as const)
      this.canvas.addEventListener(name, () => {
        this.draw();
        this.tell(this.at, name === "focus");
      });
    this.canvas.addEventListener("keydown", (event) => {
      const to = this.grid && matrixMoved(this.grid, this.at, event.key);
      if (!to || event.ctrlKey || event.altKey || event.metaKey) return;
      event.preventDefault();
      this.at = to;
      this.draw();
      this.tell(to, true);
    });
  }

  private value([row, column]: [number, number]): number {
    return this.counts[row * this.data.columns.length + column]!;
  }

  private tell(cell: [number, number], aloud: boolean): void {
    const value = this.value(cell);
    const { rows, columns, unit } = this.data;
    const parts = [
      `${rows[cell[0]]}`,
      `${this.data.title.startsWith("transfers") ? "from" : "of"} ${columns[cell[1]]}`,
      `${number(value, 6)}${unit ? " " + unit : ""}`,
      percent(value, this.sum) ? `${percent(value, this.sum)} of all` : "",
      this.data.kind,
    ].filter((part) => part);
    this.details.replaceChildren(
      make("b", {}, make("bdi", {}, parts[0]!)),
      ...parts.slice(1).map((part) => make("span", {}, make("bdi", {}, part))),
    );
    if (aloud) say(parts.join(", "));
  }

  resize(width: number): void {
    this.width = width;
    this.draw();
  }

  draw(): void {
    if (this.width <= 0) return;
    const longest = Math.max(...this.data.rows.map((name) => name.length));
    const grid = (this.grid = matrixGrid(this.data.rows.length, this.data.columns.length, longest, this.width));
    const pen = sized(this.canvas, grid.width, grid.height);
    const stops = [colour("--heat-0"), colour("--heat-1"), colour("--heat-2")].map(parseColour);
    drawScale(this.scale, stops, this.data.kind);
    this.drawCells(pen, grid, stops);
    this.drawNames(pen, grid);
    this.drawMark(pen, grid);
  }

  private drawCells(pen: CanvasRenderingContext2D, grid: MatrixGrid, stops: Rgb[]): void {
    const [onLight, onDark] = ["#111", "#fff"].map((ink) => hatch(pen, this.data.kind, ink));
    const gap = grid.cellWidth > 4 ? 1 : 0;
    pen.font = "11px system-ui, sans-serif";
    pen.textAlign = "center";
    pen.textBaseline = "middle";
    for (let row = 0; row < grid.rows; row++)
      for (let column = 0; column < grid.columns; column++) {
        const value = this.value([row, column]);
        const [x, y] = [grid.left + column * grid.cellWidth, grid.top + row * grid.cellHeight];
        const fill = blend(stops, depth(value, this.most));
        pen.fillStyle = fill;
        pen.fillRect(x, y, grid.cellWidth - gap, grid.cellHeight - gap);
        const written = grid.cellWidth >= 38 && grid.cellHeight >= 14;
        const lines = isDark(fill) ? onDark : onLight;
        if (lines && value > 0) {
          pen.fillStyle = lines;
          // Under a number the lines would be in its way: they stay at the rim.
          if (!written) pen.fillRect(x, y, grid.cellWidth - gap, grid.cellHeight - gap);
          else pen.fillRect(x, y + grid.cellHeight - gap - 7, grid.cellWidth - gap, 7);
        }
        if (!written) continue;
        pen.fillStyle = isDark(fill) ? "#fff" : "#111";
        pen.fillText(value < 1e4 ? number(value) : short(value), x + grid.cellWidth / 2, y + (grid.cellHeight - (lines ? 6 : 0)) / 2);
      }
  }

  private drawNames(pen: CanvasRenderingContext2D, grid: MatrixGrid): void {
    pen.fillStyle = colour("--ink-2");
    pen.textBaseline = "middle";
    pen.textAlign = "right";
    const rowStep = every(grid.cellHeight, 14);
    for (let row = 0; row < grid.rows; row += rowStep)
      pen.fillText(this.data.rows[row]!, grid.left - 6, grid.top + (row + 0.5) * grid.cellHeight, grid.left - 8);
    pen.textAlign = "center";
    const longest = Math.max(...this.data.columns.map((name) => name.length));
    const columnStep = every(grid.cellWidth, longest * 6.5 + 6);
    for (let column = 0; column < grid.columns; column += columnStep)
      pen.fillText(this.data.columns[column]!, grid.left + (column + 0.5) * grid.cellWidth, 14);
  }

  private drawMark(pen: CanvasRenderingContext2D, grid: MatrixGrid): void {
    const cell = this.hover ?? (document.activeElement === this.canvas ? this.at : null);
    if (!cell) return;
    pen.strokeStyle = colour("--ink");
    pen.lineWidth = 2;
    pen.strokeRect(
      grid.left + cell[1] * grid.cellWidth,
      grid.top + cell[0] * grid.cellHeight,
      grid.cellWidth - 1,
      grid.cellHeight - 1,
    );
  }
}
