// What the server says to the live page (serve/README.md).
import type { ViewData } from "./data";

export interface Mark {
  seq: number;
  t: number; // seconds on the time axis
  text: string;
}

// What is the same for every reader, and changes between windows, too.
export interface State {
  targets: string[];
  target: number;
  trouble: string; // why nothing is seen now; empty: all is well
  first_seq: number; // 0: nothing has been seen yet
  last_seq: number;
  marks: Mark[];
  recording: { name: string; windows: number; trouble: string } | null;
  recorded: string[]; // names of recordings that have ended
  can_record: boolean;
}

export interface Update {
  seq: number; // the window that is shown
  base: number; // the series hold what came after this window; 0: everything
  span: number; // seconds that figures are of; 0: all that is kept
  at_ms: number; // end of the window, since 1970
  origin_ms: number; // of the time axis
  kept_from: number; // seconds on the time axis
  html: string;
  views: ViewData[];
  arrays: string;
  state: State;
}

export const spans: [number, string][] = [
  [10, "the last 10 s"],
  [60, "the last minute"],
  [0, "all that is kept"],
];
