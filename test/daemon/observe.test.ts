import { describe, expect, test } from "bun:test";
import type { Host, SessionFacts } from "../support/index.ts";
import { startHost, until } from "../support/index.ts";

interface Output {
  readonly worker_instance_id: string;
  readonly runtime_generation: string;
  readonly history_start_offset: string;
  readonly start_offset: string;
  readonly next_offset: string;
  readonly runtime_end_offset: string;
  readonly data_base64: string;
  readonly gap?: { start_offset: string; end_offset: string };
  readonly has_more: boolean;
  readonly timed_out: boolean;
}

interface Waited {
  readonly reason: string;
  readonly session: SessionFacts;
  readonly terminal_watermark?: string;
  readonly output_offset?: string;
}

const identityOf = ({ runtime }: SessionFacts) => ({
  worker_instance_id: runtime.worker_instance_id,
  runtime_generation: runtime.runtime_generation,
});

/** Runs until it is told to end, and prints what it is told. */
const TELLS = ["/bin/sh", "-c", 'stty -echo; echo BEGIN; while read -r line; do eval "$line"; done'];

async function type(host: Host, sessionId: string, text: string): Promise<void> {
  await host.call("session.input", { session_id: sessionId, text });
}

describe("session.screen", () => {
  test("shows the visible lines, the cursor and what the program said of itself", async () => {
    await using host = await startHost();
    const session = await host.newSession({ command: TELLS, cols: 40, rows: 10 });
    await type(host, session.id, "printf '\\033]0;my title\\007\\033[3;5Hžluťoučký kůň 漢字'");
    const screen = await until("the text on the screen", async () => {
      const found = await host.call<{ visible_lines: string[] }>("session.screen", { session_id: session.id });
      return found.visible_lines.some((line) => line.includes("漢字")) && found;
    });
    expect(screen).toMatchObject({
      session_id: session.id,
      worker_id: session.runtime.worker_id,
      ...identityOf(session),
      dimensions: { cols: 40, rows: 10 },
      cursor: { row: 2, col: 22, visible: true },
      alternate_screen: false,
      title: "my title",
    });
    expect(screen.visible_lines[2]).toBe("    žluťoučký kůň 漢字");
    expect(screen).toHaveProperty("watermark", expect.stringMatching(/^\d+$/));
    await type(host, session.id, "printf '\\033[?1049h\\033[2J\\033[Halt'");
    await until("the alternate screen", async () => {
      const found = await host.call<{ alternate_screen: boolean }>("session.screen", { session_id: session.id });
      return found.alternate_screen;
    });
    expect(await host.refusal("session.screen", { session_id: session.id, more: 1 })).toBe("bad_request");
  });

  test("of a large screen full of wide text fits in one answer", async () => {
    await using host = await startHost();
    const { id } = await host.newSession({
      command: ["/bin/sh", "-c", "yes 漢字漢字漢字 | tr -d '\\n' | head -c 400000; echo; echo END; read x"],
      cols: 500,
      rows: 200,
    });
    await until("the screen to be full", async () => {
      const { visible_lines } = await host.call<{ visible_lines: string[] }>("session.screen", { session_id: id });
      return visible_lines.join("").includes("END");
    });
  });
});

describe("session.read", () => {
  test("gives text of the screen or of the history, and refuses escape sequences", async () => {
    await using host = await startHost();
    const session = await host.newSession({ command: ["/bin/sh", "-c", "seq 1 200; echo END; read x"], rows: 10 });
    const read = (more: object): Promise<{ text: string; truncated: boolean }> =>
      host.call("session.read", { session_id: session.id, ...more });
    await until("the lines", async () => (await read({})).text.includes("END"));
    expect(await read({})).toMatchObject({
      source_used: "visible",
      alternate_screen: false,
      lines_requested: 100,
      ...identityOf(session),
    });
    const recent = await read({ source: "recent", lines: 50 });
    expect(recent.text.split("\n")).toContain("170");
    expect(recent.truncated).toBe(true);
    expect(await host.refusal("session.read", { session_id: session.id, format: "ansi" })).toBe(
      "session_read_ansi_unavailable",
    );
    expect(await host.refusal("session.read", { session_id: session.id, lines: 1001 })).toBe("bad_request");
    expect(await host.refusal("session.read", { session_id: session.id, lines: 0 })).toBe("bad_request");
  });
});

describe("session.output", () => {
  test("gives exact bytes by offset, tells gaps, and keeps its invariants", async () => {
    await using host = await startHost({ config: "[output]\nring_bytes = 1048576\n" });
    const session = await host.newSession({ command: ["/bin/sh", "-c", "stty -onlcr; read x; seq 1 400000; read x"] });
    const runtime = identityOf(session);
    const read = (more: object): Promise<Output> =>
      host.call("session.output", { session_id: session.id, max_bytes: 10_000, ...more });
    await type(host, session.id, "");
    const whole = Array.from({ length: 400_000 }, (_, index) => `${index + 1}\n`).join("");
    const last = await until("all output", async () => {
      const tail = await read({ max_bytes: 100 });
      return Buffer.from(tail.data_base64, "base64").toString().endsWith("400000\n") && tail;
    });
    const end = Number(last.runtime_end_offset);
    expect(last).toMatchObject({ ...runtime, has_more: false, timed_out: false, next_offset: last.runtime_end_offset });

    const lost = await read({ runtime, after_offset: "0" });
    expect(lost.gap).toEqual({ start_offset: "0", end_offset: lost.history_start_offset });
    expect(lost.start_offset).toBe(lost.history_start_offset);
    expect(end - Number(lost.history_start_offset)).toBeLessThanOrEqual(1_048_576);

    const pieces: Buffer[] = [];
    for (let at = Number(lost.start_offset); at < end; ) {
      const piece = await read({ runtime, after_offset: String(at), max_bytes: 70_001 });
      const data = Buffer.from(piece.data_base64, "base64");
      expect(Number(piece.start_offset)).toBe(at);
      expect(Number(piece.next_offset)).toBe(at + data.length);
      expect(piece.has_more).toBe(Number(piece.next_offset) < Number(piece.runtime_end_offset));
      pieces.push(data);
      at += data.length;
    }
    expect(whole.endsWith(Buffer.concat(pieces).toString())).toBe(true);
    const wrong = { ...runtime, worker_instance_id: "w-other" };
    expect(
      await host.refusal("session.output", {
        session_id: session.id,
        runtime: wrong,
        after_offset: "0",
        max_bytes: 10,
      }),
    ).toBe("session_runtime_changed");
  });

  test("waits for more at the end, and tells when none came", async () => {
    await using host = await startHost();
    const session = await host.newSession({ command: TELLS });
    const runtime = identityOf(session);
    const tail = await until("the first output", async () => {
      const found = await host.call<Output>("session.output", { session_id: session.id, max_bytes: 1000 });
      return Buffer.from(found.data_base64, "base64").includes("BEGIN") && found;
    });
    const params = { session_id: session.id, runtime, after_offset: tail.runtime_end_offset, max_bytes: 1000 };
    expect(await host.call<Output>("session.output", { ...params, wait_ms: 50 })).toMatchObject({
      timed_out: true,
      data_base64: "",
    });
    const waiting = host.call<Output>("session.output", { ...params, wait_ms: 8000 });
    await type(host, session.id, "echo MORE");
    const more = await waiting;
    expect(more.timed_out).toBe(false);
    expect(Buffer.from(more.data_base64, "base64").toString()).toContain("MORE");
  });

  test("of an ended session can be read while its worker is kept, and not after that", async () => {
    await using host = await startHost({ config: "[worker]\nkeep_ended = 1\n" });
    const first = await host.newSession({ command: ["/bin/sh", "-c", "echo LAST WORDS"] });
    await host.waitForState(first.id, "done");
    const output = await host.call<Output>("session.output", { session_id: first.id, max_bytes: 1000 });
    expect(Buffer.from(output.data_base64, "base64").toString()).toBe("LAST WORDS\r\n");
    expect(await host.call<unknown>("session.screen", { session_id: first.id })).toHaveProperty("visible_lines");
    const second = await host.newSession({ command: ["/bin/true"] });
    await host.waitForState(second.id, "done");
    await until("the older worker to go", () => !host.workers().has(first.id));
    expect(await host.refusal("session.output", { session_id: first.id, max_bytes: 1000 })).toBe("session_not_running");
    expect((await host.inspect(first.id)).state).toBe("done");
  });
});

describe("session.wait", () => {
  const wait = (host: Host, params: object): Promise<Waited> => host.call("session.wait", params);

  /** Waits until the program has printed something and its screen was told. */
  const untilTold = (host: Host, session: SessionFacts): Promise<Waited> =>
    until("the first output", async () => {
      const params = { session_id: session.id, runtime: identityOf(session), timeout_ms: 8000 };
      await wait(host, { ...params, after_output_offset: "0" });
      const found = await wait(host, { ...params, after_terminal_watermark: "0" });
      return found.reason === "terminal_changed" && found.output_offset !== "0" && found;
    });

  test("answers for each reason", async () => {
    await using host = await startHost();
    const session = await host.newSession({ command: TELLS });
    await untilTold(host, session);
    const base = { session_id: session.id, timeout_ms: 8000 };
    const runtime = identityOf(session);
    expect((await wait(host, { ...base, states: ["running"] })).reason).toBe("state_matched");
    expect((await wait(host, { ...base, activities: ["working"] })).reason).toBe("activity_matched");
    expect((await wait(host, { ...base, after_updated_at: "2020-01-01T00:00:00Z" })).reason).toBe("session_updated");
    expect((await wait(host, { ...base, runtime: { ...runtime, worker_instance_id: "w-other" } })).reason).toBe(
      "runtime_changed",
    );
    expect((await wait(host, { ...base, runtime: { ...runtime, runtime_generation: "2" } })).reason).toBe(
      "runtime_changed",
    );
    expect((await wait(host, { ...base, runtime, after_terminal_watermark: "0" })).reason).toBe("terminal_changed");
    expect((await wait(host, { ...base, runtime, after_output_offset: "0" })).reason).toBe("output_advanced");
    const never = await wait(host, { ...base, states: ["done"], timeout_ms: 30 });
    expect(never).toMatchObject({ reason: "timeout", session: { id: session.id } });
  });

  test("checks the reasons in their order", async () => {
    await using host = await startHost();
    const session = await host.newSession({ command: TELLS });
    await untilTold(host, session);
    const same = identityOf(session);
    const other = { ...same, worker_instance_id: "w-other" };
    const cursors = { after_terminal_watermark: "0", after_output_offset: "0" };
    const updated = { after_updated_at: "2020-01-01T00:00:00Z" };
    const reasons = [];
    for (const predicates of [
      { states: ["running"], activities: ["working"], ...updated, runtime: other, ...cursors },
      { states: ["done"], activities: ["working"], ...updated, runtime: other, ...cursors },
      { activities: ["idle"], ...updated, runtime: other, ...cursors },
      { runtime: other, ...cursors },
      { runtime: same, ...cursors },
      { runtime: same, after_output_offset: "0" },
    ]) {
      reasons.push((await wait(host, { session_id: session.id, timeout_ms: 8000, ...predicates })).reason);
    }
    expect(reasons).toEqual([
      "state_matched",
      "activity_matched",
      "session_updated",
      "runtime_changed",
      "terminal_changed",
      "output_advanced",
    ]);
  });

  test("wakes on what happens while it waits", async () => {
    await using host = await startHost();
    const session = await host.newSession({ command: TELLS });
    const { output_offset: offset, terminal_watermark: watermark } = await untilTold(host, session);
    const base = { session_id: session.id, timeout_ms: 8000 };
    const runtime = identityOf(session);
    const waits = [
      wait(host, { ...base, runtime, after_output_offset: offset }),
      wait(host, { ...base, runtime, after_terminal_watermark: watermark }),
      wait(host, { ...base, states: ["done"] }),
    ];
    await type(host, session.id, "echo something");
    expect((await waits[0])?.reason).toBe("output_advanced");
    expect((await waits[1])?.reason).toBe("terminal_changed");
    await type(host, session.id, "exit 0");
    expect(await waits[2]).toMatchObject({ reason: "state_matched", session: { state: "done", exit_code: 0 } });
  });

  test("tells a lost runtime as changed, and a removed session as not found; neither as a timeout", async () => {
    await using host = await startHost();
    const session = await host.newSession();
    const waiting = wait(host, { session_id: session.id, runtime: identityOf(session), timeout_ms: 8000 });
    process.kill(host.workerPid(session.id), "SIGKILL");
    expect(await waiting).toMatchObject({ reason: "runtime_changed", session: { runtime: { state: "lost" } } });
    const removed = await host.newSession();
    await using client = await host.connect();
    const gone = client.ask("session.wait", { session_id: removed.id, states: ["failed"], timeout_ms: 8000 });
    await host.call("session.remove", removed.id);
    const { ok, err } = await gone;
    expect(err?.code ?? (ok as Waited | undefined)?.session.state).toBe("session_not_found");
  });

  test("has eight slots for a session, which are free again after the timeout, and disturbs nothing else", async () => {
    await using host = await startHost();
    const { id } = await host.newSession();
    const params = { session_id: id, states: ["done"], timeout_ms: 700 };
    const waits = Array.from({ length: 8 }, () => wait(host, params));
    const renamed = await until("the slots to be taken", async () => {
      const startedAt = performance.now();
      await host.call("session.rename", { session_id: id, name: "busy" });
      expect(performance.now() - startedAt).toBeLessThan(1000);
      return (
        (await host.refusal("session.wait", { ...params, timeout_ms: 1 }).catch(() => "free")) ===
        "session_waiter_limit_reached"
      );
    });
    expect(renamed).toBe(true);
    expect((await Promise.all(waits)).map(({ reason }) => reason)).toEqual(Array.from({ length: 8 }, () => "timeout"));
    expect((await wait(host, { ...params, timeout_ms: 1 })).reason).toBe("timeout");
  });

  test("has 128 slots for the host", async () => {
    await using host = await startHost();
    const sessions = await Promise.all(Array.from({ length: 17 }, () => host.newSession()));
    const waits = sessions
      .slice(0, 16)
      .flatMap(({ id }) =>
        Array.from({ length: 8 }, () => wait(host, { session_id: id, states: ["done"], timeout_ms: 6000 })),
      );
    const last = { session_id: sessions[16]?.id, states: ["done"], timeout_ms: 1 };
    await until(
      "all slots to be taken",
      async () => (await host.refusal("session.wait", last).catch(() => "free")) === "session_waiter_limit_reached",
      5000,
    );
    await Promise.all(waits);
    expect((await wait(host, last)).reason).toBe("timeout");
  }, 60_000);

  test("frees the slot of a client that has gone away, at the latest with its timeout", async () => {
    await using host = await startHost({ config: "[observation]\nmax_waiters_per_session = 1\n" });
    const { id } = await host.newSession();
    const client = await host.connect();
    client.sendLine({
      v: { minimum: 4, maximum: 4 },
      id: "w",
      method: "session.wait",
      params: { session_id: id, states: ["done"], timeout_ms: 1500 },
    });
    await until(
      "the slot to be taken",
      async () =>
        (await host
          .refusal("session.wait", { session_id: id, states: ["done"], timeout_ms: 1 })
          .catch(() => "free")) === "session_waiter_limit_reached",
    );
    await client[Symbol.asyncDispose]();
    await until(
      "the slot to be free",
      async () =>
        (await host
          .refusal("session.wait", { session_id: id, states: ["done"], timeout_ms: 1 })
          .catch(() => "free")) === "free",
      3000,
    );
  });
});

describe("session.input", () => {
  test("types a text and submits it, whole inputs one after the other", async () => {
    await using host = await startHost();
    const { id } = await host.newSession({
      command: ["/bin/sh", "-c", "stty -echo; while read line; do printf '<%s>\\n' \"$line\"; done"],
    });
    const texts = Array.from({ length: 20 }, (_, index) => `text ${index} ${"x".repeat(100 + index)}`);
    await Promise.all(texts.map((text) => type(host, id, text)));
    const printed = await until("all texts", async () => {
      const { data_base64 } = await host.call<Output>("session.output", { session_id: id, max_bytes: 100_000 });
      const lines = Buffer.from(data_base64, "base64")
        .toString()
        .split("\r\n")
        .filter((line) => line.startsWith("<"));
      return lines.length === texts.length && lines;
    });
    expect(printed.sort()).toEqual(texts.map((text) => `<${text}>`).sort());
  });

  test("with a wait tells the activity that followed, and times out otherwise", async () => {
    await using host = await startHost();
    const session = await host.newSession();
    await host.call("session.wait", { session_id: session.id, activities: ["idle"], timeout_ms: 8000 });
    const done = await host.call<Record<string, unknown>>("session.input", {
      session_id: session.id,
      text: "sleep 0.4",
      wait: { until: ["idle"], timeout_ms: 8000 },
    });
    expect(done).toMatchObject({
      accepted: true,
      activity: "idle",
      activity_source: "process",
      runtime: identityOf(session),
    });
    expect(done["activity_epoch"]).toMatch(/^d-/);
    expect(Number(done["activity_revision"])).toBeGreaterThan(1);
    expect(
      await host.refusal("session.input", {
        session_id: session.id,
        text: "sleep 5",
        wait: { until: ["blocked"], timeout_ms: 200 },
      }),
    ).toBe("session_input_timeout");
    await host.call("session.stop", session.id);
    expect(await host.refusal("session.input", { session_id: session.id, text: "x" })).toBe("session_not_running");
  });
});

describe("activity of a shell", () => {
  test("follows its jobs, with runtime, epoch and a rising revision; a new daemon is a new epoch", async () => {
    await using host = await startHost();
    const events = await host.subscribe();
    const session = await host.newSession();
    const states: Record<string, unknown>[] = [];
    const next = async (activity: string): Promise<void> => {
      states.push(
        await events.event(
          (event) =>
            event.event === "agent_state" && event["session_id"] === session.id && event["activity"] === activity,
        ),
      );
    };
    await next("idle");
    await using attach = await host.attach(session.id);
    attach.write("sleep 1\r");
    await next("working");
    await next("idle");
    expect(states.map(({ revision }) => Number(revision))).toEqual([1, 2, 3]);
    expect(new Set(states.map(({ activity_epoch }) => activity_epoch)).size).toBe(1);
    expect(states[0]).toMatchObject({ source: "process", runtime: identityOf(session) });
    await events[Symbol.asyncDispose]();
    await host.restart();
    expect(await host.inspect(session.id)).toMatchObject({ activity: "idle" });
    await using later = await host.subscribe();
    await using again = await host.attach(session.id);
    again.write("sleep 1\r");
    const working = await later.event((event) => event.event === "agent_state" && event["activity"] === "working");
    expect(working["activity_epoch"]).not.toBe(states[0]?.["activity_epoch"]);
    expect(working["revision"]).toBe("2");
  });

  test("a title with a spinner is work, and typing is not", async () => {
    await using host = await startHost();
    const session = await host.newSession({ command: ["/bin/bash", "--norc"] });
    await using events = await host.subscribe();
    await host.call("session.wait", { session_id: session.id, activities: ["idle"], timeout_ms: 8000 });
    await using attach = await host.attach(session.id);
    for (const key of "some words that are typed and never run") {
      attach.write(key);
      await Bun.sleep(30);
    }
    expect((await host.inspect(session.id)).activity).toBe("idle");
    attach.write("\u0015");
    attach.write(
      "sh -c \"printf '\\033]0;\\342\\240\\213 busy\\007'; sleep 1; printf '\\033]0;ready\\007'; sleep 2\"\r",
    );
    expect(
      await events.event(({ event, activity }) => event === "agent_state" && activity === "working"),
    ).toBeDefined();
    expect(await events.event(({ event, activity }) => event === "agent_state" && activity === "idle")).toMatchObject({
      source: "osc_title",
    });
  });
});
