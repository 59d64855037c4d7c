import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../support/index.ts";
import { isAlive, until } from "../support/index.ts";
import { inspect, resume, startStage, talked } from "./support/stage.ts";

/** Restarts the daemon so that it dies at a step, asks for something that comes there, and starts it again. */
async function dieAt(host: Host, step: string, request: { method: string; params: unknown }): Promise<void> {
  await host.restart({ POHUNEK_TEST_CRASH_AT: step });
  const client = await host.connect();
  client.sendLine({ v: { minimum: 4, maximum: 4 }, id: "x", ...request });
  expect(await client.nextLine()).toBeUndefined();
  await host.daemonEnd();
  await host.start({ POHUNEK_TEST_CRASH_AT: "" });
}

describe("a daemon that dies while it resumes a session", () => {
  test.each([["resume:recorded"], ["resume:released"], ["resume:worker_started"]])(
    "at %s leaves it as it ended, to be resumed again",
    async (step) => {
      await using stage = await startStage();
      const { host, stub } = stage;
      const { id, native_session_id: reference } = await talked(host);
      await host.call("session.stop", id);
      const ended = await inspect(host, id);
      await dieAt(host, step, { method: "session.resume", params: id });
      expect(await inspect(host, id)).toMatchObject({
        state: "stopped",
        exit_code: ended.exit_code,
        native_session_id: reference,
        capabilities: { resume: true, fork: true },
        runtime: {
          state: "terminal",
          runtime_generation: "1",
          worker_instance_id: ended.runtime.worker_instance_id,
        },
      });
      expect(stub.runs().length).toBe(1);
      const after = await resume(host, id);
      expect(after.runtime).toMatchObject({ state: "live", runtime_generation: "2" });
      await using attach = await host.attach(id);
      await attach.until("earlier: banana");
      expect(host.workers().size).toBe(1);
    },
    60_000,
  );

  test.each([["resume:initialized"], ["resume:stored"]])(
    "at %s leaves it resumed",
    async (step) => {
      await using stage = await startStage();
      const { host, stub } = stage;
      const { id, pid } = await talked(host, { name: "mine" });
      await host.call("session.stop", id);
      await dieAt(host, step, { method: "session.resume", params: id });
      const after = await host.waitForRuntime(id, "live");
      expect(after).toMatchObject({ name: "mine", state: "running", runtime: { runtime_generation: "2" } });
      expect([isAlive(after.pid), after.pid === pid]).toEqual([true, false]);
      await using attach = await host.attach(id);
      await attach.until("earlier: banana");
      expect(stub.runs().length).toBe(2);
      expect(await host.refusal("session.resume", id)).toBe("session_not_terminal");
      expect(await host.call<unknown>("session.remove", id)).toMatchObject({ removed: true });
      await until("nothing of it to be left", () => host.workers().size === 0);
      expect(existsSync(join(host.roots.state, "workers", id))).toBe(false);
    },
    60_000,
  );

  test("together with the new worker leaves a lost session of the new generation, to be resumed again", async () => {
    await using stage = await startStage();
    const { host } = stage;
    const { id } = await talked(host);
    await host.call("session.stop", id);
    await host.restart({ POHUNEK_TEST_CRASH_AT: "resume:initialized" });
    const client = await host.connect();
    client.sendLine({ v: { minimum: 4, maximum: 4 }, id: "x", method: "session.resume", params: id });
    expect(await client.nextLine()).toBeUndefined();
    await host.daemonEnd();
    process.kill(host.workerPid(id), "SIGKILL");
    await host.start({ POHUNEK_TEST_CRASH_AT: "" });
    const lost = await host.waitForRuntime(id, "lost");
    expect(lost.runtime.runtime_generation).toBe("2");
    expect((await resume(host, id)).runtime).toMatchObject({ state: "live", runtime_generation: "3" });
  }, 60_000);
});

describe("a daemon that dies while it forks a session", () => {
  const request = (session_id: string) => ({ method: "session.fork", params: { session_id, cols: 80, rows: 24 } });

  test.each([["create:recorded"], ["create:worker_started"]])(
    "at %s leaves the first session alone",
    async (step) => {
      await using stage = await startStage();
      const { host } = stage;
      const { id } = await talked(host);
      await dieAt(host, step, request(id));
      await until("the fork to be rolled back", async () => (await host.list()).length === 1, 40_000);
      await host.waitForRuntime(id, "live");
      await until("its worker to be gone", () => host.workers().size === 1, 40_000);
      expect(readdirSync(join(host.roots.state, "workers"))).toEqual([id]);
    },
    60_000,
  );

  test.each([["create:initialized"], ["create:stored"]])(
    "at %s leaves two whole sessions",
    async (step) => {
      await using stage = await startStage();
      const { host } = stage;
      const { id, native_session_id: reference } = await talked(host);
      await dieAt(host, step, request(id));
      const forked = (await host.list()).find((session) => session.id !== id);
      const own = await inspect(host, forked?.id ?? "");
      expect(own).toMatchObject({ state: "running", capabilities: { resume: true, fork: true } });
      expect(own.native_session_id).not.toBe(reference ?? "");
      await using attach = await host.attach(own.id);
      await attach.until("earlier: banana");
    },
    60_000,
  );
});
