import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Host, SessionFacts } from "../support/index.ts";
import { isAlive, processesMentioning, startHost, until } from "../support/index.ts";

const ANSWER_MS = 1000;
const QUICK = { config: `[worker]\nanswer_ms = ${ANSWER_MS}\n` };

/** Ignores what asks it to end, and has a companion in another terminal session that does so as well. */
const STUBBORN = [
  "/bin/sh",
  "-c",
  `trap "" HUP TERM; setsid -f sh -c 'trap "" HUP TERM; while :; do sleep 0.1; done'; echo up; while :; do sleep 0.1; done`,
];

/** Stops the session's worker in the middle of whatever it does: it accepts connections, and answers nothing. */
function hang(host: Host, { id }: SessionFacts): number {
  const pid = host.workerPid(id);
  process.kill(pid, "SIGSTOP");
  return pid;
}

function expectNothingOf(host: Host, session: SessionFacts): void {
  expect(isAlive(session.pid)).toBe(false);
  expect(host.workers().has(session.id)).toBe(false);
  expect(processesMentioning(session.runtime.worker_instance_id)).toEqual([]);
  expect(existsSync(join(host.roots.state, "workers", session.id))).toBe(false);
  expect(existsSync(join(host.roots.runtime, "workers", session.id))).toBe(false);
}

describe("a worker that hangs", () => {
  test("is ended with its program by a stop, whose outcome is told as it is, while other sessions go on", async () => {
    await using host = await startHost(QUICK);
    const other = await host.newSession();
    const session = await host.newSession({ command: STUBBORN });
    await using shown = await host.attach(session.id);
    await shown.until("up");
    const worker = hang(host, session);
    const startedAt = performance.now();
    let isStopped = false;
    const stopping = host.call<unknown>("session.stop", session.id).finally(() => {
      isStopped = true;
    });
    await using attach = await host.attach(other.id, { input: "echo here-$((3+3))\r" });
    await attach.until("here-6");
    let slowest = 0;
    while (!isStopped) {
      const askedAt = performance.now();
      expect((await host.list()).length).toBe(2);
      slowest = Math.max(slowest, performance.now() - askedAt);
    }
    expect(slowest).toBeLessThan(1000);
    expect(await stopping).toEqual({ stopped: true });
    expect(performance.now() - startedAt).toBeGreaterThanOrEqual(ANSWER_MS);
    expect(performance.now() - startedAt).toBeLessThan(ANSWER_MS + 6000);
    const ended = await host.inspect(session.id);
    expect(ended).toMatchObject({
      state: "stopped",
      runtime: { state: "terminal", loss_reason: "worker_unresponsive" },
    });
    expect(ended.exit_code).toBeUndefined();
    expect(isAlive(worker)).toBe(false);
    expectNothingOf(host, session);
    await host.restart();
    expect(await host.inspect(session.id)).toMatchObject({ state: "stopped" });
    expect(await host.call<unknown>("session.remove", session.id)).toEqual({ removed: true, stopped: false });
    expect((await host.list()).map(({ id }) => id)).toEqual([other.id]);
  }, 30_000);

  test.each([["session.remove"], ["session.remove_accepting_unconfirmed"]])("is ended by a %s", async (method) => {
    await using host = await startHost(QUICK);
    const session = await host.newSession({ command: STUBBORN });
    hang(host, session);
    expect(await host.call<unknown>(method, session.id)).toEqual({ removed: true, stopped: true });
    expect(await host.list()).toEqual([]);
    expectNothingOf(host, session);
  });

  test.each([["session.stop"], ["session.remove"]])(
    "is ended by a %s of the next daemon",
    async (method) => {
      await using host = await startHost(QUICK);
      const session = await host.newSession({ command: STUBBORN });
      const other = await host.newSession();
      hang(host, session);
      await host.kill();
      await host.start();
      expect((await host.inspect(other.id)).runtime.state).toBe("live");
      expect(await host.inspect(session.id)).toMatchObject({ state: "running", runtime: { state: "reconnecting" } });
      expect(isAlive(session.pid)).toBe(true);
      await host.call(method, session.id);
      expectNothingOf(host, session);
      expect((await host.list()).map(({ state }) => state)).toEqual(
        method === "session.stop" ? ["stopped", "running"] : ["running"],
      );
    },
    30_000,
  );

  test("does not outlive the removal of its session when the program had ended before", async () => {
    await using host = await startHost(QUICK);
    const session = await host.newSession({ command: ["/bin/sh", "-c", "read x; exit 3"] });
    await host.call("session.input", { session_id: session.id, text: "" });
    await host.waitForState(session.id, "failed");
    hang(host, session);
    expect((await host.inspect(session.id)).exit_code).toBe(3);
    expect(await host.call<unknown>("session.remove", session.id)).toEqual({ removed: true, stopped: false });
    expectNothingOf(host, session);
  });

  test("is waited for in the background by a stop that a daemon did not finish", async () => {
    await using host = await startHost({ ...QUICK, env: { POHUNEK_TEST_CRASH_AT: "stop:recorded" } });
    const session = await host.newSession();
    hang(host, session);
    await using client = await host.connect();
    client.sendLine({ v: { minimum: 4, maximum: 4 }, id: "x", method: "session.stop", params: session.id });
    await host.daemonEnd();
    await host.start({ POHUNEK_TEST_CRASH_AT: "" });
    expect((await host.waitForState(session.id, "stopped")).runtime.loss_reason).toBe("worker_unresponsive");
    expectNothingOf(host, session);
  });

  test("does not keep the daemon from ending", async () => {
    await using host = await startHost(QUICK);
    const session = await host.newSession();
    hang(host, session);
    const screen = host.refusal("session.screen", { session_id: session.id }).catch(() => "cut off");
    const startedAt = performance.now();
    expect(await host.stop()).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(4000);
    await screen;
    await host.start();
    expect(await host.call<unknown>("session.remove", session.id)).toEqual({ removed: true, stopped: true });
  }, 30_000);

  test("several of them are ended at the same time", async () => {
    await using host = await startHost(QUICK);
    const sessions = await Promise.all(Array.from({ length: 6 }, () => host.newSession()));
    sessions.forEach((session) => hang(host, session));
    const startedAt = performance.now();
    await Promise.all(sessions.map(({ id }) => host.call("session.remove", id)));
    expect(performance.now() - startedAt).toBeLessThan(3 * ANSWER_MS);
    expect(await host.list()).toEqual([]);
    expect(host.workers().size).toBe(0);
  }, 30_000);
});

describe("a worker that is only slow", () => {
  test("is stopped in order when it comes back in time", async () => {
    await using host = await startHost({ config: "[worker]\nanswer_ms = 8000\n" });
    const session = await host.newSession({
      command: ["/bin/sh", "-c", "trap 'exit 7' HUP; while :; do sleep 0.05; done"],
    });
    const worker = hang(host, session);
    const stopping = host.call<unknown>("session.stop", session.id);
    await until("the stop to be under way", async () => {
      const { Database } = await import("bun:sqlite");
      using db = new Database(join(host.roots.data, "store.sqlite3"), { readonly: true });
      return db.query("SELECT 1 FROM operations").get() !== null;
    });
    process.kill(worker, "SIGCONT");
    expect(await stopping).toEqual({ stopped: true });
    const ended = await host.inspect(session.id);
    expect(ended).toMatchObject({ state: "stopped", exit_code: 7 });
    expect(ended.runtime.loss_reason).toBeUndefined();
    expect(isAlive(worker)).toBe(true);
  });

  test("is left alone as long as nobody wants its session to end, also over a restart", async () => {
    await using host = await startHost({ config: "[worker]\nanswer_ms = 500\n[input]\ntimeout_ms = 300\n" });
    const session = await host.newSession();
    const worker = hang(host, session);
    // What is asked of it meanwhile, and fails, is no reason to end it.
    expect(await host.refusal("session.input", { session_id: session.id, text: "x" })).toBe(
      "worker_write_outcome_unknown",
    );
    await host.kill();
    await host.start();
    expect(await host.refusal("session.input", { session_id: session.id, text: "x" })).toBe(
      "session_runtime_reconnecting",
    );
    expect(isAlive(worker)).toBe(true);
    process.kill(worker, "SIGCONT");
    expect(await host.waitForRuntime(session.id, "live")).toMatchObject({ pid: session.pid, state: "running" });
    await using attach = await host.attach(session.id, { input: "echo here-$((3+3))\r" });
    await attach.until("here-6");
  }, 30_000);
});

test("a process is never ended for its pid alone: a journal that names another start is no reason", async () => {
  await using host = await startHost(QUICK);
  const session = await host.newSession();
  const bystander = Bun.spawn(["sleep", "600"]);
  const journal = join(host.roots.state, "workers", session.id, `${session.runtime.worker_id}.json`);
  const worker = hang(host, session);
  try {
    const written = JSON.parse(readFileSync(journal, "utf8")) as { worker: object; child: object };
    const { pid } = bystander;
    writeFileSync(
      journal,
      JSON.stringify({ ...written, worker: { ...written.worker, pid }, child: { ...written.child, pid } }),
    );
    expect(await host.refusal("session.stop", session.id)).toBe("session_runtime_reconnecting");
    expect([pid, worker, session.pid].map(isAlive)).toEqual([true, true, true]);
    writeFileSync(journal, JSON.stringify({ ...written, child: { ...written.child, pid } }));
    expect(await host.call<unknown>("session.stop", session.id)).toEqual({ stopped: true });
    expect([pid, worker, session.pid].map(isAlive)).toEqual([true, false, false]);
  } finally {
    bystander.kill("SIGKILL");
    await bystander.exited;
  }
}, 30_000);
