// The live page: shows each window as it comes, or a moment that is past.
import { Controls } from "./controls";
import { bytesOf } from "./data";
import { make } from "./dom";
import { LiveViews, type Numbers } from "./live_views";
import { type Hooks, morphChildren, replace } from "./morph";
import { content, fold, onPrint } from "./page";
import { spans, type State, type Update } from "./protocol";
import type { Moments } from "./series";
import { themeButton } from "./theme";

class LivePage {
  private readonly run = document.getElementById("run")!;
  private readonly views = new LiveViews();
  private readonly moments: Moments = { origin: null, marks: [] };
  private readonly controls: Controls;
  private stream: EventSource | null = null;
  private target = 0;
  private span = spans[0]![0];
  private seq = 0; // shown
  private paused = false;
  private missed = 0; // windows that were left out because this page was slow
  private rewinding: number | null = null; // a request is on its way
  private wanted: number | null = null; // and this is what it should have been

  constructor(bar: HTMLElement, first: Update) {
    this.controls = new Controls(bar, {
      target: (number) => this.look(number, this.span),
      span: (seconds) => this.look(this.target, seconds),
      pause: () => this.pause(),
      resume: () => this.look(this.target, this.span),
      rewind: (seq) => this.rewind(seq),
      mark: (text) => this.ask("mark", { seq: this.seq, text }),
      record: (start) => this.ask("record", start ? { do: "start", from: this.seq } : { do: "stop" }),
    });
    this.target = first.state.target;
    this.showState(first.state);
    this.numbersShown(first);
    this.views.add(this.run, numbersOf(first, this.moments));
    onPrint(() => this.views.drawAll());
    this.connect();
  }

  // Live, and from the start: what is shown comes whole.
  private look(target: number, span: number): void {
    [this.target, this.span] = [target, span];
    this.setPaused(false);
    this.connect();
  }

  private connect(): void {
    this.stream?.close();
    this.controls.say("connecting");
    const stream = new EventSource(`/events?target=${this.target}&span=${this.span}`);
    this.stream = stream;
    stream.addEventListener("window", (event) => this.window(JSON.parse((event as MessageEvent).data) as Update));
    stream.addEventListener("state", (event) => this.showState(JSON.parse((event as MessageEvent).data) as State));
    stream.addEventListener("gap", (event) => {
      this.missed += (JSON.parse((event as MessageEvent).data) as { missed: number }).missed;
    });
    stream.addEventListener("error", () => {
      const ended = stream.readyState === EventSource.CLOSED;
      this.controls.say(ended ? "refused by the server: reload the page" : "connection lost, trying again", true);
    });
  }

  private window(update: Update): void {
    this.showState(update.state);
    if (this.paused) return;
    if (update.base !== 0 && update.base !== this.seq) this.connect();
    else this.show(update);
  }

  private showState(state: State): void {
    this.controls.showState(state);
    const marks = JSON.stringify(state.marks) !== JSON.stringify(this.moments.marks);
    this.moments.marks = state.marks;
    if (marks) this.views.redraw();
    if (state.trouble) this.controls.say(state.trouble, true);
    else if (this.paused) this.controls.say("paused");
    else this.controls.say(this.missed ? `live; ${this.missed} windows were left out for this slow page` : "live");
  }

  private numbersShown(update: Update): void {
    this.seq = update.seq;
    if (update.origin_ms) this.moments.origin = update.origin_ms;
    if (update.seq) this.controls.showMoment(update.seq, update.at_ms);
  }

  private show(update: Update): void {
    const numbers = numbersOf(update, this.moments);
    this.numbersShown(update);
    const hooks: Hooks = {
      view: (old, fresh) => {
        if (!this.views.take(old, numbers.views[Number(fresh.dataset.view)], numbers)) replaceView(old, fresh);
      },
      added: (element) => {
        fold(element);
        this.views.add(element, numbers);
      },
      removed: (element) => this.views.remove(element),
    };
    // Points of one window alone draw no chart: everything is asked for.
    let incomplete = false;
    const replaceView = (old: HTMLElement, fresh: HTMLElement) => {
      incomplete ||= !numbers.whole && numbers.views[Number(fresh.dataset.view)]?.view === "series";
      replace(old, fresh, hooks);
    };
    const fresh = new DOMParser().parseFromString(update.html, "text/html").body;
    morphChildren(this.run, fresh, hooks);
    if (incomplete) this.connect();
  }

  private setPaused(paused: boolean): void {
    this.paused = paused;
    this.controls.showPaused(paused);
    if (paused) this.controls.say("paused");
  }

  private pause(): void {
    this.setPaused(true);
  }

  // One question at a time, the last wish last.
  private async rewind(seq: number): Promise<void> {
    this.setPaused(true);
    this.wanted = seq;
    if (this.rewinding !== null) return;
    while (this.wanted !== null) {
      this.rewinding = this.wanted;
      this.wanted = null;
      const answer = await this.fetched(`/api/view?target=${this.target}&span=${this.span}&seq=${this.rewinding}`);
      if (answer && this.paused) this.show((await answer.json()) as Update);
    }
    this.rewinding = null;
  }

  private async ask(what: string, values: Record<string, string | number>): Promise<void> {
    const query = new URLSearchParams({ target: String(this.target) });
    for (const [name, value] of Object.entries(values)) query.set(name, String(value));
    await this.fetched(`/api/${what}?${query}`, { method: "POST", headers: { "X-Snapscope": "1" } });
  }

  private async fetched(url: string, init?: RequestInit): Promise<Response | null> {
    try {
      const answer = await fetch(url, init);
      if (answer.ok) return answer;
      this.controls.say(await answer.text(), true);
    } catch {
      this.controls.say("the server does not answer", true);
    }
    return null;
  }
}

function numbersOf(update: Update, moments: Moments): Numbers {
  return {
    views: update.views,
    block: bytesOf(update.arrays),
    whole: update.base === 0,
    keptFrom: update.kept_from,
    moments,
  };
}

document.documentElement.classList.add("scripted");
const bar = make("div", { class: "live-bar", role: "toolbar", "aria-label": "Live view" });
document.querySelector("main")!.before(bar);
document.getElementById("tools")?.append(themeButton());
fold(document.body);
const first = JSON.parse(content("state")) as Update;
new LivePage(bar, { ...first, views: JSON.parse(content("views")), arrays: content("arrays") });
