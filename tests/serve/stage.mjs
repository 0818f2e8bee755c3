// Starts serve_stage (STAGE) with `PROGRAM serve`, and ends it.  Shared by the
// tests of the live page; exits 77 where no patched server is built.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";

export async function startStage({ servers = 1, rate = 300, options = [] } = {}) {
  const child = spawn(process.env.STAGE, [process.env.PROGRAM, String(servers), String(rate), ...options], {
    stdio: ["pipe", "pipe", "inherit"],
  });
  const lines = createInterface({ input: child.stdout })[Symbol.asyncIterator]();
  const ended = new Promise((done) => child.on("exit", (code) => done(code)));
  const { value } = await lines.next();
  if (!value?.startsWith("{")) {
    console.log(value ?? "the stage said nothing");
    process.exit((await ended) === 77 ? 77 : 1);
  }
  return {
    ...JSON.parse(value),
    async ask(line) {
      child.stdin.write(line + "\n");
      return (await lines.next()).value;
    },
    async end() {
      child.stdin.end();
      return ended;
    },
  };
}

export const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// Until `look` answers with something true; an hour is never waited.
export async function until(look, what, tries = 300) {
  for (let i = 0; i < tries; i++) {
    const seen = await look();
    if (seen) return seen;
    await sleep(100);
  }
  throw new Error(`it never came: ${what}`);
}

// Samples of /metrics by "name{labels}".
export async function metrics(url) {
  const text = await (await fetch(url + "metrics")).text();
  const out = new Map();
  for (const line of text.split("\n")) {
    const at = line.lastIndexOf(" ");
    if (line && !line.startsWith("#")) out.set(line.slice(0, at), Number(line.slice(at + 1)));
  }
  return out;
}
