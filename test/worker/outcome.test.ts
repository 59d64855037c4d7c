import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { parseJournal } from "../../packages/host/src/worker-api/journal.ts";
import { TempRoots, until } from "../support/index.ts";
import { Viewer } from "./support/viewer.ts";
import { launchSpec, newKey, WorkerUnderTest } from "./support/worker-under-test.ts";

const HURRIED_WORKER = join(import.meta.dir, "../fixtures/hurried-worker.ts");

describe("the outcome", () => {
  test("is kept until a daemon that was away acknowledges it; then nothing is left", async () => {
    await using worker = await WorkerUnderTest.start();
    {
      await using session = await worker.run("printf 'last words'; read x; exit 9");
      await session.shows("last words");
      await session.client.write([{ data: Buffer.from("\n") }]);
    }
    await using later = await worker.connect();
    const { exit } = await until("the outcome", async () => {
      const inspection = await later.inspect();
      return inspection.phase === "exited" && inspection;
    });
    expect(exit).toMatchObject({ code: 9 });
    expect(worker.journal).toMatchObject({ phase: "exited", exit: { code: 9 } });
    await using session = await worker.control();
    expect((await session.client.snapshot()).visible_lines[0]).toContain("last words");
    await session.client.acknowledgeTerminal();
    await worker.hasEnded();
    expect([existsSync(worker.journalFile), existsSync(worker.socketPath)]).toEqual([false, false]);
  });

  test("that nobody fetches within a day is given up, and its journal still tells it", async () => {
    const program = [process.execPath, HURRIED_WORKER, "worker", "run"];
    await using worker = await WorkerUnderTest.start({ program });
    {
      await using session = await worker.run("read x; exit 9");
      await session.client.write([{ data: Buffer.from("\n") }]);
      await session.event("child_exited");
      expect(worker.log).not.toContain("outcome_expired");
    }
    await worker.hasEnded();
    expect(worker.log).toContain("outcome_expired");
    expect(existsSync(worker.socketPath)).toBe(false);
    expect(worker.journal).toMatchObject({ phase: "exited", exit: { code: 9 } });
  });

  test("can't be acknowledged while the program runs", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("exec cat");
    const refused = await session.client.acknowledgeTerminal().catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "worker_invalid_state" });
  });
});

describe("the journal", () => {
  test("is there before the worker answers, readable for the owner alone, and names processes exactly", async () => {
    await using worker = await WorkerUnderTest.start();
    const waiting = parseJournal(readFileSync(worker.journalFile, "utf8"));
    expect(waiting).toMatchObject({ kind: "journal", journal: { phase: "waiting", schema: 1 } });
    await using session = await worker.run("exec cat", { cols: 90, rows: 20 });
    const { journal } = worker;
    const inspection = await session.client.inspect();
    expect(journal).toMatchObject({
      session_id: worker.key.sessionId,
      worker_id: worker.key.workerId,
      runtime_id: worker.key.runtimeId,
      phase: "running",
      child: inspection.child,
      cols: 90,
      rows: 20,
      worker: { pid: worker.pid, boot_id: readFileSync("/proc/sys/kernel/random/boot_id", "latin1").trim() },
    });
    expect(parseJournal(JSON.stringify(journal)).kind).toBe("journal");
    expect(readdirSync(dirname(worker.journalFile))).toEqual([`${worker.key.workerId}.json`]);
  });

  test("and the log hold nothing that was typed, printed or passed", async () => {
    await using worker = await WorkerUnderTest.start();
    const secrets = ["in-argv-5521", "in-env-7734", "typed-9090", "printed-1212", "in-title-3434", "planned-5656"];
    const [inArgv, inEnv, typed, printed, inTitle, planned] = secrets;
    const script = `: ${inArgv}; printf '${printed}\\033]0;${inTitle}\\007ready'; stty -echo; read x; read y; exit 1`;
    await using session = await worker.run(script, { env: { SECRET: `${inEnv}` } });
    await session.shows("ready");
    using viewer = await Viewer.attach(session.client);
    viewer.type(`${typed}\n`);
    await session.client.write([{ data: Buffer.from(`${planned}\n`) }]);
    await session.event("child_exited");
    await until("the log to be written", () => worker.log.includes("child_exited"));
    const everything = [readFileSync(worker.journalFile, "utf8"), worker.log];
    for (const [, kept] of everything.entries()) {
      expect(secrets.filter((secret) => kept.includes(secret))).toEqual([]);
    }
    const argv = readFileSync(`/proc/${worker.pid}/cmdline`, "latin1");
    const environ = readFileSync(`/proc/${worker.pid}/environ`, "latin1");
    expect(secrets.filter((secret) => argv.includes(secret) || environ.includes(secret))).toEqual([]);
  });

  test("that can't be written is told, and the session goes on", async () => {
    using roots = new TempRoots();
    const folder = join(roots.state, "workers");
    const disk = roots.smallDisk(folder, { kib: 64 });
    disk.fill();
    await using worker = await WorkerUnderTest.start({ roots });
    await using session = await worker.run("printf ready; exec cat");
    await session.shows("ready");
    const { faults } = await session.client.inspect();
    expect(faults[0]).toMatchObject({ code: "journal_unwritable", message: "ENOSPC" });
    disk.empty();
    await session.client.stop();
    expect(worker.journal).toMatchObject({ phase: "exited" });
  });

  test("in a folder that is a file leaves the session alone too", async () => {
    using roots = new TempRoots();
    mkdirSync(roots.state, { recursive: true });
    writeFileSync(join(roots.state, "workers"), "");
    await using worker = await WorkerUnderTest.start({ roots });
    await using session = await worker.run("printf ready; exec cat");
    await session.shows("ready");
    expect((await session.client.inspect()).faults.length).toBeGreaterThan(0);
  });
});

describe("the log", () => {
  test("of a full disk is told once there is room; the session goes on", async () => {
    using roots = new TempRoots();
    const disk = roots.smallDisk(join(roots.state, "logs"), { kib: 64 });
    disk.fill();
    await using worker = await WorkerUnderTest.start({ roots });
    {
      await using session = await worker.run("printf ready; exec cat");
      await session.shows("ready");
    }
    disk.empty();
    await using session = await worker.control();
    await until("the loss to be told", () => worker.log.includes("log_lines_dropped"));
    expect(
      worker.log
        .trimEnd()
        .split("\n")
        .every((line) => typeof JSON.parse(line) === "object"),
    ).toBe(true);
    await session.client.stop();
  });

  test("is one family for all generations of a session", async () => {
    using roots = new TempRoots();
    const first = newKey();
    const second = { ...first, workerId: newKey().workerId, runtimeId: newKey().runtimeId, generation: 2 };
    for (const key of [first, second]) {
      await using worker = await WorkerUnderTest.start({ roots, key });
      await using session = await worker.control();
      await session.client.initialize(launchSpec("exit 0"));
      await session.event("child_exited");
      await session.client.acknowledgeTerminal();
      await worker.hasEnded();
    }
    const names = readdirSync(join(roots.state, "logs"));
    expect(names.sort()).toEqual([
      `pohunek-session-${first.sessionId}.jsonl`,
      `pohunek-session-${first.sessionId}.jsonl.lock`,
    ]);
    const log = readFileSync(join(roots.state, "logs", names[0] ?? ""), "utf8");
    expect(log.match(/worker_ready/g)).toHaveLength(2);
    rmSync(join(roots.state, "logs"), { recursive: true });
  });
});
