// Draws what the program left in the page.  The page reads without all this.
import { bytesOf, type ViewData } from "./data";
import { HeatMap } from "./matrix";
import { type Chart, drawSeries } from "./series";
import { SlotMap } from "./slots";
import { redrawAll, themeButton } from "./theme";

type Resizable = Chart | SlotMap | HeatMap;
const drawn: Resizable[] = [];
const waiting = new Map<Element, () => void>();

function content(id: string): string {
  return document.getElementById(id)?.textContent ?? "";
}

function draw(element: HTMLElement, view: ViewData, block: ArrayBuffer): void {
  switch (view.view) {
    case "series":
      drawn.push(...drawSeries(element, view, block));
      break;
    case "slots":
      drawn.push(new SlotMap(element, view, block));
      break;
    case "matrix":
      drawn.push(new HeatMap(element, view, block));
      break;
  }
}

// A chart is made when it is about to be seen: a page of many runs opens as fast as one.
function drawWhenSeen(views: ViewData[], block: ArrayBuffer): void {
  const observer = new IntersectionObserver(
    (entries) => {
      for (const entry of entries) if (entry.isIntersecting) drawNow(entry.target);
    },
    { rootMargin: "600px" },
  );
  const drawNow = (element: Element) => {
    observer.unobserve(element);
    const make = waiting.get(element);
    waiting.delete(element);
    make?.();
  };
  document.querySelectorAll<HTMLElement>("[data-view]").forEach((element) => {
    const view = views[Number(element.dataset.view)];
    if (!view) return;
    waiting.set(element, () => draw(element, view, block));
    observer.observe(element);
  });
  onPrint(() => [...waiting.keys()].forEach(drawNow));
}

// Tables are folded on the screen; in print the short ones are open.
const longestPrinted = 60;
function fold(): void {
  for (const details of document.querySelectorAll("details")) details.open = details.classList.contains("kinds");
}

// Paper is light and narrow, and nobody can open anything on it.
function onPrint(drawAll: () => void): void {
  let opened: HTMLDetailsElement[] = [];
  let theme: string | undefined;
  addEventListener("beforeprint", () => {
    opened = [...document.querySelectorAll<HTMLDetailsElement>("details:not([open])")].filter(
      (details) => details.querySelectorAll("tr").length <= longestPrinted && !details.querySelector("[data-view]"),
    );
    for (const details of opened) details.open = true;
    theme = document.documentElement.dataset.theme;
    document.documentElement.dataset.theme = "light";
    drawAll();
    redrawAll();
  });
  addEventListener("afterprint", () => {
    for (const details of opened) details.open = false;
    if (theme) document.documentElement.dataset.theme = theme;
    else delete document.documentElement.dataset.theme;
    redrawAll();
  });
}

document.documentElement.classList.add("scripted");
document.getElementById("tools")?.append(themeButton());
fold();
drawWhenSeen(JSON.parse(content("views")) as ViewData[], bytesOf(content("arrays")));
