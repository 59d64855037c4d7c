import { describe, expect, test } from "bun:test";
import { cpSync, existsSync, mkdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import type { SessionId } from "@pohunek/protocol/wire";
import { journalDir, workerRuntimeDir } from "../../packages/host/src/worker-api/paths.ts";
import { isAlive, parentOf, TempRoots, until } from "../support/index.ts";
import { newKey, supervisorFor, WorkerUnderTest } from "./support/worker-under-test.ts";

/** Runs a supervisor in a process of its own, which can be killed. */
function startElsewhere(roots: TempRoots, backend: string): ReturnType<typeof Bun.spawn> {
  const script = join(import.meta.dir, "support", "start-elsewhere.ts");
  return Bun.spawn([process.execPath, script, roots.base, backend], { stdout: "pipe", stderr: "inherit" });
}

describe("a detached worker", () => {
  test("has no parent of ours and outlives the one who started it", async () => {
    using roots = new TempRoots();
    const starter = startElsewhere(roots, "detached");
    const [sighting] = await until("the worker", async () => {
      const found = await supervisorFor(roots).discover();
      return found.length === 1 && found;
    });
    if (sighting?.kind !== "worker") {
      throw new Error("no worker was found");
    }
    await using worker = WorkerUnderTest.adopt(roots, sighting.key);
    const { pid } = worker;
    expect(parentOf(pid)).not.toBe(starter.pid);
    starter.kill("SIGKILL");
    await starter.exited;
    await using session = await worker.control();
    expect((await session.client.inspect()).worker.pid).toBe(pid);
  });

  test("is found by its journal, alive, with a socket; and dead once it was killed", async () => {
    await using worker = await WorkerUnderTest.start();
    const { supervisor, key } = worker;
    expect(await supervisor.discover()).toMatchObject([{ kind: "worker", key, life: "alive", hasSocket: true }]);
    expect(await supervisor.retire(key).catch((error: unknown) => error)).toMatchObject({
      code: "worker_invalid_state",
    });
    process.kill(worker.pid, "SIGKILL");
    await until("the worker to be dead", async () => {
      const sighting = await supervisor.inspect(key);
      return sighting?.kind === "worker" && sighting.life === "dead";
    });
    await supervisor.retire(key);
    expect(await supervisor.discover()).toEqual([]);
    expect(existsSync(workerRuntimeDir(worker.roots.runtime, key.sessionId))).toBe(false);
    expect(existsSync(journalDir(worker.roots.state, key.sessionId))).toBe(false);
  });

  test("of another boot, or whose pid was given to another process, is dead", async () => {
    await using worker = await WorkerUnderTest.start();
    const { supervisor, journalFile, journal } = worker;
    const facts = journal["worker"] as Record<string, unknown>;
    for (const change of [{ boot_id: "another-boot" }, { start_identity: "1" }, { pid: 2 ** 22 - 1 }]) {
      writeFileSync(journalFile, JSON.stringify({ ...journal, worker: { ...facts, ...change } }));
      expect(await supervisor.discover()).toMatchObject([{ kind: "worker", life: "dead" }]);
    }
  });

  test("that ends before it is ready is told at once", async () => {
    using roots = new TempRoots();
    mkdirSync(roots.runtime, { recursive: true });
    // The folder of its socket can't be made.
    writeFileSync(join(roots.runtime, "workers"), "");
    const refused = await supervisorFor(roots)
      .start(newKey())
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "worker_exited_before_ready" });
  });

  test("with a socket path that is too long is refused before anything is made", async () => {
    using roots = new TempRoots();
    const key = { ...newKey(), sessionId: `s-${"x".repeat(80)}` as SessionId };
    const refused = await supervisorFor(roots)
      .start(key)
      .catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "worker_socket_path_invalid" });
    expect(existsSync(roots.runtime)).toBe(false);
    expect(existsSync(roots.state)).toBe(false);
  });

  test("replaces the socket that a dead one of its session left", async () => {
    using roots = new TempRoots();
    const key = newKey();
    {
      await using first = await WorkerUnderTest.start({ roots, key });
      process.kill(first.pid, "SIGKILL");
    }
    await using second = await WorkerUnderTest.start({ roots, key: { ...key, workerId: newKey().workerId } });
    await using client = await second.connect();
    expect(client.hello.worker_id).toBe(second.key.workerId);
  });
});

describe("a worker as subprocess", () => {
  test("ends with its daemon, also when that is killed", async () => {
    using roots = new TempRoots();
    const starter = startElsewhere(roots, "subprocess");
    const [sighting] = await until("the worker", async () => {
      const found = await supervisorFor(roots).discover();
      return found.length === 1 && found;
    });
    if (sighting?.kind !== "worker") {
      throw new Error("no worker was found");
    }
    const { pid } = sighting.journal.worker;
    expect(parentOf(pid)).toBe(starter.pid);
    starter.kill("SIGKILL");
    await starter.exited;
    await until("the worker to end", () => !isAlive(pid));
  });

  test("serves sessions just as a detached one, and ends in order when it is disposed of", async () => {
    await using worker = await WorkerUnderTest.start({ backend: "subprocess" });
    await using session = await worker.run("printf ready; exec cat");
    await session.shows("ready");
    const child = (await session.client.inspect()).child?.pid ?? 0;
    await worker.supervisor[Symbol.asyncDispose]();
    expect(isAlive(child)).toBe(false);
    expect(worker.journal).toMatchObject({ phase: "exited" });
  });
});

describe("what is no evidence", () => {
  test.each([
    ["schema_unsupported", '{"schema":2}'],
    ["malformed", "not json"],
    ["malformed", '{"schema":1}'],
    ["too_large", "x".repeat(70_000)],
  ])("%s", async (reason, content) => {
    using roots = new TempRoots();
    const { sessionId, workerId } = newKey();
    const folder = journalDir(roots.state, sessionId);
    mkdirSync(folder, { recursive: true });
    writeFileSync(join(folder, `${workerId}.json`), content);
    const [sighting] = await supervisorFor(roots).discover();
    expect(sighting).toMatchObject({ kind: "unusable", claimedSessionId: sessionId, reason });
  });

  test("a link, a folder, a journal of another session, a socket alone", async () => {
    await using worker = await WorkerUnderTest.start();
    const { roots, supervisor, journalFile, key } = worker;
    const other = newKey();
    const folder = journalDir(roots.state, other.sessionId);
    mkdirSync(join(folder, "folder.json"), { recursive: true });
    symlinkSync(journalFile, join(folder, "link.json"));
    cpSync(journalFile, join(folder, `${key.workerId}.json`));
    const lonely = newKey().sessionId;
    mkdirSync(workerRuntimeDir(roots.runtime, lonely), { recursive: true });
    writeFileSync(join(workerRuntimeDir(roots.runtime, lonely), "control.sock"), "");
    const found = await supervisor.discover();
    const reasons = found
      .filter((each) => each.kind === "unusable")
      .map((each) => `${each.file.slice(each.file.lastIndexOf("/") + 1)} ${each.reason}`);
    expect(reasons.sort()).toEqual([
      "folder.json unreadable",
      `${key.workerId}.json malformed`,
      "link.json unreadable",
    ]);
    expect(found.filter((each) => each.kind === "socket_only")).toMatchObject([{ claimedSessionId: lonely }]);
    expect(found.filter((each) => each.kind === "worker")).toHaveLength(1);
    rmSync(dirname(folder), { recursive: true, force: true });
  });

  test("the state folder is not there: nothing is found", async () => {
    using roots = new TempRoots();
    expect(await supervisorFor(roots).discover()).toEqual([]);
  });
});
