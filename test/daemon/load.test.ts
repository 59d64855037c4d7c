// Runs alone: it measures processor time and memory, and fills the machine with sessions.
import { describe, expect, test } from "bun:test";
import { closeSync, constants, openSync, unlinkSync } from "node:fs";
import { join } from "node:path";
import type { Host, SessionFacts } from "../support/index.ts";
import {
  descriptorCount,
  isAlive,
  parentOf,
  processorMs,
  proportionalKib,
  RawAttach,
  startHost,
  until,
} from "../support/index.ts";

/** Creations at a time: the machine has two cores. */
const PARALLEL = 8;

async function createMany(
  host: Host,
  count: number,
  params: (index: number) => Readonly<Record<string, unknown>> = () => ({}),
): Promise<SessionFacts[]> {
  const sessions: SessionFacts[] = [];
  for (let index = 0; index < count; index += PARALLEL) {
    const batch = Array.from({ length: Math.min(PARALLEL, count - index) }, (_, offset) =>
      host.newSession(params(index + offset)),
    );
    sessions.push(...(await Promise.all(batch)));
  }
  return sessions;
}

async function removeAll(host: Host): Promise<void> {
  const left = await host.list();
  for (let index = 0; index < left.length; index += PARALLEL) {
    await Promise.all(left.slice(index, index + PARALLEL).map(({ id }) => host.call("session.remove", id)));
  }
}

async function median(times: number, measure: () => Promise<unknown>): Promise<number> {
  const samples: number[] = [];
  for (let round = 0; round < times; round += 1) {
    const startedAt = performance.now();
    await measure();
    samples.push(performance.now() - startedAt);
  }
  return samples.toSorted((left, right) => left - right)[Math.floor(times / 2)] ?? 0;
}

describe("two hundred sessions", () => {
  test("are listed at once, cost next to nothing while idle, survive the daemon and go without a trace", async () => {
    await using host = await startHost();
    const sessions = await createMany(host, 200);
    expect(new Set(sessions.map(({ id }) => id)).size).toBe(200);
    await until(
      "all shells to be idle",
      async () => (await host.list()).every(({ activity }) => activity === "idle"),
      20_000,
    );
    expect(await median(20, () => host.list())).toBeLessThan(60);

    const pids = [host.daemonPid, ...host.workers().values()];
    const used = (): number => pids.reduce((sum, pid) => sum + processorMs(pid), 0);
    /** Work that is left over from the creations ends after a while; what is still used then is used for ever. */
    const shareOfCore = await until(
      "an idle machine",
      async () => {
        const before = used();
        await Bun.sleep(3000);
        const share = (used() - before) / 3000;
        return share < 0.1 && share;
      },
      60_000,
    );
    console.error(
      `idle: ${(shareOfCore * 100).toFixed(1)} % of a core for 200 sessions, ${Math.round(proportionalKib(host.daemonPid) / 1024)} MiB daemon`,
    );

    const listed = await host.list();
    await host.kill();
    const startedAt = performance.now();
    await host.start();
    console.error(`restart with 200 sessions: ${Math.round(performance.now() - startedAt)} ms`);
    const found = await host.list();
    expect(found.every(({ runtime }) => runtime.state === "live")).toBe(true);
    expect(found.map(({ pid }) => pid)).toEqual(listed.map(({ pid }) => pid));
    await removeAll(host);
    expect(await host.list()).toEqual([]);
    await until("all workers to be gone", () => host.workers().size === 0);
  }, 240_000);
});

describe("a daemon that is stopped while thirty sessions end", () => {
  // Fifty rounds, as the case wants them, are `bun bench/soak.ts --stops 50`: each starts thirty workers.
  test("has every one of them recorded as it was, again and again", async () => {
    await using host = await startHost();
    for (let round = 0; round < 15; round += 1) {
      // All of them read from a pipe that nobody writes to, and go on at once when it is closed.
      const gate = join(host.roots.home, `gate-${round}`);
      await Bun.$`mkfifo ${gate}`;
      const closed = openSync(gate, constants.O_RDWR);
      const script = (code: number): string[] => ["/bin/sh", "-c", `read x <${gate}; exit ${code}`];
      const sessions = await createMany(host, 30, (index) => ({ command: script(index % 7) }));
      // One that has not opened it yet finds it gone, and goes on as well.
      unlinkSync(gate);
      closeSync(closed);
      await Bun.sleep(round * 8);
      expect(await host.stop()).toBe(0);
      await host.start();
      for (const [index, { id }] of sessions.entries()) {
        const code = index % 7;
        expect(await host.waitForState(id, "done", "failed")).toMatchObject({
          state: code === 0 ? "done" : "failed",
          exit_code: code,
        });
      }
      await removeAll(host);
    }
  }, 400_000);
});

describe("a long-lived daemon", () => {
  test("has after hundreds of short sessions no zombie, no more descriptors and no more memory", async () => {
    await using host = await startHost();
    const run = async (count: number): Promise<void> => {
      await createMany(host, count, () => ({ command: ["/bin/sh", "-c", "echo short; exit 0"] }));
      await until("all to be done", async () => (await host.list()).every(({ state }) => state === "done"), 20_000);
      await removeAll(host);
      await until("the workers to be gone", () => host.workers().size === 0);
    };
    await run(60);
    const kib = (): number => proportionalKib(host.daemonPid);
    /** The collector gives memory back when the daemon has been quiet for a moment. */
    const settled = async (): Promise<number> => {
      let least = kib();
      await until("memory to settle", async () => {
        await Bun.sleep(500);
        const now = kib();
        const isStill = now > least * 0.97;
        least = Math.min(least, now);
        return isStill;
      });
      return least;
    };
    const before = { fds: descriptorCount(host.daemonPid), kib: await settled() };
    await run(240);
    console.error(`daemon before: ${JSON.stringify(before)}; after 240 more sessions: ${kib()} KiB`);
    expect(descriptorCount(host.daemonPid)).toBeLessThanOrEqual(before.fds);
    await until("memory to come back", () => kib() < before.kib * 1.25, 20_000);
    const children = await Bun.$`pgrep -P ${host.daemonPid}`.nothrow().text();
    expect(
      children
        .trim()
        .split("\n")
        .filter((pid) => pid !== "" && parentOf(Number(pid)) === host.daemonPid && !isAlive(Number(pid))),
    ).toEqual([]);
  }, 240_000);

  test("serves 2,000 attaches and detaches with 256 descriptors and keeps none", async () => {
    await using host = await startHost({ wrap: ["prlimit", "--nofile=256:256"] });
    const { id } = await host.newSession();
    await using control = await host.connect();
    const cycle = async (index: number): Promise<void> => {
      const { stream_id } = await control.call<{ stream_id: string }>("session.attach", { session_id: id });
      const attach = await RawAttach.open(host.address, stream_id);
      await attach.untilBytes(1);
      if (index % 2 === 0) {
        await control.call("session.detach", { stream_id });
        await attach.closed;
      } else {
        await attach[Symbol.asyncDispose]();
      }
    };
    const settled = async (pid: number, most: number): Promise<number> =>
      await until("descriptors to be closed", () => descriptorCount(pid) <= most && descriptorCount(pid), 5000);
    const worker = host.workerPid(id);
    for (let index = 0; index < 50; index += 1) {
      await cycle(index);
    }
    await Bun.sleep(100);
    const before = { daemon: descriptorCount(host.daemonPid), worker: descriptorCount(worker) };
    const startedAt = performance.now();
    for (let index = 0; index < 2000; index += 1) {
      await cycle(index);
    }
    console.error(`attach and detach: ${((performance.now() - startedAt) / 2000).toFixed(2)} ms each`);
    await settled(host.daemonPid, before.daemon);
    await settled(worker, before.worker);
    await using attach = await host.attach(id, { input: "echo end-$((1+1))\r" });
    await attach.until("end-2");
  }, 120_000);
});
