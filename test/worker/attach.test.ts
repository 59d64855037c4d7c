import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { descriptorCount, isAlive, proportionalKib, until } from "../support/index.ts";
import { Viewer } from "./support/viewer.ts";
import { WorkerUnderTest } from "./support/worker-under-test.ts";

/** Waits for a line of input, then prints a file and ends. */
const printing = (file: string): string => `stty -onlcr -echo; printf ready; read x; cat ${file}`;

function writeLines(worker: WorkerUnderTest, bytes: number): { file: string; content: Buffer } {
  const file = join(worker.roots.base, "source");
  let text = "";
  for (let line = 0; text.length < bytes; line += 1) {
    text += `${line} ${"abcdefghij".repeat(line % 9)}\n`;
  }
  const content = Buffer.from(text.slice(0, bytes));
  writeFileSync(file, content);
  return { file, content };
}

describe("attach", () => {
  test("applies the size, paints once, then gives every byte of a flood", async () => {
    await using worker = await WorkerUnderTest.start();
    const { file, content } = writeLines(worker, 30_000_000);
    await using session = await worker.run(printing(file));
    await session.shows("ready");
    using viewer = await Viewer.attach(session.client, { cols: 100, rows: 30 });
    await viewer.isSynced();
    expect(viewer.syncs).toEqual([{ reason: "attached", output_offset: 5, skipped_bytes: 0, cols: 100, rows: 30 }]);
    expect(viewer.text).toContain("ready");
    const painted = viewer.totalBytes;
    viewer.type("\n");
    expect(await viewer.closed).toBeUndefined();
    expect(viewer.exit).toMatchObject({ code: 0 });
    expect(viewer.bytes.subarray(painted).equals(content)).toBe(true);
  }, 60_000);

  test("in the middle of a flood loses and repeats no byte", async () => {
    await using worker = await WorkerUnderTest.start();
    const { file, content } = writeLines(worker, 5_000_000);
    const slowly = `stty -onlcr -echo; printf ready; read x; split -b 50000 --filter='cat; sleep 0.01' ${file}`;
    await using session = await worker.run(slowly);
    await session.shows("ready");
    await session.type("\n");
    const viewers: Viewer[] = [];
    for (let index = 0; index < 5; index += 1) {
      const { output } = await session.client.inspect();
      viewers.push(await Viewer.attach(session.client));
      await until("some output", async () => (await session.client.inspect()).output.end_offset > output.end_offset);
    }
    for (const viewer of viewers) {
      await viewer.closed;
      const [sync] = viewer.syncs;
      expect(viewer.syncs).toHaveLength(1);
      // "ready" came before the file.
      const live = content.subarray((sync?.output_offset ?? 0) - 5);
      expect(viewer.bytes.subarray(viewer.totalBytes - live.length).equals(live)).toBe(true);
    }
  }, 60_000);

  test("a viewer that stops is skipped ahead and repainted; another one gets every byte meanwhile", async () => {
    await using worker = await WorkerUnderTest.start();
    const { file, content } = writeLines(worker, 40_000_000);
    await using session = await worker.run(`${printing(file)}; printf 'the end'; read x`);
    await session.shows("ready");
    using stopped = await Viewer.attach(session.client, { keeps: true });
    using follower = await Viewer.attach(session.client);
    await stopped.isSynced();
    await follower.isSynced();
    stopped.stream.pause();
    const painted = follower.totalBytes;
    const memory = proportionalKib(worker.pid);
    follower.type("\n");
    await until("all of the flood", () => follower.totalBytes - painted >= content.length + 7, 60_000);
    expect(follower.syncs).toHaveLength(1);
    expect(follower.bytes.subarray(painted, painted + content.length).equals(content)).toBe(true);
    // The ring fills up to 10 MB, the engine takes its history: 40 MB went by.
    expect(proportionalKib(worker.pid) - memory).toBeLessThan(10_000 + 14_000);
    stopped.stream.resume();
    await until("the repaint", () => stopped.syncs.length >= 2);
    await stopped.sees("the end");
    const last = stopped.syncs.at(-1);
    expect(last).toMatchObject({ reason: "fell_behind" });
    expect(last?.skipped_bytes).toBeGreaterThan(1_000_000);
  }, 90_000);

  test("a viewer that reads slowly does not slow a fast one, nor control messages", async () => {
    await using worker = await WorkerUnderTest.start();
    const { file, content } = writeLines(worker, 60_000_000);
    await using session = await worker.run(`${printing(file)}; printf 'the end'; read x`);
    await session.shows("ready");
    using slow = await Viewer.attach(session.client, { keeps: false });
    using fast = await Viewer.attach(session.client, { keeps: false });
    await slow.isSynced();
    await fast.isSynced();
    // About 20 KB every second: it takes one piece, then looks away.
    const trickle = setInterval(() => {
      slow.stream.resume();
      setImmediate(() => slow.stream.pause());
    }, 1_000);
    slow.stream.pause();
    const painted = fast.totalBytes;
    const delays: number[] = [];
    fast.type("\n");
    while (fast.totalBytes - painted < content.length + 7) {
      const asked = performance.now();
      await session.client.inspect();
      delays.push(performance.now() - asked);
      await Bun.sleep(20);
    }
    clearInterval(trickle);
    expect(fast.syncs).toHaveLength(1);
    expect(delays.sort((left, right) => left - right).at(Math.floor(delays.length / 2))).toBeLessThan(100);
    slow.stream.resume();
    await until("the slow one to be repainted", () => slow.syncs.length >= 2);
  }, 90_000);

  test("ten viewers that get to read in turns, as on a busy processor, get every byte of a flood", async () => {
    await using worker = await WorkerUnderTest.start();
    const { file, content } = writeLines(worker, 8_000_000);
    await using session = await worker.run(printing(file));
    await session.shows("ready");
    using opened = new DisposableStack();
    const viewers: Viewer[] = [];
    for (let count = 0; count < 10; count++) viewers.push(opened.use(await Viewer.attach(session.client)));
    for (const viewer of viewers) await viewer.isSynced();
    for (const viewer of viewers) viewer.stream.pause();
    let turn = 0;
    const turns = setInterval(() => {
      viewers[turn % viewers.length]?.stream.pause();
      turn += 1;
      viewers[turn % viewers.length]?.stream.resume();
    }, 5);
    viewers[0]?.type("\n");
    for (const viewer of viewers) expect(await viewer.closed).toBeUndefined();
    clearInterval(turns);
    for (const viewer of viewers) {
      expect(viewer.syncs).toHaveLength(1);
      expect(viewer.bytes.subarray(-content.length).equals(content)).toBe(true);
    }
  }, 90_000);

  test("in the middle of a character gives the picture, and then the whole character once", async () => {
    const character = Buffer.from("😀");
    const printed = (bytes: Uint8Array): string => [...bytes].map((byte) => `\\${byte.toString(8)}`).join("");
    for (const count of [1, 2, 3]) {
      await using worker = await WorkerUnderTest.start();
      const [first, rest] = [character.subarray(0, count), character.subarray(count)];
      const script = `stty -echo; printf 'before${printed(first)}'; read x; printf '${printed(rest)}after'; read x`;
      await using session = await worker.run(script);
      await until("the beginning", async () => (await session.client.inspect()).output.end_offset === 6 + count);
      using viewer = await Viewer.attach(session.client);
      await viewer.isSynced();
      expect(viewer.syncs).toMatchObject([{ output_offset: 6, skipped_bytes: 0 }]);
      const painted = viewer.totalBytes;
      expect(viewer.text).toContain("before");
      expect(viewer.text).not.toContain("\ufffd");
      viewer.type("\n");
      await viewer.sees("after");
      expect(viewer.bytes.subarray(painted).toString("utf8")).toBe("😀after");
    }
  });

  test("closing ends one attach and nothing else", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("stty -echo; printf ready; exec cat");
    await session.shows("ready");
    using first = await Viewer.attach(session.client);
    using second = await Viewer.attach(session.client);
    await session.event("attach_count_changed", ({ attached }) => attached === 2);
    first[Symbol.dispose]();
    expect(await first.closed).toBeUndefined();
    await session.event("attach_count_changed", ({ attached }) => attached === 1);
    second.type("hello\n");
    await second.sees("hello");
  });

  test("2,000 attach and detach cycles leak no descriptor", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("printf ready; exec cat");
    await session.shows("ready");
    const before = descriptorCount(worker.pid);
    for (let cycle = 0; cycle < 2_000; cycle += 1) {
      const viewer = await Viewer.attach(session.client);
      if (cycle % 10 === 0) {
        await viewer.isSynced();
      }
      viewer[Symbol.dispose]();
      await viewer.closed;
    }
    await until("the streams to be closed", async () => (await session.client.inspect()).attached === 0);
    expect(descriptorCount(worker.pid)).toBe(before);
  }, 120_000);

  test("the loss of the controller leaves program, viewers and output alone", async () => {
    await using worker = await WorkerUnderTest.start();
    const session = await worker.run("stty -echo; printf ready; while read x; do echo got $x; done");
    await session.shows("ready");
    const { child, output } = await session.client.inspect();
    using viewer = await Viewer.attach(session.client);
    await session.client[Symbol.asyncDispose]();
    viewer.type("one\n");
    await viewer.sees("got one");
    await using next = await worker.control();
    const after = await next.client.inspect();
    expect(after.child).toEqual(child);
    expect(after.output.end_offset).toBeGreaterThan(output.end_offset);
    expect(isAlive(child?.pid ?? 0)).toBe(true);
  });

  test("to a program that has ended shows its screen, its outcome and the end", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("printf 'last words'; exit 4");
    await session.event("child_exited");
    using viewer = await Viewer.attach(session.client);
    expect(await viewer.closed).toBeUndefined();
    expect(viewer.text).toContain("last words");
    expect(viewer.exit).toMatchObject({ code: 4 });
  });
});

describe("a viewer with a name", () => {
  test("is listed by it, told of when it goes, and can be sent away", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("printf ready; exec cat");
    await session.shows("ready");
    using named = await Viewer.attach(session.client, { stream: "a-7", viewer_session: "s-elsewhere" });
    using nameless = await Viewer.attach(session.client);
    await nameless.isSynced();
    const listed = [{ stream: "a-7", mode: "interactive", viewer_session: "s-elsewhere" }];
    expect(await session.client.inspect()).toMatchObject({ attached: 2, viewers: listed });
    expect(await session.client.closeStream({ stream: "a-8" })).toEqual({ closed: false });
    expect(await session.client.closeStream({ stream: "a-7" })).toEqual({ closed: true });
    await named.closed;
    await session.event("attach_count_changed", ({ attached, viewers }) => attached === 1 && viewers?.length === 0);
    expect(await session.client.closeStream({ stream: "a-7" })).toEqual({ closed: false });
  });

  test("is nothing that version 2 knows", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.control({ versions: { min: 2, max: 2 } });
    const refused = await session.client.closeStream({ stream: "a-7" }).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "worker_feature_unavailable" });
  });
});

describe("version 1", () => {
  test("attaches with a replay of retained output and has no observation", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.control({ versions: { min: 1, max: 1 } });
    const { client } = session;
    expect(client.version).toBe(1);
    const env = { PATH: process.env["PATH"] ?? "", TERM: "xterm" };
    const argv = ["/bin/sh", "-c", "stty -onlcr; seq 200000; printf ready; exec cat"];
    await client.initialize({ argv, env, cwd: "/", cols: 80, rows: 24 });
    await until("the output", async () => (await client.inspect()).output.end_offset >= 1_288_895 + 5);
    using viewer = await Viewer.attach(client);
    await viewer.sees("ready");
    const numbers = Array.from({ length: 200_000 }, (_, index) => `${index + 1}\n`).join("");
    expect(viewer.text).toBe(`\x1bc${numbers}ready`);
    viewer.type("more\r");
    await viewer.sees("more");
    for (const call of [() => client.snapshot(), () => client.readOutput({ max_bytes: 1 })]) {
      expect(await call().catch((error: unknown) => error)).toMatchObject({ code: "worker_feature_unavailable" });
    }
  }, 30_000);

  test("a replay that is limited starts with a line", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("stty -onlcr; seq 100000; printf ready; exec cat");
    await session.shows("ready");
    await session.client[Symbol.asyncDispose]();
    await using old = await worker.control({ versions: { min: 1, max: 1 } });
    using viewer = await Viewer.attach(old.client, { replay_bytes: 1_000 });
    await viewer.sees("ready");
    expect(viewer.text).toMatch(/^\x1bc99\d{3}\n/);
    expect(viewer.text.endsWith("\n100000\nready")).toBe(true);
    expect(viewer.totalBytes).toBeLessThan(1_010);
  });
});
