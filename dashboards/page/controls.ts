// The bar of the live page: which server, over which time, pause, rewind, mark,
// record.  It only asks; live.ts acts.
import { make } from "./dom";
import { clock } from "./format";
import { type State, spans } from "./protocol";

export interface Wishes {
  target(number: number): void;
  span(seconds: number): void;
  pause(): void;
  resume(): void;
  rewind(seq: number): void;
  mark(text: string): void;
  record(start: boolean): void;
}

export class Controls {
  private readonly server = make("select", { id: "server" });
  private readonly span = make("select", { id: "span" });
  private readonly pause = make("button", { type: "button", id: "pause", "aria-pressed": "false" }, "Pause");
  private readonly past = make("input", { type: "range", id: "past", step: "1", "aria-label": "Moment shown" });
  private readonly when = make("output", { id: "when" });
  private readonly text = make("input", { type: "text", id: "mark-text", size: "14", maxlength: "80" });
  private readonly record = make("button", { type: "button", id: "record" }, "Record from here");
  private readonly status = make("span", { id: "status", role: "status" });
  private readonly news = make("span", { id: "news", role: "status" });
  private recording = false;

  constructor(
    bar: HTMLElement,
    private readonly wishes: Wishes,
  ) {
    const mark = make("button", { type: "submit", id: "mark" }, "Mark");
    const form = make("form", { class: "group" }, make("label", {}, "note ", this.text), mark);
    this.span.append(...spans.map(([seconds, name]) => make("option", { value: String(seconds) }, name)));
    bar.append(
      make("label", {}, "server ", this.server),
      make("label", {}, "figures of ", this.span),
      make("span", { class: "group" }, this.pause, this.past, this.when),
      form,
      this.record,
      this.status,
      this.news,
    );
    this.listen(form);
  }

  private listen(form: HTMLFormElement): void {
    this.server.addEventListener("change", () => this.wishes.target(Number(this.server.value)));
    this.span.addEventListener("change", () => this.wishes.span(Number(this.span.value)));
    this.pause.addEventListener("click", () =>
      this.pause.getAttribute("aria-pressed") === "true" ? this.wishes.resume() : this.wishes.pause(),
    );
    this.past.addEventListener("input", () => this.wishes.rewind(Number(this.past.value)));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.wishes.mark(this.text.value.trim());
      this.text.value = "";
    });
    this.record.addEventListener("click", () => this.wishes.record(!this.recording));
  }

  showState(state: State): void {
    const names = Array.from(this.server.options, (option) => option.text);
    if (names.join("\n") !== state.targets.join("\n"))
      this.server.replaceChildren(...state.targets.map((name, i) => make("option", { value: String(i) }, name)));
    this.server.value = String(state.target);
    this.past.min = String(state.first_seq);
    this.past.max = String(state.last_seq);
    this.past.disabled = state.last_seq === 0;
    this.recording = state.recording !== null;
    this.record.disabled = !state.can_record;
    this.record.title = state.can_record ? "" : "start snapscope serve with --record-to FOLDER";
    this.record.textContent = this.recording ? "Stop recording" : "Record from here";
    const news = state.recording
      ? `recording ${state.recording.name}: ${state.recording.windows} windows ${state.recording.trouble}`
      : (state.recorded[state.recorded.length - 1] ?? "");
    if (this.news.textContent !== news) this.news.textContent = news;
  }

  showMoment(seq: number, ms: number): void {
    this.past.value = String(seq);
    this.when.textContent = clock(ms);
    this.past.setAttribute("aria-valuetext", clock(ms));
  }

  showPaused(paused: boolean): void {
    this.pause.setAttribute("aria-pressed", String(paused));
    this.pause.textContent = paused ? "Go on live" : "Pause";
  }

  say(status: string, bad = false): void {
    if (this.status.textContent !== status) this.status.textContent = status;
    this.status.className = bad ? "warn" : "faint";
  }
}
