// What the program packed into the page: small things as JSON, arrays in one
// block of bytes (dashboards/src/pack.hpp).  Pure.

export interface ArrayRef {
  type: "f32" | "f64" | "u32";
  at: number; // byte
  count: number;
}

export type Numbers = Float32Array | Float64Array | Uint32Array;

export function bytesOf(base64: string): ArrayBuffer {
  const text = atob(base64.trim());
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  return bytes.buffer;
}

// A view into the block; throws where the reference lies outside.
export function arrayOf(block: ArrayBuffer, ref: ArrayRef): Numbers {
  switch (ref.type) {
    case "f32":
      return new Float32Array(block, ref.at, ref.count);
    case "f64":
      return new Float64Array(block, ref.at, ref.count);
    case "u32":
      return new Uint32Array(block, ref.at, ref.count);
  }
}

// NaN says that nobody could tell: a gap in a line, never a zero.
export function withGaps(values: Numbers): (number | null)[] {
  return Array.from(values, (value) => (Number.isNaN(value) ? null : value));
}

export interface LineData {
  label: string;
  kind: string;
  source: string;
  y: ArrayRef;
}
export interface PanelData {
  title: string;
  unit: string;
  small: boolean;
  lines: LineData[];
}
export interface SeriesData {
  view: "series";
  x: ArrayRef;
  panels: PanelData[];
}
export interface MetricData {
  label: string;
  evidence: string;
  kind: string;
  values: ArrayRef;
}
export interface PlaceData {
  name: string;
  offset: number;
  stride: number;
  entries: number;
  lines: number;
}
export interface SlotsData {
  view: "slots";
  array: PlaceData | null;
  slot: ArrayRef;
  pid: ArrayRef;
  backend: ArrayRef;
  backends: string[];
  metrics: MetricData[];
  residency: { evidence: string; kind: string; start: ArrayRef; cpu: ArrayRef; run_ns: ArrayRef };
  cpus: [number, number, number][]; // cpu, core, socket
}
export interface MatrixData {
  view: "matrix";
  title: string;
  unit: string;
  kind: string;
  rows: string[];
  columns: string[];
  row_axis: string;
  column_axis: string;
  counts: ArrayRef;
}
export type ViewData = SeriesData | SlotsData | MatrixData;
