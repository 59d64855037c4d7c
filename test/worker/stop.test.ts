import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive, until } from "../support/index.ts";
import type { ControlledWorker } from "./support/worker-under-test.ts";
import { WorkerUnderTest } from "./support/worker-under-test.ts";

async function pidIn(file: string): Promise<number> {
  return await until(`a pid in ${file}`, () => {
    try {
      return Number(readFileSync(file, "latin1")) || undefined;
    } catch {
      return undefined;
    }
  });
}

async function childOf(session: ControlledWorker): Promise<number> {
  return (await session.client.inspect()).child?.pid ?? 0;
}

describe("stop", () => {
  test("asks first: a program that listens ends in its own way", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("trap 'echo bye; exit 7' HUP; printf ready; while :; do sleep 0.05; done");
    await session.shows("ready");
    const result = await session.client.stop();
    expect(result).toMatchObject({ exit: { code: 7 }, confirmed: true, survivors: [], skipped: [] });
    expect((await session.output()).toString()).toContain("bye");
    expect((await session.event("child_exited")).exit).toEqual(result.exit);
  });

  test("an interactive shell, which ignores SIGTERM, ends by SIGHUP", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run(["/bin/bash", "--norc", "-i"], { env: { PS1: "$ " } });
    await session.shows("$");
    const started = performance.now();
    const { confirmed: isConfirmed } = await session.client.stop({ grace_ms: 10_000 });
    expect(isConfirmed).toBe(true);
    expect(performance.now() - started).toBeLessThan(5_000);
  });

  test("kills what ignores it, after the grace and not before", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("trap '' TERM HUP; printf ready; while :; do sleep 0.05; done");
    await session.shows("ready");
    const started = performance.now();
    const result = await session.client.stop();
    const took = performance.now() - started;
    expect(result).toMatchObject({ exit: { signal: "SIGKILL" }, confirmed: true });
    expect(took).toBeGreaterThanOrEqual(490);
    expect(took).toBeLessThan(5_000);
  });

  test("reaches a stopped program", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("printf ready; kill -STOP $$; exec cat");
    await session.shows("ready");
    const started = performance.now();
    expect((await session.client.stop({ grace_ms: 5_000 })).confirmed).toBe(true);
    expect(performance.now() - started).toBeLessThan(4_000);
  });

  test("ends everything the program started: other groups, other sessions, orphans, cleaned environments", async () => {
    await using worker = await WorkerUnderTest.start();
    const { base } = worker.roots;
    const [orphan, daemonized, cleaned] = ["orphan", "daemonized", "cleaned"].map((name) => join(base, name));
    const script = [
      `(trap '' HUP TERM; sh -c 'echo $$ > ${orphan}; while :; do sleep 0.1; done' & )`,
      // Its own session, no parent of ours: only its marks lead to it.
      `setsid -f sh -c 'trap "" HUP TERM; echo $$ > ${daemonized}; while :; do sleep 0.1; done'`,
      // No marks: only its parents lead to it.
      `env -i /bin/sh -c 'echo $$ > ${cleaned}; while :; do /bin/sleep 0.1; done' &`,
      "printf ready; wait",
    ].join("\n");
    await using session = await worker.run(script);
    await session.shows("ready");
    const pids = await Promise.all([orphan, daemonized, cleaned].map((file) => pidIn(file ?? "")));
    expect(pids.map(isAlive)).toEqual([true, true, true]);
    const result = await session.client.stop();
    expect(result).toMatchObject({ confirmed: true, survivors: [], skipped: [] });
    expect(pids.map(isAlive)).toEqual([false, false, false]);
  });

  test("never touches a process of unclear descent, and says so", async () => {
    await using worker = await WorkerUnderTest.start();
    const { sessionId } = worker.key;
    const marks = { POHUNEK_WORKER_ID: "k-another", POHUNEK_SESSION_ID: sessionId };
    const bystander = Bun.spawn(["sleep", "100"], { env: { ...marks, PATH: process.env["PATH"] ?? "" } });
    const stranger = Bun.spawn(["sleep", "100"], {
      env: { ...marks, POHUNEK_WORKER_INSTANCE_ID: "w-another", PATH: process.env["PATH"] ?? "" },
    });
    try {
      await using session = await worker.run("exec cat", { env: { POHUNEK_SESSION_ID: sessionId } });
      const result = await session.client.stop();
      expect(result).toMatchObject({ confirmed: false, survivors: [], skipped: [{ pid: bystander.pid }] });
      expect([bystander.pid, stranger.pid].map(isAlive)).toEqual([true, true]);
    } finally {
      bystander.kill("SIGKILL");
      stranger.kill("SIGKILL");
      await Promise.all([bystander.exited, stranger.exited]);
    }
  });

  test("after the end of the program still ends what it left behind", async () => {
    await using worker = await WorkerUnderTest.start();
    const left = join(worker.roots.base, "left");
    const script = `trap '' HUP; sh -c 'echo $$ > ${left}; while :; do sleep 0.1; done' & sleep 0.2; exit 3`;
    await using session = await worker.run(script);
    await session.event("child_exited");
    const pid = await pidIn(left);
    expect(isAlive(pid)).toBe(true);
    expect(await session.client.stop()).toMatchObject({ exit: { code: 3 }, confirmed: true });
    expect(isAlive(pid)).toBe(false);
  });

  test("asked twice at once answers both", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("exec cat");
    const [first, second] = await Promise.all([session.client.stop(), session.client.stop()]);
    expect(second?.exit).toEqual(first?.exit as never);
  });
});

describe("the worker's own end", () => {
  test("by SIGTERM ends the program first and journals the outcome", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("trap 'exit 5' HUP; printf ready; while :; do sleep 0.05; done");
    await session.shows("ready");
    const child = await childOf(session);
    process.kill(worker.pid, "SIGTERM");
    await worker.hasEnded();
    expect(isAlive(child)).toBe(false);
    expect(worker.journal).toMatchObject({ phase: "exited", exit: { code: 5 } });
  });

  test("by SIGKILL hangs up the program's terminal", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("printf ready; while read x; do :; done");
    await session.shows("ready");
    const child = await childOf(session);
    process.kill(worker.pid, "SIGKILL");
    await until("the program to end", () => !isAlive(child));
    expect(worker.journal).toMatchObject({ phase: "running" });
  });
});
