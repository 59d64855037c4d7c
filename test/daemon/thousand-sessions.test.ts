// Runs alone: it measures memory and time, and fills the machine with sessions.
import { expect, test } from "bun:test";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../support/index.ts";
import { descriptorCount, isAlive, parentOf, startHost, until } from "../support/index.ts";

const STORED = 900;
const REAL = 100;
/** Creations at a time: the machine has two cores. */
const PARALLEL = 8;
/** Workers of ended sessions that the host keeps (worker.keep_ended). */
const KEPT = 16;

/** Copies an ended session, as if others like it had ended before. */
async function multiply(host: Host, id: string, copies: number): Promise<void> {
  const { Database } = await import("bun:sqlite");
  const db = new Database(join(host.roots.data, "store.sqlite3"));
  const columns = db
    .query<{ name: string }, []>("PRAGMA table_info(sessions)")
    .all()
    .map(({ name }) => name)
    .filter((name) => !["id", "name", "worker_id", "runtime_id"].includes(name));
  const numbers = `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${copies})`;
  const keys = "'s-' || printf('%026d', i), 'stored ' || i, 'k-' || printf('%026d', i), 'w-' || printf('%026d', i)";
  db.run(
    `INSERT INTO sessions (id, name, worker_id, runtime_id, ${columns.join(", ")}) ${numbers}
     SELECT ${keys}, ${columns.join(", ")} FROM n, sessions WHERE id = ?`,
    [id],
  );
  db.close();
}

/** What a process has for itself; its program's pages are shared with whoever else runs it at the moment. */
function anonymousKib(pid: number): number {
  return Number(/^RssAnon:\s+(\d+)/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]);
}

async function inBatches<Item>(items: readonly Item[], work: (item: Item) => Promise<unknown>): Promise<void> {
  for (let index = 0; index < items.length; index += PARALLEL)
    await Promise.all(items.slice(index, index + PARALLEL).map(work));
}

async function fastest(times: number, work: () => Promise<unknown>): Promise<number> {
  let best = Number.POSITIVE_INFINITY;
  for (let round = 0; round < times; round += 1) {
    const startedAt = performance.now();
    await work();
    best = Math.min(best, performance.now() - startedAt);
  }
  return best;
}

test("a thousand ended sessions are listed at once, found after a restart, and removed without a trace", async () => {
  // A worker that waits to be used comes and goes with descriptors of its own.
  await using host = await startHost({ config: "[worker]\nstandby = 0\n" });
  const first = await host.newSession({ command: ["/bin/sh", "-c", "exit 3"] });
  await host.waitForState(first.id, "failed");
  await host.restart();
  const before = { fds: descriptorCount(host.daemonPid), kib: anonymousKib(host.daemonPid) };
  await host.stop();
  await multiply(host, first.id, STORED - 1);
  await host.start();
  expect((await host.list()).length).toBe(STORED);
  expect((await host.list()).every(({ state, exit_code: code }) => state === "failed" && code === 3)).toBe(true);

  const real: string[] = [];
  await inBatches(Array.from({ length: REAL }), async () => {
    real.push((await host.newSession({ command: ["/bin/sh", "-c", "echo short; exit 0"] })).id);
  });
  for (const id of real) expect(await host.waitForState(id, "done")).toMatchObject({ exit_code: 0 });
  const all = await host.list();
  expect(new Set(all.map(({ id }) => id)).size).toBe(STORED + REAL);
  await until("workers to give way", () => host.workers().size <= KEPT);
  const listMs = await fastest(10, () => host.list());
  expect(listMs).toBeLessThan(250);

  const startedAt = performance.now();
  await host.restart();
  const restartMs = performance.now() - startedAt;
  expect((await host.list()).map(({ id }) => id)).toEqual(all.map(({ id }) => id));
  const zombies = readdirSync("/proc")
    .map(Number)
    .filter((pid) => pid > 0 && parentOf(pid) === host.daemonPid && !isAlive(pid));
  expect(zombies).toEqual([]);

  await inBatches(all, ({ id }) => host.call("session.remove", id));
  expect(await host.list()).toEqual([]);
  await until("the workers to be gone", () => host.workers().size === 0);
  await until("descriptors to be closed", () => descriptorCount(host.daemonPid) <= before.fds);
  await host.restart();
  console.error(
    `1,000 sessions: listed in ${listMs.toFixed(1)} ms, restart in ${restartMs.toFixed(0)} ms; daemon ${before.kib} KiB before, ${anonymousKib(host.daemonPid)} KiB after`,
  );
  // A store that was that large is no larger for the next daemon.
  await until("memory to be what it was", () => anonymousKib(host.daemonPid) < before.kib * 1.1, 20_000);
}, 120_000);
