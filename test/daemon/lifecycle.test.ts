import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import type { SessionFacts } from "../support/index.ts";
import { environmentOf, isAlive, startHost, until } from "../support/index.ts";

describe("a session", () => {
  test("is started, found, renamed, described, resized and removed", async () => {
    await using host = await startHost();
    await using events = await host.subscribe();
    const session = await host.newSession({ name: "  build  ", metadata: { a: "1" }, cwd: host.roots.home });
    expect(session).toMatchObject({
      name: "build",
      agent: "shell",
      agent_base: "shell",
      capabilities: { resume: false, fork: false },
      cwd: host.roots.home,
      cols: 80,
      rows: 24,
      state: "running",
      state_source: "process",
      metadata: { a: "1" },
      runtime: { state: "live", runtime_generation: "1" },
    });
    expect(session.id).toMatch(/^s-[0-9A-HJKMNP-TV-Z]{26}$/);
    expect(isAlive(session.pid)).toBe(true);
    await events.event(
      ({ event, session: told }) => event === "session_created" && (told as SessionFacts).id === session.id,
    );

    expect(await host.call<SessionFacts[]>("session.list")).toMatchObject([{ id: session.id }]);
    const renamed = await host.call<{ session: SessionFacts }>("session.rename", {
      session_id: session.id,
      name: "other",
    });
    expect(renamed.session.name).toBe("other");
    expect(Date.parse(renamed.session.updated_at)).toBeGreaterThan(Date.parse(session.updated_at));
    await events.event(({ event }) => event === "session_updated");
    expect(
      (await host.call<{ session: SessionFacts }>("session.rename", { session_id: session.id })).session,
    ).not.toHaveProperty("name");

    const changed = await host.call<{ session: SessionFacts }>("session.set_metadata", {
      session_id: session.id,
      metadata: { b: "2", a: null, none: null },
    });
    expect(changed.session.metadata).toEqual({ b: "2" });
    const resized = await host.call<{ session: SessionFacts }>("session.resize", {
      session_id: session.id,
      cols: 100,
      rows: 30,
    });
    expect([resized.session.cols, resized.session.rows]).toEqual([100, 30]);

    expect(await host.call<unknown>("session.remove", session.id)).toEqual({ removed: true, stopped: true });
    await events.event(
      ({ event, session: told }) => event === "session_removed" && (told as SessionFacts).id === session.id,
    );
    expect(await host.list()).toEqual([]);
    expect(await host.refusal("session.inspect", session.id)).toBe("session_not_found");
    expect(isAlive(session.pid)).toBe(false);
    expect(readdirSync(join(host.roots.state, "logs")).filter((name) => name.includes(session.id))).toEqual([]);
    expect(existsSync(join(host.roots.state, "workers", session.id))).toBe(false);
    expect(existsSync(join(host.roots.runtime, "workers", session.id))).toBe(false);
  });

  test.each([
    ["exit 0", "done", 0],
    ["exit 3", "failed", 3],
    ["kill -9 $$", "failed", 137],
  ])("that ends by `%s` is %s", async (script, state, code) => {
    await using host = await startHost();
    const { id } = await host.newSession({ command: ["/bin/sh", "-c", script] });
    const session = await host.waitForState(id, "done", "failed", "stopped");
    expect(session).toMatchObject({ state, exit_code: code, runtime: { state: "terminal" } });
    expect(session).not.toHaveProperty("activity");
  });

  test("is stopped with all that it started, also what ignores polite signals", async () => {
    await using host = await startHost();
    const script = "trap '' HUP TERM; (trap '' HUP TERM; sleep 600) & setsid sleep 600 & sleep 600; sleep 600";
    const { id } = await host.newSession({ command: ["/bin/sh", "-c", script] });
    const mine = (): number[] => sleepsOf(id);
    await until("the sleeps to run", () => mine().length >= 3);
    await using events = await host.subscribe();
    const startedAt = performance.now();
    expect(await host.call<unknown>("session.stop", id)).toEqual({ stopped: true });
    expect(performance.now() - startedAt).toBeLessThan(5000);
    expect(mine()).toEqual([]);
    expect(await host.inspect(id)).toMatchObject({ state: "stopped", runtime: { state: "terminal" } });
    await events.event(({ event }) => event === "session_stopped");
  });

  test("can be stopped and removed again and again, and when it is dead already", async () => {
    await using host = await startHost();
    const { id } = await host.newSession({ command: ["/bin/true"] });
    await host.waitForState(id, "done");
    expect(await host.call<unknown>("session.stop", id)).toEqual({ stopped: true });
    expect(await host.call<unknown>("session.stop", id)).toEqual({ stopped: true });
    expect((await host.inspect(id)).state).toBe("done");
    expect(await host.call<unknown>("session.remove", id)).toEqual({ removed: true, stopped: false });
    expect(await host.refusal("session.remove", id)).toBe("session_not_found");
    expect(await host.refusal("session.stop", id)).toBe("session_not_found");
  });

  test("ends once when many ask at the same time", async () => {
    await using host = await startHost();
    const { id } = await host.newSession();
    const outcomes = await Promise.all(Array.from({ length: 6 }, () => host.call<unknown>("session.stop", id)));
    expect(outcomes).toEqual(Array.from({ length: 6 }, () => ({ stopped: true })));
    const removals = await Promise.all(
      Array.from({ length: 4 }, async () => {
        await using client = await host.connect();
        const { ok, err } = await client.ask("session.remove", id);
        return ok === undefined ? err?.code : "removed";
      }),
    );
    expect(removals.filter((outcome) => outcome === "removed").length).toBe(1);
    expect(removals.filter((outcome) => outcome === "session_not_found").length).toBe(3);
  });

  test("that is a shell can't be resumed or forked, and the reason is told", async () => {
    await using host = await startHost();
    const { id } = await host.newSession();
    expect(await host.refusal("session.resume", id)).toBe("session_not_terminal");
    await host.call("session.stop", id);
    expect(await host.refusal("session.resume", id)).toBe("not_resumable");
    expect(await host.refusal("session.resume", { session_id: id, accept_profile_change: true })).toBe("not_resumable");
    expect(await host.refusal("session.fork", { session_id: id, cwd_mode: "same", cols: 80, rows: 24 })).toBe(
      "agent_fork_unsupported",
    );
  });

  test("is found by filters: keys all count, values of one key are alternatives", async () => {
    await using host = await startHost();
    const running = await host.newSession();
    const ended = await host.newSession({ command: ["/bin/true"] });
    await host.waitForState(ended.id, "done");
    const ids = async (...filters: { key: string; value: string }[]): Promise<string[]> =>
      (await host.call<SessionFacts[]>("session.list", { filters })).map(({ id }) => id);
    expect(await ids({ key: "state", value: "running" })).toEqual([running.id]);
    expect(await ids({ key: "state", value: "running" }, { key: "state", value: "done" })).toEqual([
      running.id,
      ended.id,
    ]);
    expect(await ids({ key: "state", value: "done" }, { key: "agent", value: "shell" })).toEqual([ended.id]);
    expect(await ids({ key: "id", value: ended.id }, { key: "state", value: "running" })).toEqual([]);
    expect(await ids({ key: "activity", value: "idle" })).toEqual([running.id]);
    expect(await ids({ key: "project", value: "p-1" })).toEqual([]);
  });
});

function sleepsOf(sessionId: string): number[] {
  return readdirSync("/proc")
    .filter((name) => /^\d+$/.test(name))
    .map(Number)
    .filter((pid) => isAlive(pid) && environmentOf(pid).get("POHUNEK_SESSION_ID") === sessionId)
    .filter((pid) => existsSync(`/proc/${pid}/comm`) && readFileSync(`/proc/${pid}/comm`, "utf8").trim() === "sleep");
}

describe("the folder of a new session", () => {
  test("is expanded on the host, and named with the host when it can't be used; nothing is left then", async () => {
    await using host = await startHost();
    const odd = join(host.roots.home, "with space\nand line");
    mkdirSync(odd);
    expect((await host.newSession({ cwd: "~/with space\nand line" })).cwd).toBe(odd);
    expect((await host.newSession({ cwd: "~" })).cwd).toBe(host.roots.home);
    expect((await host.newSession()).cwd).toBe(host.roots.home);
    const before = (await host.list()).length;
    await using client = await host.connect();
    for (const cwd of ["~/gone", "relative/path", "/proc/1/gone", join(host.roots.base, "elsewhere")]) {
      const { err } = await client.ask("session.new", { agent: "shell", cols: 80, rows: 24, cwd });
      expect(err).toMatchObject({ class: "runtime", code: "session_cwd_invalid" });
      expect(err?.msg).toContain(JSON.stringify(cwd.replace("~", host.roots.home)));
      expect(err?.msg).toContain(hostname());
    }
    expect((await host.list()).length).toBe(before);
    expect(host.workers().size).toBe(before);
  });

  test("may vanish later: the session is still listed, stopped and removed", async () => {
    await using host = await startHost();
    const folder = join(host.roots.home, "tree");
    mkdirSync(folder);
    const { id } = await host.newSession({ cwd: folder });
    rmSync(folder, { recursive: true });
    expect((await host.inspect(id)).state).toBe("running");
    await host.call("session.stop", id);
    expect(await host.call<unknown>("session.remove", id)).toMatchObject({ removed: true });
  });
});

describe("what a session is started with", () => {
  test("an agent without a runtime, a project and a branch are refused with their own codes", async () => {
    await using host = await startHost();
    await using client = await host.connect();
    const base = { agent: "shell", cols: 80, rows: 24 };
    expect(await client.refusal("session.new", { ...base, agent: "nobody" })).toBe("agent_profile_not_found");
    expect(await client.refusal("session.new", { ...base, project: "p" })).toBe("projects_not_configured");
    expect(await client.refusal("session.new", { ...base, branch: "b" })).toBe("bad_request");
    expect(await client.refusal("session.new", { ...base, command: ["/no/such/program"] })).toBe("spawn_failed");
    expect(await host.list()).toEqual([]);
    await until("the worker of the failed start to be gone", () => host.workers().size === 0);
    expect(readdirSync(join(host.roots.state, "workers"))).toEqual([]);
    const logs = (): string[] => readdirSync(join(host.roots.state, "logs"));
    await until("its log to be gone", () => !logs().some((name) => name.startsWith("pohunek-session-")));
  });

  test("its environment is an allowlist with the session's markers", async () => {
    await using host = await startHost({
      env: { FOREIGN_SECRET: "sentinel", WANTED: "yes", NOTIFY_SOCKET: "" },
      config: '[environment]\nforward = ["WANTED"]\n',
    });
    const session = await host.newSession({ command: ["/bin/sh", "-c", "sleep 600"] });
    const env = environmentOf(session.pid);
    expect(env.get("FOREIGN_SECRET")).toBeUndefined();
    expect(env.get("NOTIFY_SOCKET")).toBeUndefined();
    expect(env.get("WANTED")).toBe("yes");
    expect(env.get("HOME")).toBe(host.roots.home);
    expect(env.get("TERM")).toBe("xterm-256color");
    const daemonId = env.get("POHUNEK_DAEMON_ID") ?? "";
    expect(daemonId).toMatch(/^d-\d+-\d+-\d+$/);
    expect(Object.fromEntries([...env].filter(([name]) => name.startsWith("POHUNEK_")))).toEqual({
      POHUNEK_ENV: "1",
      POHUNEK_SESSION_ID: session.id,
      POHUNEK_WORKER_ID: session.runtime.worker_id,
      POHUNEK_WORKER_INSTANCE_ID: session.runtime.worker_instance_id,
      POHUNEK_WORKER_SOCKET_PATH: join(host.roots.runtime, "workers", session.id, "control.sock"),
      POHUNEK_WORKER_HOOK_PROTOCOL_VERSION: "1",
      POHUNEK_SOCKET_PATH: host.roots.socket,
      POHUNEK_PROTOCOL_VERSION: "4",
      POHUNEK_DAEMON_ID: daemonId,
      POHUNEK_HOOK_TRACE_PATH: join(host.roots.state, "logs", "pohunek-hooks.jsonl"),
      POHUNEK_HOOK_TRACE_MAX_BYTES: "262144",
    });
  });

  test("the login shell of the user runs when no command is given", async () => {
    await using host = await startHost();
    writeFileSync(join(host.roots.home, ".bash_profile"), "MARK=from-profile\n");
    const { id } = await host.call<SessionFacts>("session.new", { agent: "shell", cols: 80, rows: 24 });
    await using attach = await host.attach(id, { input: "echo $0 got $MARK\r" });
    await attach.until("got from-profile");
    expect((await host.inspect(id)).state).toBe("running");
  });

  test("makes files as open as the daemon was started to, though the daemon's own are private", async () => {
    const before = process.umask(0o027);
    try {
      await using host = await startHost();
      const session = await host.newSession({ command: ["/bin/sh", "-c", "umask; exec cat"] });
      await using attach = await host.attach(session.id);
      await attach.until("0027");
    } finally {
      process.umask(before);
    }
  });

  test("its first input is typed and submitted", async () => {
    await using host = await startHost();
    const session = await host.newSession({ input: "echo one-$((40+2))" });
    expect(session).toHaveProperty("applied_input", "echo one-$((40+2))");
    await using attach = await host.attach(session.id);
    await attach.until("one-42");
  });

  test("terminals beyond the limit are made as large as it allows", async () => {
    await using host = await startHost();
    const session = await host.newSession({ cols: 60_000, rows: 60_000 });
    expect([session.cols, session.rows]).toEqual([500, 200]);
  });
});

describe("hostile text", () => {
  test("in names and metadata is kept as text, within its limits, and nothing acts on it", async () => {
    await using host = await startHost();
    await using client = await host.connect();
    const hostile = [
      "../../etc/passwd",
      "$(touch /tmp/owned)",
      "'; DROP TABLE sessions; --",
      '{"attach":"a-1"}',
      "\u202egnp.exe",
      "💥".repeat(32),
      "n".repeat(128),
    ];
    for (const name of hostile) {
      const { name: kept } = await client.call<SessionFacts>("session.new", {
        agent: "shell",
        command: ["/bin/true"],
        cols: 80,
        rows: 24,
        name,
      });
      expect(kept).toBe(name);
    }
    const { id } = await host.newSession();
    const metadata = {
      __proto__x: "1",
      constructor: "c",
      toString: "t",
      "with\nline\u0007": "bell\u001b[2J",
      emoji: "💥".repeat(1000),
    };
    const changed = await client.call<{ session: SessionFacts }>("session.set_metadata", { session_id: id, metadata });
    expect(changed.session.metadata).toEqual(metadata);
    await host.kill();
    await host.start();
    expect((await host.inspect(id)).metadata).toEqual(metadata);
    expect((await host.list()).map(({ name }) => name).filter((name) => name !== undefined)).toEqual(hostile);
    expect(existsSync("/tmp/owned")).toBe(false);
  });

  test("beyond the limits is refused and changes nothing", async () => {
    await using host = await startHost();
    await using client = await host.connect();
    const { id } = await host.newSession({ metadata: { keep: "me" } });
    const many = Object.fromEntries(Array.from({ length: 33 }, (_, index) => [`k${index}`, "v"]));
    const large = Object.fromEntries(Array.from({ length: 5 }, (_, index) => [`k${index}`, "v".repeat(4000)]));
    for (const metadata of [many, large, { k: "v".repeat(4097) }, { ["k".repeat(65)]: "v" }, { "": "v" }]) {
      expect(await client.refusal("session.set_metadata", { session_id: id, metadata })).toBe("bad_request");
    }
    for (const name of ["", "   ", "a\u0000b", "a\nb", "é".repeat(65)]) {
      expect(await client.refusal("session.rename", { session_id: id, name })).toBe("bad_request");
    }
    expect(await host.inspect(id)).toMatchObject({ metadata: { keep: "me" } });
  });
});
