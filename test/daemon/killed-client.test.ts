import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Subprocess } from "bun";
import type { Host } from "../support/index.ts";
import { isAlive, programCommand, startHost, until } from "../support/index.ts";

const MOMENTS = 20;

function startClient(host: Host, words: readonly string[]): Subprocess {
  const env = host.roots.environment();
  const [stdin, stdout, stderr] = ["ignore", "ignore", "ignore"] as const;
  return Bun.spawn(programCommand(...words), { env, cwd: host.roots.home, stdin, stdout, stderr });
}

async function runAndKill(host: Host, words: readonly string[], afterMs: number): Promise<void> {
  const client = startClient(host, words);
  await Bun.sleep(afterMs);
  client.kill("SIGKILL");
  await client.exited;
}

/** Moments from the start of a command to a little after its end, close together at first, where it asks the daemon. */
async function momentsOf(host: Host, words: readonly string[]): Promise<number[]> {
  const startedAt = performance.now();
  expect(await startClient(host, words).exited).toBe(0);
  const duration = performance.now() - startedAt;
  return Array.from({ length: MOMENTS }, (_, index) => 1.2 * duration * ((index + 1) / MOMENTS) ** 2);
}

function entriesOf(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder).toSorted() : [];
}

/** Every session runs in a worker that the daemon has, and nothing is there that belongs to none. */
async function isWhole(host: Host): Promise<boolean> {
  const { state, runtime } = host.roots;
  const before = [entriesOf(join(state, "workers")), entriesOf(join(runtime, "workers")), [...host.workers().keys()]];
  const sessions = await host.list();
  const ids = sessions.map(({ id }) => id).toSorted();
  return (
    before.every((found) => found.toSorted().join() === ids.join()) &&
    sessions.every((one) => one.state === "running" && one.runtime.state === "live" && isAlive(one.pid))
  );
}

async function settled(host: Host): Promise<string[]> {
  await until("whole sessions only", () => isWhole(host));
  return (await host.list()).map(({ id }) => id);
}

describe("a client that is killed", () => {
  test("while it starts a session leaves a whole one or none", async () => {
    await using host = await startHost();
    const words = ["session", "new", "--", "/bin/sh", "-c", "sleep 600"];
    for (const moment of await momentsOf(host, words)) {
      await runAndKill(host, words, moment);
      await settled(host);
    }
    const ids = await settled(host);
    // The first one was left alone.
    expect(ids.length).toBeGreaterThan(1);
    expect(ids.length).toBeLessThan(MOMENTS);
    await host.kill();
    await host.start();
    expect(await settled(host)).toEqual(ids);
  }, 60_000);

  test("while it removes a session leaves it as it was or nothing of it", async () => {
    await using host = await startHost();
    const command = ["/bin/sh", "-c", 'trap "" HUP TERM; while :; do sleep 0.1; done'];
    const first = await host.newSession({ command });
    let removed = 0;
    for (const moment of await momentsOf(host, ["session", "rm", first.id])) {
      const { id, pid } = await host.newSession({ command });
      await runAndKill(host, ["session", "rm", id], moment);
      const left = await settled(host);
      if (left.includes(id)) {
        // Done by this, or by the removal that the client had asked for and the daemon came to only now.
        const refusal = await host.refusal("session.remove", id).catch(() => undefined);
        expect([undefined, "session_not_found"]).toContain(refusal);
      } else {
        removed += 1;
      }
      expect(isAlive(pid)).toBe(false);
      expect(await settled(host)).toEqual([]);
    }
    expect(removed).toBeGreaterThan(0);
    expect(removed).toBeLessThan(MOMENTS);
  }, 90_000);
});
