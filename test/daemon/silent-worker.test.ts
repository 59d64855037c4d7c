import { describe, expect, test } from "bun:test";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import type { Host, RawClient, SessionFacts } from "../support/index.ts";
import { isAlive, RawAttach, startHost, until } from "../support/index.ts";

const LOOPING = join(import.meta.dir, "../fixtures/looping-workers.ts");
const ANSWER_MS = 1000;
const QUICK = { config: `[worker]\nanswer_ms = ${ANSWER_MS}\n` };
/** Beyond the time that the worker has: for a busy machine. */
const SLACK_MS = 900;
const SILENT = { state: "running", runtime: { state: "reconnecting", loss_reason: "worker_not_answering" } };

/** A session whose shell waits for input, as `ls` shows it: Ready. */
async function readySession(host: Host): Promise<SessionFacts> {
  const session = await host.newSession();
  return await until("the session to be idle", async () => {
    const now = await host.inspect(session.id);
    return now.activity === "idle" && now;
  });
}

/** Stops the session's worker, and waits until it stands. */
async function freeze(host: Host, { id }: SessionFacts): Promise<{ thaw: () => void }> {
  const pid = host.workerPid(id);
  process.kill(pid, "SIGSTOP");
  await until("the worker to stand", () => readFileSync(`/proc/${pid}/stat`, "latin1").includes(") T "));
  return { thaw: () => process.kill(pid, "SIGCONT") };
}

/** How an attach that was granted ends before its terminal shows anything. */
async function endOfAttach(host: Host, streamId: string): Promise<{ code: string; recover?: string }> {
  await using attach = await RawAttach.open(host.address, streamId);
  await attach.until("}\n");
  const [line = ""] = attach.text.split("\n");
  return (JSON.parse(line) as { err: { code: string; recover?: string } }).err;
}

async function grant(host: Host, { id }: SessionFacts): Promise<string> {
  return (await host.call<{ stream_id: string }>("session.attach", { session_id: id })).stream_id;
}

/** Parameters of a call that its worker answers after so long, since nothing is printed. */
async function waitForOutput(host: Host, { id, runtime }: SessionFacts, waitMs: number): Promise<object> {
  const read = { session_id: id, max_bytes: 1000 };
  const { next_offset: after_offset } = await host.call<{ next_offset: string }>("session.output", read);
  const { worker_instance_id, runtime_generation } = runtime;
  return { ...read, after_offset, runtime: { worker_instance_id, runtime_generation }, wait_ms: waitMs };
}

async function nextChange(events: RawClient): Promise<object> {
  return await events.event(({ event }) => !["agent_state", "attach_opened", "attach_closed"].includes(event));
}

describe("a worker that does not answer", () => {
  test.each(["session.list", "session.inspect"])(
    "is told by the first %s, its activity unknown, and comes back by itself",
    async (method) => {
      await using host = await startHost(QUICK);
      const session = await readySession(host);
      await using events = await host.subscribe();
      const { thaw } = await freeze(host, session);
      const shown = method === "session.list" ? (await host.list())[0] : await host.inspect(session.id);
      expect(shown).toMatchObject(SILENT);
      expect(shown?.activity).toBeUndefined();
      thaw();
      await events.event(({ event }) => event === "session_runtime_reconnected");
      const back = await host.inspect(session.id);
      expect(back).toMatchObject({ state: "running", pid: session.pid, runtime: { state: "live" } });
      expect(back.runtime.loss_reason).toBeUndefined();
      expect(back.activity).toBeDefined();
      await using attach = await host.attach(session.id, { input: "echo here-$((3+3))\r" });
      await attach.until("here-6");
    },
  );

  test.each([
    ["session.screen", {}, "session_runtime_reconnecting"],
    ["session.resize", { cols: 90, rows: 30 }, "session_runtime_reconnecting"],
    ["session.input", { text: "x" }, "worker_write_outcome_unknown"],
  ])("%s says so in time, with the next step, and the next one at once", async (method, params, code) => {
    await using host = await startHost(QUICK);
    const session = await readySession(host);
    await freeze(host, session);
    await using client = await host.connect();
    const askedAt = performance.now();
    const { err } = await client.ask(method, { session_id: session.id, ...params });
    expect(err?.code).toBe(code);
    expect(err?.recover).toContain("pohunek stop");
    expect(performance.now() - askedAt).toBeLessThan(ANSWER_MS + SLACK_MS);
    const againAt = performance.now();
    expect(await client.refusal(method, { session_id: session.id, ...params })).toBe("session_runtime_reconnecting");
    expect(performance.now() - againAt).toBeLessThan(SLACK_MS);
    expect(await host.inspect(session.id)).toMatchObject(SILENT);
  });

  test("an attach says so in time, also one whose worker fell silent just before it was to show something", async () => {
    await using host = await startHost(QUICK);
    const first = await readySession(host);
    const second = await readySession(host);
    const { thaw } = await freeze(host, first);
    const askedAt = performance.now();
    const early = endOfAttach(host, await grant(host, first));
    const granted = await grant(host, second);
    // Answered behind what the grant has asked for.
    await host.call("session.screen", { session_id: second.id });
    await freeze(host, second);
    const ends = await Promise.all([early, endOfAttach(host, granted)]);
    expect(performance.now() - askedAt).toBeLessThan(ANSWER_MS + SLACK_MS);
    expect(ends.map(({ code }) => code)).toEqual(["session_runtime_reconnecting", "session_runtime_reconnecting"]);
    expect(ends.every(({ recover }) => recover?.includes("pohunek stop"))).toBe(true);
    expect(await host.refusal("session.attach", { session_id: first.id })).toBe("session_runtime_reconnecting");
    thaw();
    await host.waitForRuntime(first.id, "live");
    await using attach = await host.attach(first.id, { input: "echo here-$((3+3))\r" });
    await attach.until("here-6");
  });

  test("is noticed although nobody asks for anything", async () => {
    await using host = await startHost(QUICK);
    const session = await readySession(host);
    await using events = await host.subscribe();
    await freeze(host, session);
    const told = await events.event(({ event }) => event === "session_updated", 4 * ANSWER_MS + 3 * SLACK_MS);
    expect(told).toMatchObject({ session: { id: session.id, ...SILENT } });
  });

  test("and is no stopped one but runs in circles is noticed as well, and ended by a stop", async () => {
    await using host = await startHost({ ...QUICK, wrap: [process.execPath, LOOPING] });
    const session = await readySession(host);
    await using events = await host.subscribe();
    const worker = host.workerPid(session.id);
    process.kill(worker, "SIGUSR2");
    const told = await events.event(({ event }) => event === "session_updated", 4 * ANSWER_MS + 3 * SLACK_MS);
    expect(told).toMatchObject({ session: { id: session.id, ...SILENT } });
    expect(await host.call<unknown>("session.stop", session.id)).toEqual({ stopped: true });
    expect([worker, session.pid].map(isAlive)).toEqual([false, false]);
  });

  test("is told by a daemon that was started meanwhile", async () => {
    await using host = await startHost(QUICK);
    const session = await readySession(host);
    const { thaw } = await freeze(host, session);
    await host.restart();
    expect(await host.inspect(session.id)).toMatchObject(SILENT);
    thaw();
    expect((await host.waitForRuntime(session.id, "live")).runtime.loss_reason).toBeUndefined();
  });

  test("stays with its viewers, who see it go on", async () => {
    await using host = await startHost(QUICK);
    const session = await readySession(host);
    await using attach = await host.attach(session.id);
    await attach.until("$");
    const { thaw } = await freeze(host, session);
    expect(await host.refusal("session.screen", { session_id: session.id })).toBe("session_runtime_reconnecting");
    attach.write("echo typed-$((3+4))\r");
    thaw();
    await attach.until("typed-7");
    await host.waitForRuntime(session.id, "live");
  });
});

describe("a worker that answers", () => {
  test("may take long over what it was asked for", async () => {
    await using host = await startHost({ config: "[worker]\nanswer_ms = 500\nstop_grace_ms = 1500\n" });
    const session = await host.newSession({
      command: ["/bin/sh", "-c", "trap '' HUP TERM; echo up; while :; do read x || :; done"],
    });
    await using attach = await host.attach(session.id);
    await attach.until("up");
    await using events = await host.subscribe();
    expect(await host.call<unknown>("session.output", await waitForOutput(host, session, 2000))).toMatchObject({
      timed_out: true,
    });
    expect(await host.call<unknown>("session.stop", session.id)).toEqual({ stopped: true });
    const ended = await host.inspect(session.id);
    expect(ended).toMatchObject({ state: "stopped" });
    expect(ended.runtime.loss_reason).toBeUndefined();
    // The first change since is its end.
    expect(await nextChange(events)).toMatchObject({ event: "session_stopped" });
  });

  test("is not blamed for a sleep of the daemon", async () => {
    await using host = await startHost({ config: "[worker]\nanswer_ms = 500\n" });
    const session = await readySession(host);
    await using client = await host.connect();
    await using events = await host.subscribe();
    const params = await waitForOutput(host, session, 3000);
    client.sendLine({ v: { minimum: 4, maximum: 4 }, id: "w", method: "session.output", params });
    process.kill(host.daemonPid, "SIGSTOP");
    await Bun.spawn(["sleep", "1.2"]).exited;
    process.kill(host.daemonPid, "SIGCONT");
    expect((await client.nextAnswer()).ok).toMatchObject({ timed_out: true });
    expect((await host.inspect(session.id)).runtime.state).toBe("live");
    process.kill(session.pid, "SIGKILL");
    expect(await nextChange(events)).toMatchObject({ event: "session_updated", session: { state: "failed" } });
  });
});
