/** `npm run live`: prompts to each real agent, one-line and multi-line, and how late what it does was told. */

import type { LiveAgent } from "../../scripts/testing/agent-clis.ts";
import { wantedAgents, whyNotLive } from "../../scripts/testing/agent-clis.ts";
import { LiveHost } from "../support/agents/live-host.ts";
import { LiveSession } from "../support/agents/live-session.ts";
import { deliver, oneLine, severalLines } from "../support/agents/prompt-receipts.ts";

const PROMPTS = Number(process.argv[2] ?? 50);

/** How late `idle` was told after the end of each answer, in ms. */
async function lateness(host: LiveHost, session: LiveSession): Promise<number[]> {
  const { told } = session.watch;
  const answers = (await host.requests()).filter((request) => !request.isAside && request.isComplete);
  return answers.flatMap(({ endedAt = 0 }) => {
    const idle = told.find(({ at, activity }) => activity === "idle" && at >= endedAt - 50);
    return idle === undefined ? [] : [idle.at - endedAt];
  });
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
  const late = (await lateness(host, session)).sort((left, right) => left - right);
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(0);
  console.log(
    `${agent}: idle told after median ${late[Math.floor(late.length / 2)]} ms, worst ${late.at(-1)} ms; ${seconds} s`,
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
