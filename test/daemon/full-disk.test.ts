import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import type { Host, SessionFacts } from "../support/index.ts";
import { isAlive, startHost, TempRoots, until } from "../support/index.ts";

interface Disk {
  fill(): void;
  empty(): void;
}

const ENDS_WITH_7 = ["/bin/sh", "-c", "trap 'exit 7' HUP; while :; do sleep 0.05; done"];

/** Fills the disk of the store until it takes nothing any more. */
async function fillStore(host: Host, disk: Disk, { id }: SessionFacts): Promise<void> {
  await until("the store to be full", async () => {
    disk.fill();
    await using client = await host.connect();
    const { err } = await client.ask("session.rename", { session_id: id, name: "x".repeat(120) });
    return err?.code === "io_error";
  });
}

async function storeStatus(host: Host): Promise<string | undefined> {
  const { report } = await host.call<{ report: { checks: { name: string; status: string }[] } }>("daemon.doctor");
  return report.checks.find(({ name }) => name === "store")?.status;
}

async function withFullStore(look: (host: Host, session: SessionFacts, disk: Disk) => Promise<void>): Promise<void> {
  const roots = new TempRoots();
  const disk = roots.smallDisk(roots.data, { kib: 1024 });
  await using host = await startHost({ roots, config: "[worker]\nanswer_ms = 1000\n" });
  const session = await host.newSession({ command: ENDS_WITH_7 });
  await fillStore(host, disk, session);
  await look(host, session, disk);
}

describe("while the store's disk is full", () => {
  test("a stop ends the program, says that this is not stored yet, and it is as soon as there is room", async () => {
    await withFullStore(async (host, session, disk) => {
      const unstored = { stopped: true, stored: false };
      expect(await host.call<unknown>("session.stop", session.id)).toEqual(unstored);
      expect(isAlive(session.pid)).toBe(false);
      expect(await host.list()).toMatchObject([{ state: "stopped", exit_code: 7, runtime: { state: "terminal" } }]);
      expect(await host.call<unknown>("session.stop", session.id)).toEqual(unstored);
      expect(await storeStatus(host)).toBe("fail");
      disk.empty();
      await until("the outcome to be stored", async () => (await storeStatus(host)) === "ok", 20_000);
      expect(await host.call<unknown>("session.stop", session.id)).toEqual({ stopped: true });
      await host.kill();
      await host.start();
      expect(await host.inspect(session.id)).toMatchObject({ state: "stopped", exit_code: 7 });
    });
  }, 60_000);

  test("a remove ends the program, keeps the session listed as it is, and goes on by itself", async () => {
    await withFullStore(async (host, session, disk) => {
      await using client = await host.connect();
      const { err } = await client.ask("session.remove", session.id);
      expect(err?.code).toBe("io_error");
      expect(err?.msg).toContain("has ended");
      expect(isAlive(session.pid)).toBe(false);
      expect(await host.list()).toMatchObject([{ id: session.id, state: "stopped", exit_code: 7 }]);
      // Nothing else knows the outcome now, should the daemon die.
      expect(isAlive(host.workerPid(session.id))).toBe(true);
      expect(await host.refusal("session.remove", session.id)).toBe("io_error");
      disk.empty();
      await until("the session to be gone", async () => (await host.list()).length === 0, 20_000);
      expect(host.workers().size).toBe(0);
      expect(existsSync(join(host.roots.state, "workers", session.id))).toBe(false);
      expect(readdirSync(join(host.roots.state, "logs")).filter((name) => name.includes(session.id))).toEqual([]);
      await host.restart();
      expect(await host.list()).toEqual([]);
    });
  }, 60_000);

  test("a remove that is asked for again when there is room is done at once", async () => {
    await withFullStore(async (host, session, disk) => {
      expect(await host.refusal("session.remove", session.id)).toBe("io_error");
      disk.empty();
      const outcome = await host.call<unknown>("session.remove", session.id);
      expect(outcome).toEqual({ removed: true, stopped: false });
      expect(await host.list()).toEqual([]);
    });
  }, 60_000);

  test("the outcome of a stop outlives the daemon in the worker", async () => {
    await withFullStore(async (host, session, disk) => {
      expect(await host.call<unknown>("session.stop", session.id)).toMatchObject({ stored: false });
      await host.kill();
      disk.empty();
      await host.start();
      // That it was asked for is known to nobody any more.
      expect(await host.inspect(session.id)).toMatchObject({ state: "failed", exit_code: 7 });
      expect(await host.call<unknown>("session.remove", session.id)).toEqual({ removed: true, stopped: false });
    });
  }, 60_000);

  test("a worker that hangs is ended as well", async () => {
    await withFullStore(async (host, session) => {
      const worker = host.workerPid(session.id);
      process.kill(worker, "SIGSTOP");
      expect(await host.call<unknown>("session.stop", session.id)).toEqual({ stopped: true, stored: false });
      expect([worker, session.pid].map(isAlive)).toEqual([false, false]);
      expect(await host.inspect(session.id)).toMatchObject({
        state: "stopped",
        runtime: { loss_reason: "worker_unresponsive" },
      });
    });
  }, 60_000);
});

test.each([["session.stop"], ["session.remove"]])(
  "a program that fills the one disk of everything is ended by a %s, and others can be started then",
  async (method) => {
    const roots = new TempRoots();
    const disk = roots.smallDisk(roots.state, { kib: 2048 });
    const store = roots.smallDisk(roots.data, { kib: 1024 });
    await using host = await startHost({ roots });
    const fill = (folder: string): string => `cat /dev/zero > ${join(folder, "filled")}`;
    const session = await host.newSession({
      command: ["/bin/sh", "-c", `read go; ${fill(roots.state)}; ${fill(roots.data)}; echo full; exec cat`],
    });
    await using attach = await host.attach(session.id, { input: "go\r" });
    await attach.until("full");
    await fillStore(host, store, session);
    disk.fill();
    const startedAt = performance.now();
    await using client = await host.connect();
    const { ok, err } = await client.ask(method, session.id);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(method === "session.stop" ? ok : err).toMatchObject(
      method === "session.stop" ? { stopped: true, stored: false } : { code: "io_error" },
    );
    expect(isAlive(session.pid)).toBe(false);
    expect((await host.inspect(session.id)).state).toBe("stopped");
    await Bun.$`rm ${join(roots.state, "filled")} ${join(roots.data, "filled")}`.quiet();
    disk.empty();
    store.empty();
    await until("room in the store", async () => (await storeStatus(host)) === "ok", 20_000);
    await host.newSession();
    expect((await host.list()).filter(({ state }) => state === "running").length).toBe(1);
  },
  60_000,
);
