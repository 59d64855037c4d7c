import { describe, expect, test } from "bun:test";
import { statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { platform } from "../../packages/host/src/platform/index.ts";
import { DescriptorWatch } from "../../packages/host/src/worker/descriptor-watch.ts";
import { OutputRing } from "../../packages/host/src/worker/output-ring.ts";
import { PtyOutputReader } from "../../packages/host/src/worker/pty-reader.ts";
import { proportionalKib, until } from "../support/index.ts";
import { WorkerUnderTest } from "./support/worker-under-test.ts";

/** 64 KiB in 1,024 lines; the terminal makes CR LF of each LF. */
const BURST = "x".repeat(63);
const BURST_LINES = 1_024;
const BURST_SCRIPT = `i=0; while [ $i -lt 64 ]; do printf '%s' "$CHUNK"; i=$((i+1)); done`;
const CHUNK = `${BURST}\n`.repeat(BURST_LINES / 64);

/** Runs one child on a PTY of its own and returns all that it printed, as the worker would see it. */
async function runOnPty(argv: readonly string[], env: Readonly<Record<string, string>>): Promise<Buffer> {
  const { pty, processes } = platform;
  const pair = pty.open({ cols: 80, rows: 24 });
  const ring = new OutputRing(1_048_576);
  const ended = Promise.withResolvers<void>();
  const watch = new DescriptorWatch(platform.sockets);
  const serve = (): void => watch.serve();
  process.on("SIGIO", serve);
  const reader = new PtyOutputReader({
    pty,
    pair,
    ring,
    watch,
    onOutput: () => undefined,
    onEnd: () => ended.resolve(),
  });
  const options = { file: "/bin/sh", argv, env, cwd: "/", terminal: pair.slavePath };
  const pid = processes.spawn(options);
  const onChild = (): void => {
    if (processes.reap(pid).kind !== "running") {
      process.off("SIGCHLD", onChild);
      reader.drain();
    }
  };
  process.on("SIGCHLD", onChild);
  reader.start();
  // The child may have ended before the handler was there.
  onChild();
  await ended.promise;
  process.off("SIGIO", serve);
  pty.close(pair);
  const output = Buffer.alloc(ring.endOffset);
  ring.copy(0, output);
  return output;
}

describe("the last output of a program", () => {
  test("of 300 programs that print 64 KiB and exit, every byte arrives", async () => {
    const expected = Buffer.from(`${BURST}\r\n`.repeat(BURST_LINES));
    let wrong = 0;
    for (let round = 0; round < 30; round += 1) {
      const outputs = await Promise.all(
        Array.from({ length: 10 }, () => runOnPty(["sh", "-c", BURST_SCRIPT], { CHUNK })),
      );
      wrong += outputs.filter((output) => !output.equals(expected)).length;
    }
    expect(wrong).toBe(0);
  }, 120_000);

  test("of a program that leaves others on its terminal is told from theirs", async () => {
    const script = "(trap '' HUP; sleep 0.2; printf late; sleep 5) & printf mine";
    const started = performance.now();
    const outputs = await Promise.all(
      Array.from({ length: 20 }, () => runOnPty(["sh", "-c", script], { PATH: "/usr/bin:/bin" })),
    );
    expect(outputs.map(String)).toEqual(Array.from({ length: 20 }, () => "mine"));
    expect(performance.now() - started).toBeLessThan(4_000);
  }, 20_000);

  test("arrives across a change of the terminal modes", async () => {
    const output = await runOnPty(["sh", "-c", "printf before; stty -ixon; printf after"], { PATH: "/usr/bin:/bin" });
    expect(output.toString()).toBe("beforeafter");
  });
});

describe("output without a viewer", () => {
  test("is drained at full speed, and the newest of it is retained", async () => {
    await using worker = await WorkerUnderTest.start();
    const done = join(worker.roots.base, "done");
    await using session = await worker.run(
      `head -c 100000000 /dev/zero | tr '\\0' 'y'; printf end; touch ${done}; cat`,
    );
    await until("the program to be done", () => statSync(done, { throwIfNoEntry: false }) !== undefined, 60_000);
    await until("all of it", async () => (await session.client.inspect()).output.end_offset === 100_000_003);
    const { output } = await session.client.inspect();
    expect(output.end_offset - output.start_offset).toBe(10_000_000);
    const tail = await session.client.readOutput({ max_bytes: 100 });
    expect(Buffer.from(tail.data_base64, "base64").toString()).toBe(`${"y".repeat(97)}end`);
  }, 90_000);

  test("takes no more memory than the history that was asked for", async () => {
    await using worker = await WorkerUnderTest.start();
    const source = join(worker.roots.base, "source");
    writeFileSync(source, Buffer.alloc(20_000_000, `${"z".repeat(99)}\n`));
    await using session = await worker.run(
      `cat ${source}; printf first; read x; cat ${source} ${source} ${source}; printf last; cat`,
      {
        history_bytes: 1_048_576,
      },
    );
    await session.shows("first");
    const before = proportionalKib(worker.pid);
    await session.type("\n");
    await session.shows("last");
    await until("memory to be given back", () => proportionalKib(worker.pid) < before + 4_096, 15_000);
  }, 90_000);
});
