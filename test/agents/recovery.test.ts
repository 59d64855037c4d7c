import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { isAlive, startHost, TalkingAgent, TempRoots, until } from "../support/index.ts";
import { inspect, newParrot, resume, say, startStage, talked } from "./support/stage.ts";

describe("a resume", () => {
  test("goes on with the conversation, in a new generation of the same session", async () => {
    await using stage = await startStage();
    const { host, stub } = stage;
    const before = await talked(host, { name: "mine", metadata: { ticket: "42" } });
    const reference = before.native_session_id ?? "";
    expect(reference).toMatch(/^[0-9a-f-]{36}$/);
    expect(before.capabilities).toEqual({ resume: true, fork: true });
    await host.call("session.stop", before.id);
    await using events = await host.subscribe();
    const after = await resume(host, before.id);
    expect(after).toMatchObject({
      id: before.id,
      name: "mine",
      metadata: { ticket: "42" },
      state: "running",
      cwd: before.cwd,
      native_session_id: reference,
      runtime: { state: "live", runtime_generation: "2" },
    });
    expect(after.exit_code).toBeUndefined();
    expect(after.pid).not.toBe(before.pid);
    expect(after.runtime.worker_id).not.toBe(before.runtime.worker_id);
    expect(await events.event(({ event }) => event === "session_native_recovered")).toMatchObject({
      previous_worker_instance_id: before.runtime.worker_instance_id,
      worker_instance_id: after.runtime.worker_instance_id,
      session: { id: before.id },
    });
    await using attach = await host.attach(before.id);
    await attach.until("earlier: banana");
    expect(stub.runs()).toEqual([
      ["--plain", "--id", reference],
      ["--plain", "--again", reference],
    ]);
    await say(host, before.id, "cherry");
    await host.call("session.stop", before.id);
    expect((await resume(host, { session_id: before.id, accept_profile_change: false })).runtime).toMatchObject({
      runtime_generation: "3",
    });
  });

  test("takes up a session whose worker was killed, and ends what that one left", async () => {
    await using stage = await startStage();
    const { host } = stage;
    const before = await talked(host);
    process.kill(host.workerPid(before.id), "SIGKILL");
    expect(await host.waitForRuntime(before.id, "lost")).toMatchObject({ id: before.id });
    const after = await resume(host, before.id);
    expect(after.runtime).toMatchObject({ state: "live", runtime_generation: "2" });
    expect([isAlive(before.pid), isAlive(after.pid)]).toEqual([false, true]);
    await using attach = await host.attach(before.id);
    await attach.until("earlier: banana");
  });

  test("ends what the former run of an agent left behind, and keeps removing whole", async () => {
    await using stage = await startStage();
    const { host, stub } = stage;
    const before = await talked(host);
    await say(host, before.id, "helper");
    const pid = await until("the helper", () => stub.helperPid);
    await using attach = await host.attach(before.id);
    attach.write("quit\r");
    await host.waitForState(before.id, "done");
    expect(isAlive(pid)).toBe(true);
    await resume(host, before.id);
    expect(isAlive(pid)).toBe(false);
    expect(await host.call<unknown>("session.remove", before.id)).toMatchObject({ removed: true });
    await until("its worker to be gone", () => host.workers().size === 0);
  });

  test("never happens by itself: not when daemon or worker are gone", async () => {
    await using stage = await startStage();
    const { host, stub } = stage;
    const kept = await talked(host);
    const lost = await talked(host);
    for (let round = 0; round < 3; round += 1) await host.restart();
    await host.kill();
    process.kill(host.workerPid(lost.id), "SIGKILL");
    await host.start();
    await host.waitForRuntime(lost.id, "lost");
    await host.waitForRuntime(kept.id, "live");
    expect(stub.runs().filter((run) => run.includes("--again"))).toEqual([]);
    expect(stub.runs().length).toBe(2);
  });

  test("is refused while anything may still run", async () => {
    await using stage = await startStage();
    const { host, stub } = stage;
    const live = await talked(host);
    expect(await host.refusal("session.resume", live.id)).toBe("session_not_terminal");
    const worker = host.workerPid(live.id);
    await host.stop();
    process.kill(worker, "SIGSTOP");
    await host.start();
    await host.waitForRuntime(live.id, "reconnecting");
    expect(await host.refusal("session.resume", live.id)).toBe("session_runtime_reconnecting");
    process.kill(worker, "SIGCONT");
    await host.waitForRuntime(live.id, "live");
    const shell = await host.newSession();
    await host.call("session.stop", shell.id);
    expect(await host.refusal("session.resume", shell.id)).toBe("not_resumable");
    expect(await host.refusal("session.resume", "s-NONE")).toBe("session_not_found");
    expect(stub.runs().length).toBe(1);
  });

  test("is told to who waits for the generation before, and to nobody as a time-out", async () => {
    await using stage = await startStage();
    const { host } = stage;
    const { id, runtime: before } = await talked(host);
    const runtime = { worker_instance_id: before.worker_instance_id, runtime_generation: before.runtime_generation };
    await host.call("session.stop", id);
    const waiting = host.call<{ reason: string; session: object }>("session.wait", {
      session_id: id,
      runtime,
      timeout_ms: 8000,
    });
    await until("the waiter", async () => (await host.inspect(id)).state === "stopped");
    await resume(host, id);
    expect(await waiting).toMatchObject({
      reason: "runtime_changed",
      session: { runtime: { runtime_generation: "2" } },
    });
  });

  test("that the disk refuses starts nothing, and works when there is room", async () => {
    const roots = new TempRoots();
    const disk = roots.smallDisk(roots.data, { kib: 8192 });
    const agent = new TalkingAgent(roots);
    await using host = await startHost({ roots, env: agent.environment });
    await agent.install(host);
    const { id } = await talked(host);
    await host.call("session.stop", id);
    await until("the store to be full", async () => {
      disk.fill();
      await using client = await host.connect();
      const { err } = await client.ask("session.rename", { session_id: id, name: "x".repeat(120) });
      return err?.code === "io_error";
    });
    expect(await host.refusal("session.resume", id)).toBe("io_error");
    expect(await inspect(host, id)).toMatchObject({ state: "stopped", runtime: { runtime_generation: "1" } });
    expect(agent.runs().length).toBe(1);
    disk.empty();
    expect((await resume(host, id)).runtime).toMatchObject({ state: "live", runtime_generation: "2" });
  });

  test("of one session happens once, however many ask", async () => {
    await using stage = await startStage();
    const { host, stub } = stage;
    const { id } = await talked(host);
    await host.call("session.stop", id);
    const asked = await Promise.allSettled(Array.from({ length: 5 }, () => resume(host, id)));
    expect(asked.filter(({ status }) => status === "fulfilled").length).toBe(1);
    await until("the second run", () => stub.runs().length === 2);
    expect((await inspect(host, id)).runtime.runtime_generation).toBe("2");
    await host.call("session.remove", id);
    expect(stub.runs().length).toBe(2);
  });

  test("without the folder, the conversation, the program or its version leaves the session as it ended", async () => {
    await using stage = await startStage();
    const { host, stub } = stage;
    const cwd = join(host.roots.base, "project");
    mkdirSync(cwd);
    const { id, native_session_id: reference = "" } = await talked(host, { cwd });
    await host.call("session.stop", id);
    const ended = await inspect(host, id);
    const isAsItWas = async (): Promise<void> => {
      const { updated_at: _, native_last_activity_at: _at, ...now } = await inspect(host, id);
      const { updated_at: _then, native_last_activity_at: _thenAt, ...then } = ended;
      expect(now).toEqual(then);
    };
    rmSync(cwd, { recursive: true });
    expect(await host.refusal("session.resume", id)).toBe("session_cwd_invalid");
    expect(await host.refusal("session.fork", { session_id: id, cols: 80, rows: 24 })).toBe("session_cwd_invalid");
    mkdirSync(cwd);
    rmSync(stub.talk(reference));
    expect(await host.refusal("session.resume", id)).toBe("agent_native_reference_missing");
    writeFileSync(stub.talk(reference), "banana\n");
    stub.writeProgram("parrot 3.0.0");
    expect(await host.refusal("session.resume", id)).toBe("agent_runtime_unsupported");
    rmSync(join(host.roots.base, "bin", "parrot"));
    expect(await host.refusal("session.resume", id)).toBe("agent_binary_missing");
    await isAsItWas();
    expect(stub.runs().length).toBe(1);
    stub.writeProgram();
    expect((await resume(host, id)).cwd).toBe(cwd);
  });

  test("of an agent that fails at once leaves a session that has failed", async () => {
    await using stage = await startStage({ strategy: "reported" });
    const { host, stub } = stage;
    const { id } = await newParrot(host);
    expect((await inspect(host, id)).capabilities).toEqual({ resume: false, fork: false });
    await host.call("session.stop", id);
    expect(await host.refusal("session.resume", id)).toBe("agent_native_reference_missing");
    await host.stop();
    setReference({ data: host.roots.data, id }, "gone");
    await host.start();
    await resume(host, id);
    expect(await host.waitForState(id, "failed")).toMatchObject({ exit_code: 3 });
    expect(stub.runs().at(-1)).toEqual(["--plain", "--again", "gone"]);
  });
});

describe("what was written down", () => {
  test("reaches the agent as one argument, whatever is in it, or not at all", async () => {
    await using stage = await startStage({ strategy: "reported" });
    const { host, stub } = stage;
    const { id } = await newParrot(host);
    await host.call("session.stop", id);
    const value = "two words; touch owned `id` $(id)";
    writeFileSync(stub.talk(value), "banana\n");
    const set = async (reference: string): Promise<void> => {
      await host.stop();
      setReference({ data: host.roots.data, id }, reference);
      await host.start();
    };
    await set("--dangerous");
    expect(await host.refusal("session.resume", id)).toBe("invalid_session_ref");
    expect(await host.refusal("session.fork", { session_id: id, cols: 80, rows: 24 })).toBe("invalid_session_ref");
    await set(value);
    expect((await resume(host, id)).native_session_id).toBe(value);
    await until("the second run", () => stub.runs().length === 2);
    expect(stub.runs()[1]).toEqual(["--plain", "--again", value]);
    expect(readdirSync(host.roots.home)).not.toContain("owned");
    expect(JSON.stringify(host.log())).not.toContain("touch");
  });

  test("runs nothing when it was edited, and the session can still be removed", async () => {
    await using stage = await startStage();
    const { host, stub } = stage;
    const { id } = await talked(host);
    await host.call("session.stop", id);
    await host.stop();
    editSession({ data: host.roots.data, id }, "native_launch", (text) => text.replace("--again", "--exec"));
    await host.start();
    expect((await inspect(host, id)).capabilities).toEqual({ resume: false, fork: false });
    expect(await host.refusal("session.resume", id)).toBe("not_resumable");
    expect(await host.refusal("session.fork", { session_id: id, cols: 80, rows: 24 })).toBe("not_resumable");
    expect(host.log().find(({ event }) => event === "native_launch_broken")).toMatchObject({ session_id: id });
    expect(stub.runs().length).toBe(1);
    expect(await host.call<unknown>("session.remove", id)).toMatchObject({ removed: true });
  });

  test("outlives damage to the package: refused by name, and fine again afterwards", async () => {
    await using stage = await startStage();
    const { host, stub } = stage;
    const { id } = await talked(host);
    const other = await talked(host);
    await host.call("session.stop", id);
    const root = join(host.roots.data, "packages", stub.digest.replace("sha256:", ""), "files", "runtime.toml");
    const text = readFileSync(root, "utf8");
    writeFileSync(root, text.replace("--again", "--exec"));
    expect(await host.refusal("session.resume", id)).toBe("runtime_incompatible");
    expect(await host.call<unknown>("session.stop", other.id)).toMatchObject({ stopped: true });
    expect(await host.call<unknown>("session.remove", other.id)).toMatchObject({ removed: true });
    writeFileSync(root, text);
    expect((await resume(host, id)).runtime.state).toBe("live");
    await until("the third run", () => stub.runs().length === 3);
  });

  test("counts after an update of the package and when it is switched off", async () => {
    await using stage = await startStage();
    const { host, stub } = stage;
    const { id, native_session_id: reference = "" } = await talked(host);
    await host.call("session.stop", id);
    const first = stub.digest;
    await stub.install(host, { version: "1.1.0", resumeWord: "--other" });
    await host.call("package.set_enabled", { digest: first, enabled: false });
    await resume(host, id);
    await until("the second run", () => stub.runs().length === 2);
    expect(stub.runs()[1]).toEqual(["--plain", "--again", reference]);
  });
});

test("a stop gives an agent the time that its package asks for, and no more to others", async () => {
  for (const [graceMs, isTidied] of [
    [20_000, true],
    [undefined, false],
  ] as const) {
    await using stage = await startStage({ graceMs });
    const { host } = stage;
    const { id } = await newParrot(host);
    await using attach = await host.attach(id, { input: "slow\r" });
    await attach.until("takes its time");
    await host.call("session.stop", id);
    expect(readdirSync(host.roots.home).includes("tidied")).toBe(isTidied);
    expect((await inspect(host, id)).state).toBe("stopped");
  }
});

interface Place {
  readonly data: string;
  readonly id: string;
}

/** Changes one column of a session behind the back of a daemon that is not running. */
function editSession({ data, id }: Place, column: string, change: (text: string) => string): void {
  using db = new Database(join(data, "store.sqlite3"));
  const row = db.query<{ text: string }, [string]>(`SELECT ${column} AS text FROM sessions WHERE id = ?`).get(id);
  db.query(`UPDATE sessions SET ${column} = ? WHERE id = ?`).run(change(row?.text ?? ""), id);
}

function setReference(place: Place, value: string): void {
  editSession(place, "native_reference", () => JSON.stringify({ kind: "id", value, source: "reported" }));
}
