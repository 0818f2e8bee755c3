// Draws what the program left in the page.  The page reads without all this.
import { bytesOf, type ViewData } from "./data";
import { HeatMap } from "./matrix";
import { content, fold, onPrint } from "./page";
import { type Chart, drawSeries } from "./series";
import { SlotMap } from "./slots";
import { themeButton } from "./theme";

type Resizable = Chart | SlotMap | HeatMap;
const drawn: Resizable[] = [];
const waiting = new Map<Element, () => void>();

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

document.documentElement.classList.add("scripted");
document.getElementById("tools")?.append(themeButton());
fold(document.body);
drawWhenSeen(JSON.parse(content("views")) as ViewData[], bytesOf(content("arrays")));
