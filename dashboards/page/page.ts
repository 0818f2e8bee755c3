// What report and live page do alike with the document.
import { redrawAll } from "./theme";

export function content(id: string): string {
  return document.getElementById(id)?.textContent ?? "";
}

// Tables are folded on the screen; in print the short ones are open.
const longestPrinted = 60;
export function fold(below: Element): void {
  const all = [...below.querySelectorAll("details")];
  if (below instanceof HTMLDetailsElement) all.push(below);
  for (const details of all) details.open = details.classList.contains("kinds");
}

// Paper is light and narrow, and nobody can open anything on it.
export function onPrint(drawAll: () => void): void {
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
