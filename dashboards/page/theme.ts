// Dark or light, and the colours that a canvas takes from the style sheet.

const root = document.documentElement;
const listeners = new Set<() => void>();

// The answer ends it.
export function onTheme(redraw: () => void): () => void {
  listeners.add(redraw);
  return () => listeners.delete(redraw);
}

export function redrawAll(): void {
  for (const redraw of listeners) redraw();
}

export function colour(name: string): string {
  return getComputedStyle(root).getPropertyValue(name).trim();
}

function isDarkNow(): boolean {
  const chosen = root.dataset.theme;
  return chosen ? chosen === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
}

// The button that changes it; it says what it leads to.
export function themeButton(): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.id = "theme";
  const label = () => (button.textContent = isDarkNow() ? "Light" : "Dark");
  button.addEventListener("click", () => {
    root.dataset.theme = isDarkNow() ? "light" : "dark";
    label();
    redrawAll();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => {
    label();
    redrawAll();
  });
  label();
  return button;
}
