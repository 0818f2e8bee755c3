// Where the cells of a heat map lie.  Pure.

export interface MatrixGrid {
  left: number;
  top: number;
  cellWidth: number;
  cellHeight: number;
  rows: number;
  columns: number;
  width: number;
  height: number;
}

export function matrixGrid(rows: number, columns: number, longestRow: number, width: number): MatrixGrid {
  const left = Math.min(24 + longestRow * 7, Math.floor(width / 3));
  const top = 26;
  const cellWidth = Math.max(1, Math.min(64, (width - left - 4) / columns));
  // Square cells of few, low ones of many: at most some 700 pixels high.
  const cellHeight = Math.max(2, Math.min(32, Math.max(cellWidth, 18), 700 / rows));
  return { left, top, cellWidth, cellHeight, rows, columns, width, height: top + cellHeight * rows + 4 };
}

export function matrixCellAt(grid: MatrixGrid, x: number, y: number): [number, number] | null {
  const row = Math.floor((y - grid.top) / grid.cellHeight);
  const column = Math.floor((x - grid.left) / grid.cellWidth);
  return row >= 0 && row < grid.rows && column >= 0 && column < grid.columns ? [row, column] : null;
}

export function matrixMoved(grid: MatrixGrid, [row, column]: [number, number], key: string): [number, number] | null {
  const clamp = (value: number, below: number) => Math.min(Math.max(value, 0), below - 1);
  switch (key) {
    case "ArrowRight":
      return [row, clamp(column + 1, grid.columns)];
    case "ArrowLeft":
      return [row, clamp(column - 1, grid.columns)];
    case "ArrowDown":
      return [clamp(row + 1, grid.rows), column];
    case "ArrowUp":
      return [clamp(row - 1, grid.rows), column];
    case "Home":
      return [row, 0];
    case "End":
      return [row, grid.columns - 1];
  }
  return null;
}

// Every how many names one has room: names are some 12 pixels high or `size` wide.
export function every(pitch: number, size: number): number {
  return Math.max(1, Math.ceil(size / pitch));
}
