import { describe, expect, test } from "bun:test";
import type { Host, SessionFacts, WireAnswer } from "../support/index.ts";
import { notedBy, programCommand, startAgent, startHostWithAgents, until } from "../support/index.ts";

interface Receipt {
  readonly input_id: string;
  readonly kind: string;
  readonly state: string;
  readonly is_final: boolean;
  readonly code?: string;
  readonly mid_turn?: string;
  readonly is_left_over?: boolean;
}

async function isActivity(host: Host, session: SessionFacts, activity: string): Promise<void> {
  await until(`the agent to be ${activity}`, async () => (await host.inspect(session.id)).activity === activity);
}

async function startIdle(host: Host, agent: string): Promise<SessionFacts> {
  const session = await startAgent(host, agent);
  await isActivity(host, session, "idle");
  return session;
}

async function send(host: Host, session: SessionFacts, input: string | object): Promise<WireAnswer> {
  await using client = await host.connect();
  const params = typeof input === "string" ? { text: input } : input;
  return await client.ask("session.input", { session_id: session.id, ...params });
}

const receiptOf = ({ ok }: WireAnswer): Receipt | undefined => (ok as { receipt?: Receipt } | undefined)?.receipt;

const noted = (host: Host, session: SessionFacts, ...kinds: string[]): string[] =>
  notedBy(host, session)
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ text }) => text);

async function hasSubmitted(host: Host, session: SessionFacts, ...texts: string[]): Promise<void> {
  const submitted = await until("the prompts", () => {
    const found = noted(host, session, "submitted");
    return found.length >= texts.length && found;
  });
  expect(submitted).toEqual(texts);
}

async function lastReceipt(host: Host, session: SessionFacts, state: string): Promise<Receipt> {
  return await until(`a receipt that is ${state}`, async () => {
    const { receipts } = await host.call<{ receipts: Receipt[] }>("session.input_status", { session_id: session.id });
    return receipts[0]?.state === state && receipts[0];
  });
}

/** Presses keys as a person at an attached terminal does. */
async function press(host: Host, session: SessionFacts, keys: string): Promise<void> {
  await using attach = await host.attach(session.id);
  await attach.until("Enter to confirm");
  attach.write(keys);
  await until("the key to arrive", () => noted(host, session, "key").join("").endsWith(keys));
}

describe("a prompt", () => {
  test("is one paste without its last line end and one submission, and its receipt follows the turn", async () => {
    await using host = await startHostWithAgents({ plain: {} });
    const session = await startIdle(host, "plain");
    const receipt = receiptOf(await send(host, session, "write tests\nfor it\n"));
    expect(receipt).toMatchObject({ kind: "prompt", state: "echoed", is_final: false });
    const params = { session_id: session.id, input_id: receipt?.input_id, wait_ms: 8000 };
    const { receipts } = await host.call<{ receipts: Receipt[] }>("session.input_status", params);
    expect(receipts).toMatchObject([{ state: "turn_started", is_final: true }]);
    expect(notedBy(host, session)).toEqual([
      { kind: "pasted", text: "write tests\nfor it" },
      { kind: "submitted", text: "write tests\nfor it" },
    ]);
  });

  test("clears what an interrupt put back into the composer", async () => {
    await using host = await startHostWithAgents({ "restores-prompt": { input: { restores_interrupted: "true" } } });
    const session = await startIdle(host, "restores-prompt");
    await send(host, session, "one");
    await hasSubmitted(host, session, "one");
    await isActivity(host, session, "idle");
    await send(host, session, "two");
    await hasSubmitted(host, session, "one", "two");
  });

  test("waits before its submission as long as the package says, for an agent that takes a fast Enter for a line end", async () => {
    const input = { submit_delay_ms: "150", bracketed_paste: "false" };
    await using host = await startHostWithAgents({ "burst-rule": { input } });
    const session = await startIdle(host, "burst-rule");
    await send(host, session, "hello");
    await hasSubmitted(host, session, "hello");
  });

  test("cannot end its paste, nor press a key", async () => {
    const strict = { input: { text_policy: '"hermes_safe_text"' } };
    await using host = await startHostWithAgents({ plain: {}, "slow-start": strict });
    const session = await startIdle(host, "plain");
    await send(host, session, "a\x1b[201~\rrm\x03\x15b");
    await hasSubmitted(host, session, "a␛[201~\nrm␃␕b");
    const other = await startIdle(host, "slow-start");
    expect((await send(host, other, "a\x1b[201~b")).err?.code).toBe("session_input_rejected");
    expect(notedBy(host, other)).toEqual([]);
  });

  test("of several lines is refused, or sent as it is, where the program takes no pastes", async () => {
    await using host = await startHostWithAgents({ "no-paste": {} });
    const session = await startIdle(host, "no-paste");
    expect((await send(host, session, "one\ntwo")).err?.code).toBe("session_input_not_pasted");
    await send(host, session, { text: "one\ntwo", unpasted: "raw" });
    await hasSubmitted(host, session, "one\ntwo");
    expect(noted(host, session, "pasted")).toEqual([]);
  });
});

describe("while the agent asks something, a prompt", () => {
  test("is refused without a byte, unless it is forced", async () => {
    await using host = await startHostWithAgents({ "asks-in-turn": {} });
    const session = await startIdle(host, "asks-in-turn");
    await send(host, session, "risky");
    await isActivity(host, session, "blocked");
    const refused = await send(host, session, { text: "write tests", input_id: "mine" });
    expect(refused.err?.code).toBe("session_agent_blocked");
    // The same answer again, whatever the agent does now.
    expect((await send(host, session, { text: "write tests", input_id: "mine" })).err?.code).toBe(
      "session_agent_blocked",
    );
    expect(await lastReceipt(host, session, "refused")).toMatchObject({
      code: "session_agent_blocked",
      is_final: true,
    });
    expect(noted(host, session, "key", "answered")).toEqual([]);
    await send(host, session, { text: "y", force: true });
    await until("the answer", () => noted(host, session, "answered").length === 1);
  });

  test("that was queued waits until it is answered", async () => {
    await using host = await startHostWithAgents({ "asks-in-turn": {} });
    const session = await startIdle(host, "asks-in-turn");
    await send(host, session, "risky");
    await isActivity(host, session, "blocked");
    expect(receiptOf(await send(host, session, { text: "next", when: "queue" }))).toMatchObject({ state: "queued" });
    expect(receiptOf(await send(host, session, { text: "last", when: "queue" }))).toMatchObject({ state: "queued" });
    await press(host, session, "1");
    await hasSubmitted(host, session, "risky", "next", "last");
    expect(noted(host, session, "key")).toEqual(["1"]);
    await lastReceipt(host, session, "turn_started");
  });

  test("that was queued for too long is dropped, and is not written when it is sent again", async () => {
    await using host = await startHostWithAgents({ "asks-in-turn": {} });
    const session = await startIdle(host, "asks-in-turn");
    await send(host, session, "risky");
    await isActivity(host, session, "blocked");
    const late = { text: "late", when: "queue", expires_ms: 200, input_id: "mine" };
    await send(host, session, late);
    expect(await lastReceipt(host, session, "expired")).toMatchObject({ is_final: true });
    await press(host, session, "1");
    await isActivity(host, session, "idle");
    expect((await send(host, session, late)).err?.code).toBe("session_input_expired");
    await send(host, session, "last");
    await hasSubmitted(host, session, "risky", "last");
  });

  test("whose question comes between the text and the submission is not submitted, and is cleared afterwards", async () => {
    await using host = await startHostWithAgents({ "asks-at-boundary": { input: { submit_delay_ms: "300" } } });
    const session = await startIdle(host, "asks-at-boundary");
    expect((await send(host, session, "at the boundary")).err?.code).toBe("session_agent_blocked");
    expect(await lastReceipt(host, session, "refused")).toMatchObject({ is_left_over: true });
    expect(noted(host, session, "key", "answered", "submitted")).toEqual([]);
    await press(host, session, "2");
    await until("the composer to be cleared", async () => {
      const { receipts } = await host.call<{ receipts: Receipt[] }>("session.input_status", { session_id: session.id });
      return receipts[0]?.is_left_over === undefined;
    });
    await send(host, session, "another");
    await hasSubmitted(host, session, "another");
  });
});

describe("after its session was lost, a prompt", () => {
  test.each(["now", "queue"])("is refused for that reason, at once (when: %s)", async (when) => {
    await using host = await startHostWithAgents({ plain: {} });
    const session = await startIdle(host, "plain");
    process.kill(host.workerPid(session.id), "SIGKILL");
    await host.waitForRuntime(session.id, "lost");
    const startedAt = performance.now();
    const input = { text: "too late", when, input_id: "mine" };
    expect((await send(host, session, input)).err?.code).toBe("session_not_running");
    expect(performance.now() - startedAt).toBeLessThan(1000);
    const { receipts } = await host.call<{ receipts: Receipt[] }>("session.input_status", { session_id: session.id });
    expect(receipts).toEqual([]);
  });
});

describe("in the middle of a turn, a prompt", () => {
  const slow = { input: { mid_turn: '"cuts_request"' } };

  test("that would cut the request is refused unless that is meant, or waits for the end of the turn", async () => {
    await using host = await startHostWithAgents({ "quiet-start-of-turn": slow });
    const session = await startIdle(host, "quiet-start-of-turn");
    await send(host, session, "one");
    // The agent draws nothing yet, and is in the middle of it all the same.
    expect((await send(host, session, "two")).err?.code).toBe("session_agent_working");
    expect((await send(host, session, { text: "two", when: "idle" })).err?.code).toBe("session_agent_working");
    await isActivity(host, session, "working");
    expect((await send(host, session, "two")).err?.code).toBe("session_agent_working");
    await send(host, session, { text: "later", when: "queue" });
    const now = receiptOf(await send(host, session, { text: "now", when: "now" }));
    expect(now).toMatchObject({ mid_turn: "cuts_request" });
    await hasSubmitted(host, session, "one", "now", "later");
  });

  test("that the agent keeps for later needs no word for it", async () => {
    await using host = await startHostWithAgents({ "quiet-start-of-turn": {} });
    const session = await startIdle(host, "quiet-start-of-turn");
    await send(host, session, "one");
    await isActivity(host, session, "working");
    expect(receiptOf(await send(host, session, "two"))).toMatchObject({ mid_turn: "queued", is_final: false });
    await hasSubmitted(host, session, "one", "two");
    // It goes on from one turn to the next without a sign between, so that nothing shows where the second begins.
    expect(
      await until("the receipt to be final", async () => {
        const receipt = await lastReceipt(host, session, "echoed");
        return receipt.is_final && receipt;
      }),
    ).toMatchObject({ mid_turn: "queued" });
  });
});

describe("the input that comes with a session", () => {
  test("waits for an agent that starts slowly", async () => {
    await using host = await startHostWithAgents({ "slow-start": {} });
    const session = (await startAgent(host, "slow-start", { input: "begin" })) as SessionFacts & {
      applied_input: string;
    };
    expect(session.applied_input).toBe("begin");
    await hasSubmitted(host, session, "begin");
    expect(noted(host, session, "lost")).toEqual([]);
    expect(await lastReceipt(host, session, "turn_started")).toMatchObject({ kind: "initial" });
  });

  test("is never typed into a question about trust, which is told at once, and comes when that is answered", async () => {
    await using host = await startHostWithAgents({ "asks-first": {} });
    const startedAt = performance.now();
    const { exitCode, stdout } = Bun.spawnSync(
      programCommand("new", "--agent", "asks-first", "--name", "asking", "--input", "begin"),
      { env: host.roots.environment() },
    );
    expect(exitCode).toBe(0);
    expect(performance.now() - startedAt).toBeLessThan(10_000);
    expect(stdout.toString()).toContain("asks something first (pohunek answer asking); its input waits");
    const session = await until("the session", async () => (await host.list())[0]);
    expect(await lastReceipt(host, session, "queued")).toMatchObject({ kind: "initial" });
    await press(host, session, "1");
    await hasSubmitted(host, session, "begin");
    expect(noted(host, session, "key")).toEqual(["1"]);
  });
});

describe("a daemon that dies", () => {
  test.each([["input:queued"], ["input:held"], ["input:written"], ["input:stored"]])(
    "at %s: the prompt is sent again, and submitted once",
    async (step) => {
      await using host = await startHostWithAgents({ plain: {} });
      const session = await startIdle(host, "plain");
      await host.restart({ POHUNEK_TEST_CRASH_AT: step });
      await isActivity(host, session, "idle");
      const lost = send(host, session, { text: "hello", input_id: "mine" }).catch(
        (error: unknown) => (error as Error).message,
      );
      expect(await lost).toContain("ended");
      await host.daemonEnd();
      await host.start();
      await until("the agent to be known", async () => {
        const { err } = await send(host, session, { text: "hello", input_id: "mine" });
        return err === undefined;
      });
      await hasSubmitted(host, session, "hello");
      await isActivity(host, session, "idle");
      await send(host, session, "END");
      await hasSubmitted(host, session, "hello", "END");
    },
    20_000,
  );

  test("with a prompt in its queue: the next one delivers it", async () => {
    await using host = await startHostWithAgents({ "asks-in-turn": {} });
    const session = await startIdle(host, "asks-in-turn");
    await send(host, session, "risky");
    await isActivity(host, session, "blocked");
    await send(host, session, { text: "next", when: "queue" });
    await host.kill();
    await host.start();
    await isActivity(host, session, "blocked");
    await press(host, session, "1");
    await hasSubmitted(host, session, "risky", "next");
  });
});
