/** `npm run live`: prompts to each real agent, one-line and multi-line, and how late what it does was told. */

import type { LiveAgent } from "../../scripts/testing/agent-clis.ts";
import { wantedAgents, whyNotLive } from "../../scripts/testing/agent-clis.ts";
import { LiveHost } from "../support/agents/live-host.ts";
import { LiveSession } from "../support/agents/live-session.ts";
import { deliver, oneLine, severalLines } from "../support/agents/prompt-receipts.ts";

/** An agent knows that an answer has ended a moment before its connection is seen to end. */
const EARLY_MS = 50;
const PROMPTS = Number(process.argv[2] ?? 50);

interface Lateness {
  /** How late `idle` was told after the end of each answer, in ms. */
  readonly late: readonly number[];
  /** Turns that were over before anything of them was told. */
  readonly untold: number;
}

async function measureLateness(host: LiveHost, session: LiveSession): Promise<Lateness> {
  const { told } = session.watch;
  const answers = (await host.requests()).filter((request) => !request.isAside && request.isComplete);
  const late = answers.flatMap(({ endedAt = 0 }, index) => {
    const next = answers[index + 1]?.at ?? Number.POSITIVE_INFINITY;
    const position = told.findIndex(({ at, activity }) => activity === "idle" && at >= endedAt - EARLY_MS);
    const [before, idle] = [told[position - 1], told[position]];
    return before?.activity === "working" && idle !== undefined && idle.at < next ? [idle.at - endedAt] : [];
  });
  return { late: late.sort((left, right) => left - right), untold: answers.length - late.length };
}

async function drive(agent: LiveAgent): Promise<boolean> {
  await using host = await LiveHost.start(agent);
  await using session = await LiveSession.start(host);
  await session.untilReady();
  const startedAt = performance.now();
  let isGood = true;
  for (const { name, make } of [
    { name: "one-line", make: oneLine },
    { name: "multi-line", make: severalLines },
  ]) {
    const wrong: string[] = [];
    for (let index = 1; index <= PROMPTS; index += 1) {
      const arrived = await deliver(session, make(index)).catch((cause: unknown) => String(cause).split("\n")[0]);
      if (arrived !== 1) wrong.push(`${index}: ${arrived}`);
    }
    isGood &&= wrong.length === 0;
    console.log(
      `${agent}: ${PROMPTS - wrong.length} of ${PROMPTS} ${name} prompts arrived once and whole ${wrong.join("; ")}`,
    );
  }
  const { late, untold } = await measureLateness(host, session);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(
    `${agent}: idle told after median ${late[Math.floor(late.length / 2)]} ms, worst ${late.at(-1)} ms, ${untold} too short to be told; ${seconds} s`,
  );
  return isGood;
}

let isAllGood = true;
for (const agent of wantedAgents()) {
  const why = whyNotLive(agent);
  if (why !== undefined) console.log(`${agent}: skipped: ${why}`);
  else isAllGood = (await drive(agent)) && isAllGood;
}
process.exitCode = isAllGood ? 0 : 1;
