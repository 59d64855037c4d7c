import type { ResultOf } from "@pohunek/protocol";
import type { AgentActivity } from "@pohunek/protocol/wire";
import { AGENT_ACTIVITIES, isProtocolError, LIMITS } from "@pohunek/protocol/wire";
import { command } from "../command-line/command.ts";
import { usageError } from "../command-line/usage-error.ts";
import { plainText } from "../output/plain-text.ts";
import type { OpenTarget } from "../sessions/open-target.ts";
import { openTarget } from "../sessions/open-target.ts";
import { readStandardInput } from "../terminal/standard-input.ts";
import { SESSION_ARGUMENT } from "./arguments.ts";

const DEFAULT_TIMEOUT_MS = 60_000;

export const sessionInput = command({
  name: "session input",
  aliases: ["send", "input"],
  summary: "Type text into a session and submit it",
  isDaily: true,
  details: ["Text that others wrote is best given by --stdin, where no shell looks at it."],
  arguments: [SESSION_ARGUMENT, { name: "text", summary: "What to type", isRest: true, isOptional: true }],
  flags: {
    stdin: { type: "switch", summary: "Take the text from standard input" },
    until: {
      type: "list",
      value: "ACTIVITY",
      choices: AGENT_ACTIVITIES,
      summary: "Wait until the agent does this; can be repeated",
    },
    timeout: { type: "duration", value: "TIME", summary: "Wait at most so long (default 60s)" },
  },
  async run(context, { words: [session, ...rest], flags }) {
    if (flags.stdin === rest.length > 0) throw usageError("session input needs the text or --stdin, one of them");
    const until = AGENT_ACTIVITIES.filter((one) => flags.until.includes(one));
    if (flags.timeout !== undefined && until.length === 0) throw usageError("--timeout needs --until");
    const text = flags.stdin ? readStandardInput() : rest.join(" ");
    await using target = await openTarget(context, session);
    const timeoutMs = flags.timeout ?? DEFAULT_TIMEOUT_MS;
    const result =
      until.length === 0 ? await send(target, text) : await sendAndWait(target, { text, until, timeoutMs });
    const now = result.activity === undefined ? "" : `: ${result.activity}`;
    return { ok: result, human: () => `sent to ${plainText(target.label)}${now}\n` };
  },
});

async function send({ client, sessionId }: OpenTarget, text: string): Promise<ResultOf<"session.input">> {
  return client.call("session.input", { session_id: sessionId, text });
}

interface WaitedInput {
  readonly text: string;
  readonly until: readonly AgentActivity[];
  readonly timeoutMs: number;
}

/** The daemon bounds a waited input to eight seconds; a longer wait goes on as an ordinary one, without a second input. */
async function sendAndWait({ client, sessionId }: OpenTarget, input: WaitedInput): Promise<ResultOf<"session.input">> {
  const endsAt = performance.now() + input.timeoutMs;
  const firstMs = Math.min(input.timeoutMs, LIMITS.waitMaximumMs);
  const params = { session_id: sessionId, text: input.text, wait: { until: [...input.until], timeout_ms: firstMs } };
  try {
    return await client.call("session.input", params);
  } catch (error) {
    const leftMs = endsAt - performance.now();
    if (!isProtocolError(error, "session_input_timeout") || leftMs <= 0) throw error;
    const waited = await client.wait({ session_id: sessionId, activities: [...input.until] }, { timeoutMs: leftMs });
    if (waited.reason === "timeout") throw error;
    return { accepted: true, activity: waited.session.activity };
  }
}
