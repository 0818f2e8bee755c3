// The drawn views of the live page: made when they come into sight, and given
// new numbers for as long as they are the same picture.
import type { SeriesData, SlotsData, ViewData } from "./data";
import { HeatMap } from "./matrix";
import { Points, shapeOf } from "./points";
import { Chart, type Moments } from "./series";
import { SlotMap } from "./slots";

export interface Numbers {
  views: ViewData[];
  block: ArrayBuffer;
  whole: boolean; // all points of the series, not only those of the last window
  keptFrom: number; // seconds
  moments: Moments;
}

interface Live {
  // Whether it could take them; else another picture must stand here.
  take(view: ViewData, numbers: Numbers): boolean;
  draw(): void;
  gone(): void;
}

class LiveSeries implements Live {
  private readonly points: Points;
  private readonly shape: string;
  private charts: Chart[] | null = null;

  constructor(
    private readonly element: HTMLElement,
    private readonly data: SeriesData,
    private readonly numbers: Numbers,
  ) {
    this.points = new Points(data, numbers.block);
    this.shape = shapeOf(data);
  }

  take(view: ViewData, numbers: Numbers): boolean {
    if (view.view !== "series" || shapeOf(view) !== this.shape) return false;
    if (numbers.whole) Object.assign(this.points, new Points(view, numbers.block));
    else this.points.append(view, numbers.block, numbers.keptFrom);
    return true;
  }

  draw(): void {
    const { x, ys } = this.points;
    if (this.charts) return this.charts.forEach((chart, i) => chart.update(x, ys[i]!));
    const figures = this.element.querySelectorAll<HTMLElement>("[data-panel]");
    this.charts = this.data.panels.map((panel, i) => new Chart(figures[i]!, panel, x, ys[i]!, this.numbers.moments));
  }

  gone(): void {
    this.charts?.forEach((chart) => chart.remove());
  }
}

class LiveSlots implements Live {
  private map: SlotMap | null = null;
  constructor(
    private readonly element: HTMLElement,
    private data: SlotsData,
    private block: ArrayBuffer,
  ) {}

  take(view: ViewData, numbers: Numbers): boolean {
    if (view.view !== "slots") return false;
    [this.data, this.block] = [view, numbers.block];
    return true;
  }

  draw(): void {
    if (this.map) this.map.update(this.data, this.block);
    else this.map = new SlotMap(this.element, this.data, this.block);
  }

  gone(): void {}
}

// A matrix is drawn anew where it changes: nothing of it is kept.
function fixed(element: HTMLElement, view: ViewData, block: ArrayBuffer): Live {
  let drawn = false;
  return {
    take: () => false,
    draw: () => {
      if (!drawn && view.view === "matrix") new HeatMap(element, view, block);
      drawn = true;
    },
    gone: () => {},
  };
}

export class LiveViews {
  private readonly known = new Map<Element, Live>();
  private readonly seen = new Set<Element>();
  private readonly observer = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) this.seen.delete(target);
        else {
          this.seen.add(target);
          this.known.get(target)?.draw();
        }
      }
    },
    { rootMargin: "300px" },
  );

  // Every view at or below ELEMENT.
  add(element: Element, numbers: Numbers): void {
    for (const place of within(element)) {
      const view = numbers.views[Number(place.dataset.view)];
      if (!view) continue;
      this.known.set(place, liveOf(place, view, numbers));
      this.observer.observe(place);
    }
  }

  remove(element: Element): void {
    for (const place of within(element)) {
      this.observer.unobserve(place);
      this.seen.delete(place);
      this.known.get(place)?.gone();
      this.known.delete(place);
    }
  }

  take(place: Element, view: ViewData | undefined, numbers: Numbers): boolean {
    if (!view || !this.known.get(place)?.take(view, numbers)) return false;
    if (this.seen.has(place)) this.known.get(place)!.draw();
    return true;
  }

  redraw(): void {
    for (const place of this.seen) this.known.get(place)?.draw();
  }

  drawAll(): void {
    for (const live of this.known.values()) live.draw();
  }
}

function liveOf(element: HTMLElement, view: ViewData, numbers: Numbers): Live {
  switch (view.view) {
    case "series":
      return new LiveSeries(element, view, numbers);
    case "slots":
      return new LiveSlots(element, view, numbers.block);
    case "matrix":
      return fixed(element, view, numbers.block);
  }
}

function within(element: Element): HTMLElement[] {
  const below = [...element.querySelectorAll<HTMLElement>("[data-view]")];
  return element instanceof HTMLElement && element.dataset.view !== undefined ? [element, ...below] : below;
}
