// Numbers as the tables of the page write them (base/numbers.hpp).  Pure.

// Digits in groups of three, by a space that does not break.
export function grouped(value: number): string {
  const [whole, fraction] = Math.abs(value).toString().split(".");
  const groups = (whole ?? "0").replace(/\B(?=(\d{3})+$)/g, "\u00a0");
  return (value < 0 ? "-" : "") + groups + (fraction ? "." + fraction : "");
}

// `digits` significant digits, no exponent.
export function number(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return "absent";
  if (value === 0) return "0";
  const magnitude = Math.floor(Math.log10(Math.abs(value)));
  const decimals = Math.min(Math.max(digits - 1 - magnitude, 0), 12);
  return grouped(Number(value.toFixed(decimals)));
}

// For an axis: 12000 -> "12k".
export function short(value: number): string {
  const size = Math.abs(value);
  for (const [unit, letter] of [[1e12, "T"], [1e9, "G"], [1e6, "M"], [1e3, "k"]] as const)
    if (size >= unit) return Number((value / unit).toPrecision(4)) + letter;
  return String(Number(value.toPrecision(4)));
}

export function nanoseconds(ns: number): string {
  for (const [unit, name] of [[1e9, "s"], [1e6, "ms"], [1e3, "us"]] as const)
    if (ns >= unit) return number(ns / unit) + " " + name;
  return number(ns) + " ns";
}

export function percent(part: number, whole: number): string {
  return whole > 0 ? ((100 * part) / whole).toFixed(1) + " %" : "";
}

// The time of day, in the reader's zone.
export function clock(ms: number): string {
  const at = new Date(ms);
  return [at.getHours(), at.getMinutes(), at.getSeconds()].map((part) => String(part).padStart(2, "0")).join(":");
}
