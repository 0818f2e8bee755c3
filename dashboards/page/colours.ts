// Colours of magnitudes: one hue from faint to strong, which is told apart
// without colour vision and in grey print.  Pure, but for reading the theme.

export type Rgb = [number, number, number];

// "#rrggbb" or "#rgb"
export function parseColour(text: string): Rgb {
  const hex = text.trim().replace("#", "");
  const full = hex.length === 3 ? [...hex].map((c) => c + c).join("") : hex;
  return [0, 2, 4].map((at) => parseInt(full.slice(at, at + 2), 16)) as Rgb;
}

// `share` from 0 to 1 along the stops.
export function blend(stops: Rgb[], share: number): string {
  const place = Math.min(Math.max(share, 0), 1) * (stops.length - 1);
  const at = Math.min(Math.floor(place), stops.length - 2);
  const [from, to] = [stops[at]!, stops[at + 1]!];
  const mix = (i: number) => Math.round(from[i]! + (to[i]! - from[i]!) * (place - at));
  return `rgb(${mix(0)},${mix(1)},${mix(2)})`;
}

// Whether dark or light text is read on a colour of the scale (WCAG luminance).
export function isDark(colour: string): boolean {
  const [r, g, b] = (colour.match(/\d+/g) ?? []).map((part) => {
    const c = Number(part) / 255;
    return c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * r! + 0.7152 * g! + 0.0722 * b! < 0.3;
}

// Counts span magnitudes: the root of the share of the greatest, so that small
// ones are told apart; anything above nothing is seen to be so.
const least = 0.12;
export function depth(value: number, greatest: number): number {
  return greatest > 0 && value > 0 ? least + (1 - least) * Math.sqrt(Math.min(value / greatest, 1)) : 0;
}
