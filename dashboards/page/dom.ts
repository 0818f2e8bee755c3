// The few things that every view does with the document.
import { blend, type Rgb } from "./colours";
import { colour } from "./theme";

type Child = Node | string;

export function make<K extends keyof HTMLElementTagNameMap>(
  name: K,
  attributes: Record<string, string> = {},
  ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) element.setAttribute(key, value);
  element.append(...children);
  return element;
}

// Says it to a screen reader.
export function say(text: string): void {
  const region = document.getElementById("said");
  if (region) region.textContent = text;
}

// A canvas of that size in CSS pixels, sharp on this screen.
export function sized(canvas: HTMLCanvasElement, width: number, height: number): CanvasRenderingContext2D {
  const ratio = Math.max(window.devicePixelRatio || 1, 1);
  canvas.width = Math.round(width * ratio);
  canvas.height = Math.round(height * ratio);
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  if (!context) throw new Error("this browser has no canvas");
  context.setTransform(ratio, 0, 0, ratio, 0, 0);
  return context;
}

// Calls `draw` with the width that the element has now and gets later.
export function onWidth(element: HTMLElement, draw: (width: number) => void): void {
  let last = 0;
  new ResizeObserver(() => {
    const width = Math.floor(element.clientWidth);
    if (width > 0 && width !== last) draw((last = width));
  }).observe(element);
}

// From nothing to the greatest, with the lines of the kind of evidence.
export function drawScale(canvas: HTMLCanvasElement, stops: Rgb[], kind: string): void {
  const [width, height] = [96, 10];
  const pen = sized(canvas, width, height);
  for (let x = 0; x < width; x++) {
    pen.fillStyle = blend(stops, x / (width - 1));
    pen.fillRect(x, 0, 1, height);
  }
  const lines = hatch(pen, kind, colour("--ink"));
  if (!lines) return;
  pen.fillStyle = lines;
  pen.fillRect(0, 0, width, height);
}

// Thin lines over a colour: what is modelled, emulated or inferred looks it
// also where no legend is near.
export function hatch(context: CanvasRenderingContext2D, kind: string, ink: string): CanvasPattern | null {
  if (kind !== "modelled" && kind !== "emulated" && kind !== "inferred" && kind !== "absent") return null;
  const tile = document.createElement("canvas");
  tile.width = tile.height = 8;
  const pen = tile.getContext("2d");
  if (!pen) return null;
  pen.strokeStyle = pen.fillStyle = ink;
  pen.globalAlpha = 0.45;
  pen.beginPath();
  if (kind === "inferred") pen.arc(4, 4, 1.2, 0, 2 * Math.PI);
  else for (const x of [-8, 0, 8]) pen.moveTo(x, 8), pen.lineTo(x + 8, 0);
  if (kind === "modelled") for (const x of [-8, 0, 8]) pen.moveTo(x, 0), pen.lineTo(x + 8, 8);
  if (kind === "inferred") pen.fill();
  else pen.stroke();
  return context.createPattern(tile, "repeat");
}
