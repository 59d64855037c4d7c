import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Host, SessionFacts } from "../support/index.ts";
import { isAlive, startHost, until } from "../support/index.ts";

/** Asks for something during which the daemon is to die, and waits for that. */
async function askAndDie(host: Host, method: string, params: unknown): Promise<void> {
  const client = await host.connect();
  client.sendLine({ v: { minimum: 4, maximum: 4 }, id: "x", method, params });
  expect(await client.nextLine()).toBeUndefined();
  await host.daemonEnd();
}

/** Nothing of a session that is gone may be left on disk or running. */
async function expectNothingOf(host: Host, sessionId: string): Promise<void> {
  await until(
    `all of ${sessionId} to be gone`,
    () => !host.workers().has(sessionId) && !existsSync(join(host.roots.state, "workers", sessionId)),
    40_000,
  );
  expect(existsSync(join(host.roots.runtime, "workers", sessionId))).toBe(false);
}

const CREATE = { agent: "shell", command: ["/bin/sh", "-c", "echo here; sleep 600"], cols: 80, rows: 24, name: "made" };

describe("a daemon that dies while it creates a session", () => {
  test.each([["create:recorded"], ["create:worker_started"]])(
    "at %s leaves nothing behind",
    async (step) => {
      await using host = await startHost();
      const bystander = await host.newSession();
      await host.restart({ POHUNEK_TEST_CRASH_AT: step });
      await askAndDie(host, "session.new", CREATE);
      await host.start();
      await until("the half-made session to be rolled back", async () => (await host.list()).length === 1, 40_000);
      const [left] = await host.list();
      expect(left).toMatchObject({ id: bystander.id, runtime: { state: "live" } });
      await until("no other worker", () => host.workers().size === 1, 40_000);
      expect(readdirSync(join(host.roots.state, "workers"))).toEqual([bystander.id]);
    },
    60_000,
  );

  test.each([["create:initialized"], ["create:stored"]])(
    "at %s leaves a whole session",
    async (step) => {
      await using host = await startHost({ env: { POHUNEK_TEST_CRASH_AT: step } });
      await askAndDie(host, "session.new", CREATE);
      await host.start({ POHUNEK_TEST_CRASH_AT: "" });
      const [session] = await host.list();
      expect(session).toMatchObject({
        name: "made",
        state: "running",
        runtime: { state: "live", runtime_generation: "1" },
      });
      const { id = "", pid = 0 } = session ?? {};
      expect(isAlive(pid)).toBe(true);
      await using attach = await host.attach(id);
      await attach.until("here");
      await host.restart({ POHUNEK_TEST_CRASH_AT: "" });
      expect(await host.inspect(id)).toMatchObject({ pid, runtime: { state: "live" } });
    },
    60_000,
  );
});

describe("a daemon that dies while it stops a session", () => {
  test.each([["stop:recorded"], ["stop:ended"], ["stop:stored"]])(
    "at %s has it stopped in the end",
    async (step) => {
      await using host = await startHost({ env: { POHUNEK_TEST_CRASH_AT: step } });
      const { id, pid } = await host.newSession();
      await askAndDie(host, "session.stop", id);
      await host.start({ POHUNEK_TEST_CRASH_AT: "" });
      const session = await host.waitForState(id, "stopped");
      expect(session.runtime.state).toBe("terminal");
      expect(isAlive(pid)).toBe(false);
      await host.restart({ POHUNEK_TEST_CRASH_AT: "" });
      expect((await host.inspect(id)).state).toBe("stopped");
      expect(await host.call<unknown>("session.remove", id)).toMatchObject({ removed: true });
      await expectNothingOf(host, id);
    },
    60_000,
  );
});

describe("a daemon that dies while it removes a session", () => {
  test.each([["remove:recorded"], ["remove:stopped"], ["remove:released"], ["remove:cleaned"], ["remove:stored"]])(
    "at %s has it removed in the end",
    async (step) => {
      await using host = await startHost({ env: { POHUNEK_TEST_CRASH_AT: step } });
      const bystander = await host.newSession();
      const { id, pid } = await host.newSession();
      await askAndDie(host, "session.remove", id);
      await host.start({ POHUNEK_TEST_CRASH_AT: "" });
      await until(
        "the session to be gone",
        async () => (await host.list()).every((session: SessionFacts) => session.id !== id),
        40_000,
      );
      expect(isAlive(pid)).toBe(false);
      await expectNothingOf(host, id);
      expect(readdirSync(join(host.roots.state, "logs")).filter((name) => name.includes(id))).toEqual([]);
      expect((await host.inspect(bystander.id)).runtime.state).toBe("live");
    },
    60_000,
  );
});

test("kills at random moments of many operations leave only whole sessions", async () => {
  await using host = await startHost();
  for (let round = 0; round < 8; round += 1) {
    const work = Array.from({ length: 4 }, async (_, index) => {
      try {
        const session = await host.newSession({ name: `r${round}-${index}` });
        if (index % 2 === 0) {
          await host.call("session.remove", session.id);
        }
      } catch {
        // The daemon died under the request: what it left is looked at below.
      }
    });
    await Bun.sleep(20 + round * 40);
    await host.kill();
    await Promise.all(work);
    await host.start();
    const listed = await host.list();
    for (const session of listed) {
      expect(["starting", "running", "stopped"]).toContain(session.state);
    }
  }
  await until(
    "all sessions to be decided",
    async () => (await host.list()).every(({ state }) => state !== "starting"),
    40_000,
  );
  const ids = (await host.list()).filter(({ state }) => state === "running").map(({ id }) => id);
  await until("no worker without a session", () => [...host.workers().keys()].every((id) => ids.includes(id)), 40_000);
  for (const id of ids) {
    expect(await host.inspect(id)).toMatchObject({ state: "running", runtime: { state: "live" } });
  }
}, 120_000);
