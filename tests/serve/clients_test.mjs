// Many readers of the live page, one of them stalled, for a while: the collector
// loses no more than without them, memory stays, every reader is served.
// CLIENTS and SECONDS say how many and how long.
import assert from "node:assert/strict";
import net from "node:net";
import { after, before, test } from "node:test";
import { metrics, sleep, startStage, until } from "./stage.mjs";

const clients = Number(process.env.CLIENTS ?? 10);
const seconds = Number(process.env.SECONDS ?? 10);

let stage;
let base;
before(async () => {
  stage = await startStage({ options: ["--events", "--interval", "500", "--source", "ring"] });
  base = new URL(stage.url);
});
after(async () => stage?.end());

// One reader of /events on a socket of its own.
class Reader {
  seqs = [];
  gaps = 0;
  text = "";
  constructor() {
    this.socket = net.connect(Number(base.port), base.hostname);
    this.socket.setEncoding("utf8");
    this.socket.on("data", (chunk) => this.take(chunk));
    this.socket.on("error", () => {});
    this.socket.write(`GET /events?span=10 HTTP/1.1\r\nHost: ${base.host}\r\n\r\n`);
  }
  // What an event begins with is enough: the number of its window.
  take(chunk) {
    this.text += chunk;
    let last = 0;
    for (const found of this.text.matchAll(/"span":10,"state":.*?"seq":(\d+)|"seq":(\d+),"span":10|event: gap/g)) {
      last = found.index + found[0].length;
      if (found[0] === "event: gap") this.gaps++;
      else this.seqs.push(Number(found[1] ?? found[2]));
    }
    this.text = this.text.slice(Math.max(last, this.text.length - 200));
  }
  end() {
    this.socket.destroy();
  }
}

const lost = (all) => [...all].filter(([name]) => name.startsWith("snapscope_source_lost_total")).reduce((sum, [, n]) => sum + n, 0);
const last = async () => (await (await fetch(stage.url + "api/servers")).json()).servers[0].last_seq;

async function watched(body) {
  const from = await metrics(stage.url);
  const result = await body();
  const to = await metrics(stage.url);
  return { lost: lost(to) - lost(from), events: eventsOf(to) - eventsOf(from), result };
}
const eventsOf = (all) => [...all].filter(([name]) => name.startsWith("snapscope_events_written_total")).reduce((sum, [, n]) => sum + n, 0);

test("readers do not cost the collector an event, nor the program its memory", async (t) => {
  await until(async () => (await last()) >= 3, "three windows");
  const alone = await watched(() => sleep((seconds * 1000) / 2));

  const readers = Array.from({ length: clients }, () => new Reader());
  const stalled = readers[0];
  stalled.socket.pause();
  const others = readers.slice(1);
  await until(() => others.every((reader) => reader.seqs.length >= 2), "two windows for everybody");
  const resident = async () => (await metrics(stage.url)).get("process_resident_memory_bytes");
  const before = await resident();
  const beside = await watched(async () => {
    await sleep(seconds * 1000);
    assert.ok((await metrics(stage.url)).get("snapscope_live_clients") >= others.length);
  });
  const after = await resident();
  const newest = await last();
  await until(() => others.every((reader) => reader.seqs.at(-1) >= newest), "the newest window for everybody");

  t.diagnostic(`${clients} readers, one stalled, ${seconds} s: ${beside.events} events, lost ${beside.lost}; ` +
    `alone ${alone.events}, lost ${alone.lost}; resident ${(before / 1e6).toFixed(1)} to ${(after / 1e6).toFixed(1)} MB`);
  assert.ok(beside.events > 0);
  assert.ok(beside.lost <= alone.lost, `lost ${beside.lost} beside readers, ${alone.lost} alone`);
  for (const reader of others) {
    assert.equal(reader.gaps, 0);
    reader.seqs.forEach((seq, i) => assert.equal(seq, reader.seqs[0] + i, "every window, once, in order"));
  }
  // What the ring itself holds grows until it is full: some kB a window here.
  assert.ok(after - before < 16e6, `resident memory went from ${before} to ${after}`);

  stalled.socket.resume();
  await until(() => stalled.gaps > 0 || stalled.socket.closed, "a gap, or an end, for the stalled one");
  for (const reader of readers) reader.end();
});
