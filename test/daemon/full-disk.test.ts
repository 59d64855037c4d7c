import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync } from "node:fs";
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

/** Takes the place of the file that keeps room for what must not be forgotten. */
function takeSpareRoom(roots: TempRoots): void {
  mkdirSync(spareFile(roots));
}

function spareFile(roots: TempRoots): string {
  return join(roots.data, "store.sqlite3.spare");
}

/** The database has all that was kept beside it. */
function isForgotten(roots: TempRoots): boolean {
  return readFileSync(spareFile(roots)).every((byte) => byte === 0);
}

async function withFullStore(
  look: (host: Host, session: SessionFacts, disk: Disk) => Promise<void>,
  prepare: (roots: TempRoots) => void = () => undefined,
): Promise<void> {
  const roots = new TempRoots();
  const disk = roots.smallDisk(roots.data, { kib: 1024 });
  prepare(roots);
  await using host = await startHost({ roots, config: "[worker]\nanswer_ms = 1000\n" });
  const session = await host.newSession({ command: ENDS_WITH_7 });
  await fillStore(host, disk, session);
  await look(host, session, disk);
}

describe("while the store's disk is full", () => {
  test("a session that was stopped is so for the next daemon, too, and for the one after there is room", async () => {
    await withFullStore(async (host, session, disk) => {
      expect(await host.call<unknown>("session.stop", session.id)).toEqual({ stopped: true });
      expect(isAlive(session.pid)).toBe(false);
      const stopped = { state: "stopped", exit_code: 7, runtime: { state: "terminal" } };
      for (const end of [() => host.kill(), () => host.stop()]) {
        expect(await host.inspect(session.id)).toMatchObject(stopped);
        await end();
        disk.fill();
        await host.start();
      }
      expect(await host.inspect(session.id)).toMatchObject(stopped);
      expect(await storeStatus(host)).toBe("fail");
      disk.empty();
      await until("the outcome to be stored", async () => (await storeStatus(host)) === "ok", 20_000);
      expect(isForgotten(host.roots)).toBe(true);
      await host.kill();
      await host.start();
      expect(await host.inspect(session.id)).toMatchObject(stopped);
    });
  }, 60_000);

  test("a session that was removed is gone for the next daemon, too, and for the one after there is room", async () => {
    await withFullStore(async (host, session, disk) => {
      await fillStore(host, disk, session);
      expect(await host.call<unknown>("session.remove", session.id)).toEqual({ removed: true, stopped: true });
      expect(isAlive(session.pid)).toBe(false);
      for (const end of [() => host.kill(), () => host.stop()]) {
        expect(await host.list()).toEqual([]);
        expect(host.workers().size).toBe(0);
        await end();
        disk.fill();
        await host.start();
      }
      expect(await host.list()).toEqual([]);
      expect(await storeStatus(host)).toBe("fail");
      disk.empty();
      await until("the removal to be stored", async () => (await storeStatus(host)) === "ok", 20_000);
      expect(isForgotten(host.roots)).toBe(true);
      await host.restart();
      expect(await host.list()).toEqual([]);
      expect(existsSync(join(host.roots.state, "workers", session.id))).toBe(false);
    });
  }, 60_000);

  test.each([
    ["session.stop", "stop:recorded"],
    ["session.stop", "stop:ended"],
    ["session.remove", "remove:recorded"],
    ["session.remove", "remove:stopped"],
    ["session.remove", "remove:cleaned"],
  ])(
    "a %s that a crash cut short at %s is finished by the next daemon",
    async (method, step) => {
      await withFullStore(async (host, session, disk) => {
        await host.kill();
        await host.start({ POHUNEK_TEST_CRASH_AT: step });
        await fillStore(host, disk, session);
        await using client = await host.connect();
        client.sendLine({ v: { minimum: 4, maximum: 4 }, id: "x", method, params: session.id });
        await host.daemonEnd();
        disk.fill();
        await host.start();
        await until("it to be finished", async () =>
          method === "session.stop"
            ? (await host.inspect(session.id)).state === "stopped"
            : (await host.list()).length === 0,
        );
        expect(isAlive(session.pid)).toBe(false);
        expect(await storeStatus(host)).toBe("fail");
      });
    },
    60_000,
  );

  test("what is not the end of a session is refused as before", async () => {
    await withFullStore(async (host, session) => {
      expect(await host.refusal("session.rename", { session_id: session.id, name: "other" })).toBe("io_error");
      const wanted = { agent: "shell", command: ["/bin/sh"], cols: 80, rows: 24 };
      expect(await host.refusal("session.new", wanted)).toBe("io_error");
      expect((await host.list()).map(({ id, name }) => [id, name])).toEqual([[session.id, session.name]]);
    });
  }, 60_000);
});

describe("while the store's disk is full, and there was no room to spare before", () => {
  const withoutSpare = (look: Parameters<typeof withFullStore>[0]): Promise<void> => withFullStore(look, takeSpareRoom);

  test("a stop ends the program, says that this is not stored yet, and it is as soon as there is room", async () => {
    await withoutSpare(async (host, session, disk) => {
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
    await withoutSpare(async (host, session, disk) => {
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
    await withoutSpare(async (host, session, disk) => {
      expect(await host.refusal("session.remove", session.id)).toBe("io_error");
      disk.empty();
      const outcome = await host.call<unknown>("session.remove", session.id);
      expect(outcome).toEqual({ removed: true, stopped: false });
      expect(await host.list()).toEqual([]);
    });
  }, 60_000);

  test("the outcome of a stop outlives the daemon in the worker", async () => {
    await withoutSpare(async (host, session, disk) => {
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
    await withoutSpare(async (host, session) => {
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

test.each([
  ["session.stop", "room to spare", { stopped: true }],
  ["session.remove", "room to spare", { removed: true }],
  ["session.stop", "none", { stopped: true, stored: false }],
  ["session.remove", "none", { code: "io_error" }],
])(
  "a program that fills the one disk of everything is ended by a %s (there is %s), and others can be started then",
  async (method, room, answer) => {
    const roots = new TempRoots();
    const disk = roots.smallDisk(roots.state, { kib: 2048 });
    const store = roots.smallDisk(roots.data, { kib: 1024 });
    if (room === "none") takeSpareRoom(roots);
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
    expect(ok ?? err).toMatchObject(answer);
    expect(isAlive(session.pid)).toBe(false);
    expect((await host.list()).map(({ state }) => state)).toEqual("removed" in answer ? [] : ["stopped"]);
    await Bun.$`rm ${join(roots.state, "filled")} ${join(roots.data, "filled")}`.quiet();
    disk.empty();
    store.empty();
    await until("room in the store", async () => (await storeStatus(host)) === "ok", 20_000);
    await host.newSession();
    expect((await host.list()).filter(({ state }) => state === "running").length).toBe(1);
  },
  60_000,
);
