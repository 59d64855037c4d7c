/**
 * What every real agent is driven through, by the command line client, with what is told compared with the truth: the
 * model's log for the turns, the screen for the questions. The cases use one session and build on each other.
 */

import { afterAll, beforeAll, describe, expect, test } from "bun:test";
import { existsSync } from "node:fs";
import { join } from "node:path";
import type { LiveAgent } from "../../../scripts/testing/agent-clis.ts";
import { whyNotLive } from "../../../scripts/testing/agent-clis.ts";
import { until } from "../index.ts";
import { LiveHost } from "./live-host.ts";
import { LiveSession } from "./live-session.ts";
import { deliver, describePrompts } from "./prompt-receipts.ts";

const CASE_MS = 180_000;
/** A question may be told before it is drawn, and drawn for a moment after it is gone. */
const BEFORE_DRAWN_MS = 700;

/** The cases of one agent; skipped, with the reason in their name, where it cannot be driven. */
export function describeLive(agent: LiveAgent): void {
  const why = whyNotLive(agent);
  if (why !== undefined) {
    test.skip(`${agent} is not driven: ${why}`, () => undefined);
    return;
  }
  describe(agent, () => {
    let host: LiveHost;
    let session: LiveSession;
    beforeAll(async () => {
      host = await LiveHost.start(agent);
    }, CASE_MS);
    afterAll(async () => {
      await session?.[Symbol.asyncDispose]();
      await host?.[Symbol.asyncDispose]();
    }, CASE_MS);
    const current = (): { host: LiveHost; session: LiveSession } => ({ host, session });
    const setSession = (next: LiveSession): void => void (session = next);

    test(
      "starts, and is ready when its prompt is there",
      async () => {
        session = await LiveSession.start(host);
        await session.untilReady();
      },
      CASE_MS,
    );
    describeTurns(current);
    describeQuestions(current);
    describeFailures(current);
    describePrompts(current, 4);
    describeConversation(current, setSession);
    describeExit(current);
  });
  describeTrust(agent);
}

type Current = () => { readonly host: LiveHost; readonly session: LiveSession };

function describeTurns(current: Current): void {
  test(
    "works while the model is silent, and is idle when it has answered",
    async () => {
      const { session } = current();
      const since = Date.now();
      await session.send("do:slow 2500 First answer");
      const asked = await session.untilRequest("do:slow 2500 First answer");
      await session.untilToldNear("working", asked.at, since);
      const answered = await session.untilAnswered("do:slow 2500 First answer");
      const end = await session.untilTurnEnds("do:slow 2500 First answer");
      const idle = await session.untilToldNear("idle", end, asked.at);
      expect(answered.isComplete).toBe(true);
      expect(idle.at).toBeGreaterThan(answered.endedAt - 50);
    },
    CASE_MS,
  );

  test(
    "is interrupted",
    async () => {
      const { host, session } = current();
      const since = Date.now();
      await session.send("do:hang");
      await session.untilRequest("do:hang");
      await session.watch.until("working to be told", since, ({ activity }) => activity === "working");
      await session.press(host.recipe.keys.interrupt);
      const cut = await session.untilAnswered("do:hang");
      await session.untilToldNear("idle", cut.endedAt, since);
      expect(cut.isComplete).toBe(false);
    },
    CASE_MS,
  );
}

function describeQuestions(current: Current): void {
  const untilAsked = async (prompt: string): Promise<void> => {
    const { host, session } = current();
    const since = Date.now();
    await session.send(prompt);
    const drawn = await session.untilScreen("the question", host.recipe.screen.question);
    const blocked = await session.untilToldNear("blocked", drawn.at, since);
    expect(blocked.at).toBeGreaterThan(drawn.at - BEFORE_DRAWN_MS);
  };

  test(
    "is blocked by a question, refuses a prompt meanwhile, and goes on when it is answered",
    async () => {
      const { host, session } = current();
      await untilAsked("do:shell touch approved.txt");
      const refused = await host.run("send", session.id, "--json", "--", "do:say must not arrive");
      expect(JSON.parse(refused.out)).toMatchObject({ err: { code: "session_agent_blocked" } });
      expect(existsSync(join(host.outside.project, "approved.txt"))).toBe(false);
      const since = Date.now();
      if (host.recipe.traits.marksByColour === true) await session.press(host.recipe.keys.approve);
      else expect(await session.answer("1")).toMatchObject({ code: 0 });
      const end = await session.untilTurnEnds("do:shell touch approved.txt", 2);
      await session.untilToldNear("idle", end, since);
      expect(existsSync(join(host.outside.project, "approved.txt"))).toBe(true);
      expect(await session.requestsFor("do:say must not arrive")).toEqual([]);
    },
    CASE_MS,
  );

  test(
    "is denied, and is ready again",
    async () => {
      const { host, session } = current();
      await untilAsked("do:shell touch denied.txt");
      const since = Date.now();
      await session.press(host.recipe.keys.deny);
      const goesOn = host.recipe.traits.goesOnAfterDenial;
      const truth = goesOn ? await session.untilTurnEnds("do:shell touch denied.txt", 2) : Date.now();
      await session.untilToldNear("idle", truth, since);
      expect(existsSync(join(host.outside.project, "denied.txt"))).toBe(false);
    },
    CASE_MS,
  );
}

function describeFailures(current: Current): void {
  test(
    "goes on working while it tries again",
    async () => {
      const { session } = current();
      const prompt = "do:fail-first 1 529";
      const since = Date.now();
      await session.send(prompt);
      const failed = await session.untilAnswered(prompt, 1);
      const recovered = await session.untilAnswered(prompt, 2);
      await session.untilToldNear("idle", await session.untilTurnEnds(prompt, 2), recovered.at);
      const between = session.watch.told.filter(({ at }) => at > failed.endedAt && at < recovered.at);
      expect(between.filter(({ activity }) => activity !== "working")).toEqual([]);
      expect(session.watch.describe(since)).toContain("working");
    },
    CASE_MS,
  );

  test(
    "waits out a rate limit",
    async () => {
      const { session } = current();
      const prompt = "do:limit 2";
      await session.send(prompt);
      const recovered = await session.untilAnswered(prompt, 2);
      await session.untilToldNear("idle", await session.untilTurnEnds(prompt, 2), recovered.at);
    },
    CASE_MS,
  );

  test(
    "is ready again after an error",
    async () => {
      const { host, session } = current();
      const since = Date.now();
      await session.send("do:fail 400");
      await session.untilAnswered("do:fail 400");
      if (host.recipe.traits.retriesForever === true) await session.press(host.recipe.keys.interrupt);
      await session.watch.until("idle after the error", since, ({ activity }) => activity === "idle");
      expect(await deliver(session, "do:say Still here")).toBe(1);
    },
    CASE_MS,
  );
}

function describeConversation(current: Current, setSession: (session: LiveSession) => void): void {
  const WORD = "do:say The word is heliotrope";
  /** OpenCode shows an empty prompt first, and what is sent to that begins another conversation. */
  const SHOWN = /heliotrope|one more turn|After the resume/;
  const carriesTheWord = async (session: LiveSession, prompt: string): Promise<boolean> => {
    await deliver(session, prompt);
    const asked = await session.untilAnswered(prompt);
    return asked.turns.some(({ text }) => text.includes("The word is heliotrope"));
  };

  test(
    "takes its own conversation up again after it was killed",
    async () => {
      const { host, session } = current();
      // An agent writes a turn down a moment after it told its end; the one before is kept for sure.
      for (const prompt of [WORD, "do:say And one more turn"]) await deliver(session, prompt);
      if (host.recipe.traits.namesConversationAtEnd === true) await host.json("stop", session.id);
      else process.kill((await session.facts()).pid, "SIGKILL");
      await host.call("session.wait", {
        session_id: session.id,
        states: ["failed", "stopped", "done"],
        timeout_ms: 8000,
      });
      const resumed = await host.run("resume", session.id, "--json");
      expect(resumed).toMatchObject({ code: 0 });
      await session.untilScreen("the old conversation", SHOWN);
      await session.untilReady();
      expect(await carriesTheWord(session, "do:say After the resume")).toBe(true);
      await session.untilTold("idle");
    },
    CASE_MS,
  );

  test(
    "is forked with its conversation, and goes on itself",
    async () => {
      const { host, session } = current();
      const { capabilities } = await host.call<{ capabilities: { fork: boolean } }>("session.inspect", session.id);
      const forked = await host.run("fork", session.id, "--json", "--name", "forked");
      if (!capabilities.fork) {
        expect(JSON.parse(forked.out)).toMatchObject({ err: { code: "agent_fork_unsupported" } });
        return;
      }
      expect(forked).toMatchObject({ code: 0 });
      const { id } = (JSON.parse(forked.out) as { ok: { id: string } }).ok;
      await using fork = await LiveSession.open(host, id);
      await fork.untilScreen("the old conversation", SHOWN);
      await fork.untilReady();
      expect(await carriesTheWord(fork, "do:say In the fork")).toBe(true);
      await host.json("rm", id);
      expect(await carriesTheWord(session, "do:say In the first one")).toBe(true);
      const first = await session.untilAnswered("do:say In the first one");
      expect(JSON.stringify(first.turns)).not.toContain("In the fork");
      setSession(session);
    },
    CASE_MS,
  );
}

function describeExit(current: Current): void {
  test(
    "ends by its own command",
    async () => {
      const { host, session } = current();
      await session.untilTold("idle");
      await session.press([...host.recipe.keys.quit]);
      await Bun.sleep(300);
      await session.press(["\r"]);
      const ended = await host.run("wait", session.id, "--timeout", "20s");
      expect(ended).toMatchObject({ code: 0 });
      expect(await session.facts()).toMatchObject({ state: "done", exit_code: 0 });
    },
    CASE_MS,
  );
}

function describeTrust(agent: LiveAgent): void {
  test(
    `${agent} asks whether it may trust the folder: told as blocked, and a first prompt waits for the answer`,
    async () => {
      await using host = await LiveHost.start(agent, { isTrusted: false });
      const { trust } = host.recipe.screen;
      if (trust === undefined) return;
      // It returns when the prompt is with the agent, or when it has waited long enough.
      const started = LiveSession.start(host, { input: "do:say Trusted now" });
      started.catch(() => undefined); // told where it is awaited
      const list = async (): Promise<{ id: string; runtime: { state: string } }[]> => await host.call("session.list");
      const isLive = ({ runtime }: { runtime: { state: string } }): boolean => runtime.state === "live";
      const { id } = await until("the session", async () => (await list()).find(isLive));
      await using session = await LiveSession.open(host, id);
      await session.untilScreen("the trust question", trust);
      await session.untilToldWithin("blocked", 1000);
      expect(await session.answer(host.recipe.keys.trust ?? "")).toMatchObject({ code: 0 });
      await session.untilAnswered("do:say Trusted now");
      await session.untilToldWithin("idle", 1000);
      expect(await session.requestsFor("do:say Trusted now")).toHaveLength(1);
      await (await started)[Symbol.asyncDispose]();
    },
    CASE_MS,
  );
}
