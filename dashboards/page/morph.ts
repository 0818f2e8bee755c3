// Makes the document say what new markup says, and leaves alone what is the
// same: focus, hover, scroll positions and opened tables stay.

export interface Hooks {
  // Both elements hold a drawn view.
  view(old: HTMLElement, fresh: HTMLElement): void;
  added(element: Element): void;
  removed(element: Element): void;
}

export function morph(old: Node, fresh: Node, hooks: Hooks): void {
  if (old instanceof Text && fresh instanceof Text) {
    if (old.data !== fresh.data) old.data = fresh.data;
  } else if (old instanceof Element && fresh instanceof Element && alike(old, fresh)) {
    if (isView(old) && isView(fresh)) hooks.view(old, fresh);
    else {
      copyAttributes(old, fresh);
      morphChildren(old, fresh, hooks);
    }
  } else replace(old, fresh, hooks);
}

export function replace(old: Node, fresh: Node, hooks: Hooks): void {
  old.parentNode?.replaceChild(fresh, old);
  if (old instanceof Element) hooks.removed(old);
  if (fresh instanceof Element) hooks.added(fresh);
}

export function morphChildren(old: Element, fresh: Element, hooks: Hooks): void {
  const [before, after] = [[...old.childNodes], [...fresh.childNodes]];
  after.forEach((child, i) => {
    const there = before[i];
    if (there) morph(there, child, hooks);
    else {
      old.append(child);
      if (child instanceof Element) hooks.added(child);
    }
  });
  for (const child of before.slice(after.length)) {
    child.remove();
    if (child instanceof Element) hooks.removed(child);
  }
}

function isView(element: Element): element is HTMLElement {
  return element.hasAttribute("data-view");
}

function alike(old: Element, fresh: Element): boolean {
  return old.tagName === fresh.tagName && old.id === fresh.id && isView(old) === isView(fresh);
}

// Whether a table is open is the reader's affair.
function copyAttributes(old: Element, fresh: Element): void {
  for (const { name, value } of [...fresh.attributes])
    if (name !== "open" && old.getAttribute(name) !== value) old.setAttribute(name, value);
  for (const { name } of [...old.attributes])
    if (name !== "open" && !fresh.hasAttribute(name)) old.removeAttribute(name);
}
