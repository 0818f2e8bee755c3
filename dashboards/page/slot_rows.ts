// What the arrays of a slot map say of its entries: owner, lines, places,
// counts.  Pure; slots.ts draws it.
import { arrayOf, type PlaceData, type SlotsData } from "./data";
import { nanoseconds, number, percent } from "./format";
import { entriesOn, linesOf } from "./slot_layout";

export interface Metric {
  label: string;
  evidence: string;
  kind: string;
  values: ArrayLike<number>;
  text: (value: number) => string;
}

// -1 where no slot has a value at all.
export function greatest(metric: Metric): number {
  let most = -1;
  for (let i = 0; i < metric.values.length; i++) if (metric.values[i]! > most) most = metric.values[i]!;
  return most;
}

export class SlotRows {
  readonly place: PlaceData;
  readonly rowOf = new Map<number, number>(); // slot to its row in the arrays
  readonly metrics: Metric[];
  private readonly slot: ArrayLike<number>;
  private readonly pid: ArrayLike<number>;
  private readonly backend: ArrayLike<number>;
  private readonly starts: ArrayLike<number>; // of a row's CPUs; one more than there are rows
  private readonly cpus: ArrayLike<number>;
  private readonly runNs: ArrayLike<number>;

  constructor(
    private readonly data: SlotsData,
    block: ArrayBuffer,
  ) {
    this.slot = arrayOf(block, data.slot);
    this.pid = arrayOf(block, data.pid);
    this.backend = arrayOf(block, data.backend);
    this.starts = arrayOf(block, data.residency.start);
    this.cpus = arrayOf(block, data.residency.cpu);
    this.runNs = arrayOf(block, data.residency.run_ns);
    for (let i = 0; i < this.slot.length; i++) this.rowOf.set(this.slot[i]!, i);
    this.place = data.array ?? this.inOrder();
    const counts = data.metrics.map((m) => ({ ...m, values: arrayOf(block, m.values), text: (v: number) => number(v) }));
    this.metrics = [...counts, this.cpuTime()].filter((m) => greatest(m) >= 0);
  }

  // No line is known: eight slots a strip.
  private inOrder(): PlaceData {
    let entries = 1;
    for (let i = 0; i < this.slot.length; i++) entries = Math.max(entries, this.slot[i]! + 1);
    return { name: "", offset: 0, stride: 8, entries, lines: Math.ceil(entries / 8) };
  }

  private cpuTime(): Metric {
    const values = Float64Array.from({ length: this.slot.length }, (_, row) => {
      let sum = this.starts[row + 1]! > this.starts[row]! ? 0 : NaN;
      for (let at = this.starts[row]!; at < this.starts[row + 1]!; at++) sum += this.runNs[at]!;
      return sum;
    });
    const { evidence, kind } = this.data.residency;
    return { label: "CPU time", evidence, kind, values, text: nanoseconds };
  }

  get hasLines(): boolean {
    return this.data.array !== null;
  }

  active(row: number): boolean {
    return this.metrics.some((m) => m.values[row]! > 0);
  }

  firstActive(): number {
    for (let i = 0; i < this.slot.length; i++) if (this.active(i)) return this.slot[i]!;
    return this.slot[0] ?? 0;
  }

  // Forwards (1) or backwards (-1) from an entry; itself where there is none.
  nextActive(from: number, step: number): number {
    for (let entry = from + step; entry >= 0 && entry < this.place.entries; entry += step) {
      const row = this.rowOf.get(entry);
      if (row !== undefined && this.active(row)) return entry;
    }
    return from;
  }

  // Whether what somebody typed means this entry: "", a slot, "socket 1", part of an owner.
  wanted(typed: string, entry: number, row: number): boolean {
    const text = typed.trim().toLowerCase();
    if (!text) return true;
    const socket = /^socket\s*(\d+)$/.exec(text);
    if (socket) return this.sockets(row).has(Number(socket[1]));
    return `${entry}` === text || this.ownerOf(row).toLowerCase().includes(text);
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

  private knownCpu(id: number): [number, number, number] | undefined {
    return this.data.cpus.find(([cpu]) => cpu === id);
  }

  private placeOf(row: number): string {
    const shares: [number, number][] = [];
    let sum = 0;
    for (let at = this.starts[row]!; at < this.starts[row + 1]!; at++) {
      shares.push([this.cpus[at]!, this.runNs[at]!]);
      sum += this.runNs[at]!;
    }
    if (sum <= 0) return "where it ran: unavailable (sched)";
    shares.sort((a, b) => b[1] - a[1]);
    const named = shares.slice(0, 3).map(([id, ns]) => {
      const known = this.knownCpu(id);
      return `CPU ${id}${known ? ` (core ${known[1]}, socket ${known[2]})` : ""} ${percent(ns, sum)}`;
    });
    return `ran on ${named.join(", ")}${shares.length > 3 ? ` and ${shares.length - 3} more` : ""}`;
  }

  private sockets(row: number): Set<number> {
    const out = new Set<number>();
    for (let at = this.starts[row]!; at < this.starts[row + 1]!; at++) {
      const known = this.knownCpu(this.cpus[at]!);
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
    if (!this.hasLines) return "";
    const [first, last] = linesOf(this.place, entry);
    const others = entriesOn(this.place, [first, last]).filter((other) => other !== entry && this.rowOf.has(other));
    const busy = others.filter((other) => this.active(this.rowOf.get(other)!));
    const where = first === last ? `line ${first}` : `lines ${first} and ${last}`;
    const shared = others.length
      ? `, shared with ${others.length} other owners` + (busy.length ? ` (busy: ${busy.join(", ")})` : "")
      : ", shared with no other owner";
    return where + shared;
  }
}
