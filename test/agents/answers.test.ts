import { describe, expect, test } from "bun:test";
import type { Host, SessionFacts, WireAnswer } from "../support/index.ts";
import { notedBy, programCommand, startAgent, startHostWithAgents, until } from "../support/index.ts";

interface Question {
  readonly text: string;
  readonly options: readonly { readonly key?: string; readonly label: string; readonly selected: boolean }[];
  readonly revision: string;
}

interface Detailed extends SessionFacts {
  readonly activity_detail?: { readonly question?: Question };
}

/** The question that the session's agent shows, once it shows one. */
async function questionOf(host: Host, session: SessionFacts): Promise<Question> {
  return await until("the question", async () => {
    const now = await host.call<Detailed>("session.inspect", session.id);
    return now.activity === "blocked" && now.activity_detail?.question;
  });
}

async function startAsking(host: Host, agent: string): Promise<{ session: SessionFacts; question: Question }> {
  const session = await startAgent(host, agent);
  return { session, question: await questionOf(host, session) };
}

async function answer(host: Host, session: SessionFacts, given: object): Promise<WireAnswer> {
  await using client = await host.connect();
  return await client.ask("session.answer", { session_id: session.id, ...given });
}

const noted = (host: Host, session: SessionFacts, ...kinds: string[]): string[] =>
  notedBy(host, session)
    .filter(({ kind }) => kinds.includes(kind))
    .map(({ text }) => text);

async function isAnswered(host: Host, session: SessionFacts): Promise<string[]> {
  return await until("the answer", () => {
    const answered = noted(host, session, "answered");
    return answered.length > 0 && answered;
  });
}

describe("an answer", () => {
  test("chooses by text or number, wherever the marker stands, and its receipt says that it was taken", async () => {
    await using host = await startHostWithAgents({ "asks-first": {}, "asks-with-no-marked": {} });
    for (const agent of ["asks-first", "asks-with-no-marked"]) {
      for (const [choice, chosen] of [
        ["yes", "Yes, I trust it"],
        ["2", "No, exit"],
      ]) {
        const { session, question } = await startAsking(host, agent);
        expect(question).toMatchObject({ text: "Do you trust the files in this folder?" });
        const { ok, err } = await answer(host, session, { revision: question.revision, choice, input_id: "mine" });
        expect(err).toBeUndefined();
        expect(ok).toMatchObject({ accepted: true, receipt: { kind: "answer" } });
        expect(await isAnswered(host, session)).toEqual([chosen ?? ""]);
        const params = { session_id: session.id, input_id: "mine", wait_ms: 8000 };
        const { receipts } = await host.call<{ receipts: object[] }>("session.input_status", params);
        expect(receipts).toMatchObject([{ state: "echoed", is_final: true }]);
        // The same again answers nothing more.
        await answer(host, session, { revision: question.revision, choice, input_id: "mine" });
        expect(noted(host, session, "answered")).toEqual([chosen ?? ""]);
      }
    }
  });

  test("to another question than the one that stands there is refused without a key", async () => {
    await using host = await startHostWithAgents({ "asks-in-turn": {} });
    const session = await startAgent(host, "asks-in-turn");
    await until("the agent to be idle", async () => (await host.inspect(session.id)).activity === "idle");
    const { err } = await answer(host, session, { revision: "7", choice: "1" });
    expect(err?.code).toBe("session_question_gone");
    await host.call("session.input", { session_id: session.id, text: "risky one" });
    const first = await questionOf(host, session);
    await answer(host, session, { revision: first.revision, choice: "1" });
    await isAnswered(host, session);
    await until("the agent to be idle", async () => (await host.inspect(session.id)).activity === "idle");
    await host.call("session.input", { session_id: session.id, text: "risky two" });
    const second = await questionOf(host, session);
    expect(second.text).toBe(first.text);
    const late = await answer(host, session, { revision: first.revision, choice: "1" });
    expect(late.err?.code).toBe("session_question_changed");
    expect(noted(host, session, "answered").length).toBe(1);
    const wrong = await answer(host, session, { revision: second.revision, choice: "perhaps" });
    expect(wrong.err?.code).toBe("session_answer_invalid");
    await answer(host, session, { revision: second.revision, choice: "no" });
    await until("the second answer", () => noted(host, session, "answered").length === 2);
    expect(noted(host, session, "answered")).toEqual(["Yes, I trust it", "No, exit"]);
  });

  test("to a question of a daemon before is not taken for one to this daemon's", async () => {
    await using host = await startHostWithAgents({ "asks-first": {} });
    const { session, question } = await startAsking(host, "asks-first");
    await host.kill();
    await host.start();
    const again = await questionOf(host, session);
    expect(again.revision).not.toBe(question.revision);
    const late = await answer(host, session, { revision: question.revision, choice: "1" });
    expect(late.err?.code).toBe("session_question_changed");
    expect(noted(host, session, "key")).toEqual([]);
  });

  test("is not given to a dialog that nobody knows; the session shows that it needs somebody", async () => {
    await using host = await startHostWithAgents({ "asks-in-its-own-way": {} });
    const session = await startAgent(host, "asks-in-its-own-way");
    await until("the agent to be blocked", async () => (await host.inspect(session.id)).activity === "blocked");
    const now = await host.call<Detailed>("session.inspect", session.id);
    const revision = now.activity_detail?.question?.revision ?? "1";
    const { err } = await answer(host, session, { revision, choice: "1" });
    expect(["session_answer_unsupported", "session_question_gone", "session_answer_invalid"]).toContain(
      err?.code ?? "",
    );
    expect(await host.refusal("session.input", { session_id: session.id, text: "hello" })).toBe(
      "session_agent_blocked",
    );
    expect(notedBy(host, session)).toEqual([]);
  });
});

test("the command shows the question and its revision, and answers only that", async () => {
  await using host = await startHostWithAgents({ "asks-first": {} });
  const { session, question } = await startAsking(host, "asks-first");
  const run = (...words: string[]): { code: number; out: string } => {
    const { exitCode, stdout, stderr } = Bun.spawnSync(programCommand("answer", session.id, ...words), {
      env: host.roots.environment(),
    });
    return { code: exitCode, out: `${stdout.toString()}${stderr.toString()}` };
  };
  const shown = run();
  expect(shown.code).toBe(0);
  expect(shown.out).toContain("Do you trust the files in this folder?\n> 1. Yes, I trust it\n  2. No, exit\n");
  expect(shown.out).toContain(`revision ${question.revision}`);
  expect(run("1", "--revision", "1").out).toContain("session_question_changed");
  expect(run("1")).toMatchObject({ code: 1 });
  expect(noted(host, session, "key")).toEqual([]);
  expect(run("no", "--revision", question.revision).code).toBe(0);
  expect(await isAnswered(host, session)).toEqual(["No, exit"]);
  await until("the question to go", async () => (await host.inspect(session.id)).activity === "idle");
  expect(run()).toMatchObject({ code: 1 });
});
