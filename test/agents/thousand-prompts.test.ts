// Runs alone: a thousand prompts to ten agents, whose daemon is killed meanwhile.
import { expect, test } from "bun:test";
import { join } from "node:path";
import type { ResultOf } from "@pohunek/protocol";
import type { Transport } from "@pohunek/sdk";
import { unixTransport } from "@pohunek/sdk/node";
import { webSocketTransport } from "@pohunek/sdk/web";
import { Gateway } from "../sdk/gateway.ts";
import { createRandom } from "../sdk/random.ts";
import type { AgentPackage, Host, SessionFacts } from "../support/index.ts";
import { CuttingProxy, notedBy, startAgent, startHostWithAgents, until } from "../support/index.ts";
import { sendUntilAnswered } from "./send-until-answered.ts";

type Receipt = ResultOf<"session.input_status">["receipts"][number];

const HOST = "here";
const FAST: AgentPackage = {};
const AGENTS: Readonly<Record<string, AgentPackage>> = {
  plain: FAST,
  "slow-start": FAST,
  "burst-rule": { input: { bracketed_paste: "false", submit_delay_ms: "250" } },
  "restores-prompt": { input: { restores_interrupted: "true" } },
  "no-paste": FAST,
  "asks-in-turn": FAST,
  "asks-at-boundary": { input: { submit_delay_ms: "60" } },
  "slow-now-and-then": { input: { submit_delay_ms: "60" } },
};
/** Ten sessions: some agents twice. */
const STARTED = [...Object.keys(AGENTS), "plain", "asks-in-turn"];
const PROMPTS = 100;
const KILLS_AFTER = [150, 400, 650, 850];
/** Of the requests, each way. */
const CUT_PERCENT = 8;

interface Sent {
  readonly session: SessionFacts;
  readonly inputId: string;
  readonly text: string;
  readonly code: string | undefined;
}

interface Run {
  readonly host: Host;
  readonly transports: readonly Transport[];
  readonly sent: Sent[];
  readonly onAnswer: () => void;
}

function textOf(agent: string, index: number): string {
  const word = index % 10 !== 5 ? "prompt" : agent === "asks-in-turn" ? "risky" : "boundary";
  const first = `${word} number ${index}`;
  return [first, `${first}\nwith a second line\n`, `${first}${" and much more".repeat(20)}`][index % 3] ?? first;
}

/** Sends its prompts, half of them into the queue, and what was refused because of a question again. */
async function sendAll({ host, transports, sent, onAnswer }: Run, session: SessionFacts, agent: string): Promise<void> {
  for (let index = 0; index < PROMPTS; index += 1) {
    const text = textOf(agent, index);
    const when = index % 2 === 0 ? {} : { when: "queue" as const };
    const unpasted = agent === "no-paste" || agent === "burst-rule" ? { unpasted: "raw" as const } : {};
    for (let attempt = 0; ; attempt += 1) {
      const inputId = `${session.id}:${index}:${attempt}`;
      const input = { session_id: session.id, text, input_id: inputId, ...when, ...unpasted };
      const code = await sendUntilAnswered(transports[index % transports.length] as Transport, input);
      sent.push({ session, inputId, text, code });
      if (code === undefined) break;
      expect(code).toBe("session_agent_blocked");
      await until("the question to be answered", async () => await isUnblocked(host, session), 20_000);
    }
    onAnswer();
  }
}

async function isUnblocked(host: Host, session: SessionFacts): Promise<boolean> {
  try {
    return (await host.inspect(session.id)).activity !== "blocked";
  } catch {
    // The daemon is being started again.
    return false;
  }
}

/** Answers questions, as a person at the terminal does. */
async function answerQuestions(host: Host, session: SessionFacts, isOver: () => boolean): Promise<void> {
  await until(
    "the end of the questions",
    async () => {
      try {
        if ((await host.inspect(session.id)).activity === "blocked") {
          await using attach = await host.attach(session.id);
          await attach.until("confirm", 1000);
          attach.write("1");
          await until("the answer to be seen", async () => await isUnblocked(host, session), 1000);
        }
      } catch {
        // The daemon is being started again, or the question has gone.
      }
      return isOver();
    },
    120_000,
  );
}

async function finalReceipt(host: Host, { session, inputId }: Sent): Promise<Receipt> {
  return await until(
    `the receipt of ${inputId} to be final`,
    async () => {
      const params = { session_id: session.id, input_id: inputId };
      const { receipts } = await host.call<{ receipts: Receipt[] }>("session.input_status", params);
      return receipts[0]?.is_final && receipts[0];
    },
    60_000,
  );
}

test("a thousand prompts, cut sockets and killed daemons: none lost, none doubled, every receipt right", async () => {
  await using host = await startHostWithAgents(AGENTS);
  const sessions = await Promise.all(STARTED.map(async (agent) => [agent, await startAgent(host, agent)] as const));
  const random = createRandom(4);
  const socketPath = join(host.roots.base, "proxy.sock");
  await using proxy = await CuttingProxy.start(socketPath, {
    target: host.roots.socket,
    decide: (line) => {
      const chance = line.includes('"session.input"') ? random(100) : 100;
      return chance < CUT_PERCENT ? "before" : chance < 2 * CUT_PERCENT ? "after" : undefined;
    },
  });
  await using gateway = new Gateway(HOST, socketPath);
  const transports = [unixTransport(socketPath), webSocketTransport({ baseUrl: gateway.baseUrl, host: HOST })];
  const sent: Sent[] = [];
  const kills = [...KILLS_AFTER];
  let answered = 0;
  let isOver = false;
  let killing: Promise<void> = Promise.resolve();
  const onAnswer = (): void => {
    answered += 1;
    if (answered === kills[0]) {
      kills.shift();
      killing = killing.then(async () => {
        await host.kill();
        await host.start();
      });
    }
  };
  const run: Run = { host, transports, sent, onAnswer };
  const answering = sessions
    .filter(([agent]) => agent.startsWith("asks"))
    .map(async ([, session]) => await answerQuestions(host, session, () => isOver));
  await Promise.all(sessions.map(([agent, session]) => sendAll(run, session, agent)));
  await killing;
  const receipts = new Map<string, Receipt>();
  for (const one of sent) receipts.set(one.inputId, await finalReceipt(host, one));
  isOver = true;
  await Promise.all(answering);

  const wrong: unknown[] = [];
  for (const [, session] of sessions) {
    const submitted = notedBy(host, session).flatMap(({ kind, text }) => (kind === "submitted" ? [text] : []));
    const own = sent.filter((one) => one.session === session);
    const isWritten = ({ inputId }: Sent): boolean =>
      ["written", "echoed", "turn_started"].includes(receipts.get(inputId)?.state ?? "");
    const expected = own.filter(isWritten).map(({ text }) => text.trimEnd());
    const missing = expected.filter((text) => !submitted.includes(text));
    const doubled = submitted.filter((text, at) => submitted.indexOf(text) !== at);
    const unexpected = submitted.filter((text) => !expected.includes(text));
    if (missing.length + doubled.length + unexpected.length > 0) {
      wrong.push({ missing, doubled, unexpected });
    }
    for (const one of own) {
      const { state, code } = receipts.get(one.inputId) ?? { state: "missing", code: undefined };
      const isRight = one.code === undefined ? isWritten(one) : state === "refused" && code === one.code;
      if (!isRight) wrong.push({ input: one.inputId, text: one.text, told: one.code, state, code });
    }
  }
  const states = Object.groupBy(receipts.values(), ({ state }) => state);
  const counts = Object.fromEntries(Object.entries(states).map(([state, all]) => [state, all?.length]));
  console.log({ prompts: answered, cuts: proxy.cuts, counts });
  expect(wrong).toEqual([]);
  expect(answered).toBe(STARTED.length * PROMPTS);
  expect(kills).toEqual([]);
}, 180_000);
