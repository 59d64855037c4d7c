import { describe, expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { commandLineOf, startIdentityOf, until } from "../support/index.ts";
import { exchange } from "./support/exchange.ts";
import type { ReportingFacts, ReportingStage } from "./support/reporting-agent.ts";
import { look, newReporter, startReporting, tell, traced } from "./support/reporting-agent.ts";

const workerSocket = ({ roots }: ReportingStage, id: string): string =>
  join(roots.runtime, "workers", id, "control.sock");

/** A line as the agent's own hook would write it. */
function lineOf(session: ReportingFacts, change: Readonly<Record<string, unknown>> = {}): Record<string, unknown> {
  return {
    type: "identity_report",
    runtime_id: session.runtime.worker_instance_id,
    provider: "claude",
    pid: session.pid,
    start_identity: startIdentityOf(session.pid),
    sequence: "1000",
    expires_at: new Date(Date.now() + 30_000).toISOString(),
    reference_kind: "id",
    native_reference: "talk-1",
    ...change,
  };
}

const ok = { ok: true, launch_identity_accepted: true };
const no = (code: string) => ({ ok: false, launch_identity_accepted: false, code });

/** What a line is answered that the agent itself, or a child of it, sends. */
async function answerTo(stage: ReportingStage, session: ReportingFacts, line: object): Promise<unknown> {
  const said = await tell(stage.host, session.id, `say ${workerSocket(stage, session.id)} ${JSON.stringify(line)}`);
  return JSON.parse(/answer (\{.*\}) end/.exec(said)?.[1] ?? "null");
}

describe("the conversation that a hook reports", () => {
  test("is the session's, is stored, and is followed when the agent begins another one", async () => {
    await using stage = await startReporting();
    const { host } = stage;
    const session = await newReporter(host);
    expect(session.native_session_id).toBeUndefined();
    const said = await tell(host, session.id, 'hook SessionStart {"session_id":"talk-1","prompt":"secret"}');
    expect(said).toContain("exit=0");
    expect(await look(host, session.id)).toMatchObject({
      native_session_id: "talk-1",
      capabilities: { resume: true },
    });
    await tell(host, session.id, 'hook SessionStart {"session_id":"talk-2","source":"clear"}');
    expect((await look(host, session.id)).native_session_id).toBe("talk-2");
    await host.restart();
    await host.waitForRuntime(session.id, "live");
    expect((await look(host, session.id)).native_session_id).toBe("talk-2");
  });

  test("survives a daemon that is away, and a worker that dies meanwhile", async () => {
    await using stage = await startReporting();
    const { host } = stage;
    const session = await newReporter(host);
    const other = await newReporter(host);
    await using attach = await host.attach(session.id);
    await using second = await host.attach(other.id);
    await Promise.all([attach.until("ready"), second.until("ready")]);
    await host.kill();
    attach.write('x hook SessionStart {"session_id":"while-away"}\r');
    second.write('x hook SessionStart {"session_id":"and-dead"}\r');
    await Promise.all([attach.until("x-done"), second.until("x-done")]);
    process.kill(host.workerPid(other.id), "SIGKILL");
    await host.start();
    await host.waitForRuntime(session.id, "live");
    await host.waitForRuntime(other.id, "lost");
    expect((await look(host, session.id)).native_session_id).toBe("while-away");
    expect((await look(host, other.id)).native_session_id).toBe("and-dead");
  });

  test("is nowhere in logs and errors", async () => {
    await using stage = await startReporting();
    const { host, roots } = stage;
    const session = await newReporter(host);
    await tell(host, session.id, 'hook SessionStart {"session_id":"SENTINEL-good"}');
    await tell(host, session.id, 'hook SessionStart {"session_id":"-SENTINEL-bad"}');
    await tell(host, session.id, 'nested SessionStart {"session_id":"SENTINEL-nested","prompt":"SENTINEL-prompt"}');
    await traced(roots, 1);
    const logs = join(roots.state, "logs");
    const text = readdirSync(logs)
      .map((name) => readFileSync(join(logs, name), "utf8"))
      .join("\n");
    expect(text).toContain("native_reference_known");
    expect(text).not.toContain("SENTINEL");
    expect((await look(host, session.id)).native_session_id).toBe("SENTINEL-good");
  });
});

describe("a report is refused", () => {
  test("from a process that is not below the one it names", async () => {
    await using stage = await startReporting();
    const session = await newReporter(stage.host);
    const path = workerSocket(stage, session.id);
    const answer = async (change?: object): Promise<unknown> =>
      JSON.parse(await exchange(path, { ...lineOf(session), ...change }));
    expect(await answer()).toEqual(no("peer_outside_subject"));
    expect(await answer({ pid: process.pid, start_identity: startIdentityOf(process.pid) })).toEqual(
      no("not_launch_agent"),
    );
    expect(await answer({ surplus: 1 })).toEqual(no("malformed"));
    const shell = await stage.host.newSession();
    expect(JSON.parse(await exchange(workerSocket(stage, shell.id), lineOf(session)))).toEqual(no("unsupported"));
    expect((await look(stage.host, session.id)).native_session_id).toBeUndefined();
  });

  test("when it is stale, of another runtime, provider or process, or counts too long", async () => {
    await using stage = await startReporting();
    const session = await newReporter(stage.host);
    const at = (ms: number) => ({ expires_at: new Date(Date.now() + ms).toISOString() });
    const cases: [Record<string, unknown>, object][] = [
      [{ runtime_id: "w-00000000000000000000000000" }, no("stale_runtime")],
      [{ provider: "codex" }, no("wrong_provider")],
      [{ start_identity: "1" }, no("subject_gone")],
      [at(-1), no("expired")],
      [at(120_000), no("expiry_too_far")],
      [{ reference_kind: "path", native_reference: "/tmp/talk" }, no("wrong_kind")],
      [{}, ok],
      [{ native_reference: "again" }, no("stale")],
      [{ sequence: "999" }, no("stale")],
      [{ sequence: "1001", native_reference: "talk-2" }, ok],
      [
        { type: "identity_release", sequence: "1001", reference_kind: undefined, native_reference: undefined },
        no("stale"),
      ],
    ];
    for (const [change, expected] of cases) {
      expect(await answerTo(stage, session, lineOf(session, change))).toEqual(expected);
    }
    expect((await look(stage.host, session.id)).native_session_id).toBe("talk-2");
  });

  test("of an agent that the session's agent has started, which leaves a line without its payload", async () => {
    await using stage = await startReporting();
    const { host, roots } = stage;
    const session = await newReporter(host);
    await tell(host, session.id, 'hook SessionStart {"session_id":"mine"}');
    expect(await tell(host, session.id, 'nested SessionStart {"session_id":"theirs"}')).toContain("exit=0");
    const [line] = await traced(roots, 1);
    expect(line).toMatchObject({
      handler: "claude",
      event: "SessionStart",
      type: "identity_report",
      reason: "worker_not_launch_agent,daemon_native_report_unattested",
    });
    expect((await look(host, session.id)).native_session_id).toBe("mine");
  });
});

describe("the hook command", () => {
  test("returns 0 and leaves a line when nobody takes its report, when it is too long, and when it is none", async () => {
    await using stage = await startReporting();
    const { host, roots } = stage;
    const session = await newReporter(host);
    await using attach = await host.attach(session.id);
    await attach.until("ready");
    await host.kill();
    rmSync(roots.socket);
    rmSync(workerSocket(stage, session.id));
    attach.write('x hook SessionStart {"session_id":"a"}\r');
    await attach.until("x-done");
    attach.write("y large SessionStart\r");
    await attach.until("y-done");
    attach.write("z hook SessionStart nonsense\r");
    await attach.until("z-done");
    attach.write('w hook Unheard {"session_id":"a"}\r');
    await attach.until("w-done");
    const lines = await traced(roots, 4);
    expect(lines.map(({ reason }) => reason)).toEqual([
      "worker_unreachable,daemon_unreachable",
      "oversized",
      "not_json",
      "unknown_action",
    ]);
    expect(attach.text.split("exit=0").length).toBe(5);
    attach.write("\u0004");
    await until("the worker to see its end", () => commandLineOf(session.pid) === "");
    process.kill(host.workerPid(session.id), "SIGTERM");
    await host.start();
  });
});

describe("sub-agents", () => {
  test("are shown while they run and when they have ended, across restarts; those of a dead program are lost", async () => {
    await using stage = await startReporting();
    const { host } = stage;
    const session = await newReporter(host);
    await using events = await host.subscribe();
    await tell(host, session.id, 'hook SubagentStart {"agent_id":"a1","agent_type":"Explore","prompt":"secret"}');
    expect(await events.event(({ event }) => event === "subagent_state")).toMatchObject({
      session_id: session.id,
      subagent: { id: "a1", provider: "claude", agent_type: "Explore", lifecycle: "running", revision: "1" },
      runtime: { runtime_generation: "1" },
    });
    await tell(host, session.id, "many SubagentStart -");
    expect((await look(host, session.id)).subagents).toHaveLength(7);
    await tell(host, session.id, "many SubagentStop -");
    await host.kill();
    await host.start();
    await host.waitForRuntime(session.id, "live");
    const after = (await look(host, session.id)).subagents ?? [];
    expect(
      after
        .filter(({ lifecycle }) => lifecycle === "completed")
        .map(({ id }) => id)
        .sort(),
    ).toEqual([1, 2, 3, 4, 5, 6].map((at) => `many-${at}`));
    expect(after.find(({ id }) => id === "a1")).toMatchObject({ lifecycle: "running" });
    await host.call("session.stop", session.id);
    await host.restart();
    const ended = (await look(host, session.id)).subagents ?? [];
    expect(ended.find(({ id }) => id === "a1")).toMatchObject({ lifecycle: "lost" });
    expect(JSON.stringify(ended)).not.toContain("secret");
  });

  test("that two listings of the main turn do not have are over", async () => {
    await using stage = await startReporting();
    const { host } = stage;
    const session = await newReporter(host);
    const lifecycle = async (): Promise<string | undefined> => (await look(host, session.id)).subagents?.[0]?.lifecycle;
    await tell(host, session.id, 'hook SubagentStart {"agent_id":"b1"}');
    const listed = '{"background_tasks":[{"id":"b1","type":"subagent","status":"running","description":"secret"}]}';
    await tell(host, session.id, `hook Stop ${listed}`);
    expect(await lifecycle()).toBe("running");
    await tell(host, session.id, 'hook Stop {"background_tasks":[]}');
    expect(await lifecycle()).toBe("completed");
  });
});

describe("an agent that reports from its own root process", () => {
  const keeper = `#!${process.execPath}
if (process.argv[2] === "--version") { console.log("reporter 1.2.3"); process.exit(0); }
console.log("ready");
for await (const line of console) {
  const [tag, word, socket, ...rest] = line.split(" ");
  const answered = Promise.withResolvers();
  const handlers = { data: (_socket, chunk) => answered.resolve(chunk.toString().trim()) };
  const connection = await Bun.connect({ unix: socket, socket: handlers });
  connection.write(rest.join(" ") + "\\n");
  console.log("answer " + (await answered.promise) + " end");
  console.log(tag + "-done");
}
`;

  test("is heard while it runs the file that was started, and that file is what it was", async () => {
    await using stage = await startReporting("frozen_root_entrypoint");
    const { host, roots } = stage;
    const program = join(roots.base, "bin", "reporter");
    writeFileSync(program, keeper, { mode: 0o755 });
    const session = await newReporter(host);
    const answer = async (sequence: string): Promise<unknown> =>
      await answerTo(stage, session, lineOf(session, { sequence }));
    expect(await answer("1")).toEqual(ok);
    expect((await look(host, session.id)).native_session_id).toBe("talk-1");
    const path = workerSocket(stage, session.id);
    expect(JSON.parse(await exchange(path, lineOf(session, { sequence: "2" })))).toEqual(no("peer_outside_subject"));
    utimesSync(program, new Date(), new Date());
    expect(await answer("3")).toEqual(no("entrypoint_changed"));
  });

  test("is not heard from a child, from another program in its place, nor by the daemon", async () => {
    await using stage = await startReporting("frozen_root_entrypoint");
    const { host, roots } = stage;
    const session = await newReporter(host);
    expect(await answerTo(stage, session, lineOf(session))).toEqual(no("not_root"));
    const line = JSON.stringify(lineOf(session));
    await tell(host, session.id, [`become ${workerSocket(stage, session.id)} ${line}`, "entrypoint_changed"]);
    const second = await newReporter(host);
    const params = {
      session_id: second.id,
      worker_instance_id: second.runtime.worker_instance_id,
      agent: "reporter",
      pid: second.pid,
      pid_start_identity: startIdentityOf(second.pid),
      sequence: "7",
      expires_at: new Date(Date.now() + 30_000).toISOString(),
      native_session_id: "own-word",
    };
    const request = { v: { minimum: 4, maximum: 4 }, id: "r", method: "session.report_native_id", params };
    await tell(host, second.id, [`become ${roots.socket} ${JSON.stringify(request)}`, "native_report_unattested"]);
  });

  test("is never heard when its file names an interpreter with arguments", async () => {
    await using stage = await startReporting("frozen_root_entrypoint");
    const { host, roots } = stage;
    const program = join(roots.base, "bin", "reporter");
    writeFileSync(program, keeper.replace("\n", " run\n"), { mode: 0o755 });
    const session = await newReporter(host);
    expect(await answerTo(stage, session, lineOf(session))).toEqual(no("entrypoint_changed"));
  });
});

describe("without a worker that takes reports", () => {
  test("the daemon hears the session's root about itself, and nobody else", async () => {
    await using stage = await startReporting();
    const { host, roots } = stage;
    const session = await newReporter(host);
    const params = {
      session_id: session.id,
      worker_instance_id: session.runtime.worker_instance_id,
      agent: "reporter",
      pid: session.pid,
      pid_start_identity: startIdentityOf(session.pid),
      sequence: "7",
      expires_at: new Date(Date.now() + 30_000).toISOString(),
      native_session_id: "own-word",
    };
    const request = { v: { minimum: 4, maximum: 4 }, id: "r", method: "session.report_native_id", params };
    expect(await host.refusal(request.method, params)).toBe("native_report_unattested");
    const child = await tell(host, session.id, `say ${roots.socket} ${JSON.stringify(request)}`);
    expect(child).toContain("native_report_unattested");
    expect((await look(host, session.id)).native_session_id).toBeUndefined();
    await tell(host, session.id, [`become ${roots.socket} ${JSON.stringify(request)}`, '"recorded":true']);
    expect((await look(host, session.id)).native_session_id).toBe("own-word");
  });
});

test("an agent inside a session is shown as the active one until it takes that back; the session's own stays", async () => {
  await using stage = await startReporting();
  const { host } = stage;
  const shell = await host.newSession();
  const report = { session_id: shell.id, source: "demo", agent: "reporter", pid: shell.pid, agent_session_id: "inner" };
  expect(await host.call<unknown>("session.report_agent", { ...report, seq: "5" })).toEqual({ recorded: true });
  expect(await host.call<unknown>("session.report_agent", { ...report, seq: "4" })).toEqual({ recorded: false });
  const facts = await look(host, shell.id);
  expect(facts).toMatchObject({
    agent: "shell",
    agent_base: "shell",
    active_agent: "reporter",
    active_agent_session_id: "inner",
  });
  expect(facts.native_session_id).toBeUndefined();
  const release = { session_id: shell.id, source: "demo", agent: "reporter" };
  expect(await host.call<unknown>("session.release_agent", { ...release, source: "other" })).toEqual({
    released: false,
  });
  expect(await host.call<unknown>("session.release_agent", { ...release, seq: "6" })).toEqual({ released: true });
  expect((await look(host, shell.id)).active_agent).toBeUndefined();
});
