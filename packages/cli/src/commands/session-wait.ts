import type { ParamsOf } from "@pohunek/protocol";
import { AGENT_ACTIVITIES, SESSION_STATES } from "@pohunek/protocol/wire";
import { command } from "../command-line/command.ts";
import { usageError } from "../command-line/usage-error.ts";
import { plainText } from "../output/plain-text.ts";
import { openTarget } from "../sessions/open-target.ts";
import { stateWords } from "../sessions/state-words.ts";
import { SESSION_ARGUMENT } from "./arguments.ts";
import { EXIT_TIMEOUT } from "./exit-codes.ts";
import { readDecimal, readIdentity } from "./runtime-flags.ts";

/** Longer than any sensible script waits; the daemon itself is asked in slices. */
const MAX_TIMEOUT_MS = 86_400_000;

export const sessionWait = command({
  name: "session wait",
  summary: "Wait until something about a session has changed",
  details: ["At least one condition is needed. Ends with 124 when none has come true in time."],
  arguments: [SESSION_ARGUMENT],
  flags: {
    state: { type: "list", value: "STATE", choices: SESSION_STATES, summary: "Until it is in this state" },
    activity: { type: "list", value: "ACTIVITY", choices: AGENT_ACTIVITIES, summary: "Until its agent does this" },
    workerInstanceId: { type: "text", value: "ID", summary: "Until it runs in another worker than this" },
    runtimeGeneration: { type: "text", value: "N", summary: "The generation of that worker" },
    afterUpdatedAt: { type: "text", value: "TIME", summary: "Until it was updated after this time" },
    afterTerminalWatermark: { type: "text", value: "N", summary: "Until its screen is beyond this watermark" },
    afterOutputOffset: { type: "text", value: "N", summary: "Until its output is beyond this offset" },
    timeoutMs: { type: "integer", value: "MS", range: [1, MAX_TIMEOUT_MS], summary: "At most so long (required)" },
  },
  async run(context, { words, flags }) {
    if (flags.timeoutMs === undefined) throw usageError("session wait needs --timeout-ms");
    const conditions = readConditions(flags);
    if (Object.keys(conditions).length === 0) throw usageError("session wait needs at least one condition");
    await using target = await openTarget(context, words[0]);
    const condition = { session_id: target.sessionId, ...conditions };
    const result = await target.client.wait(condition, { timeoutMs: flags.timeoutMs });
    return {
      ok: result,
      human: () => `${plainText(target.label)}: ${result.reason}, ${stateWords(result.session).text}\n`,
      exitCode: result.reason === "timeout" ? EXIT_TIMEOUT : 0,
    };
  },
});

type Conditions = Omit<ParamsOf<"session.wait">, "session_id" | "timeout_ms">;

interface ConditionFlags {
  readonly state: readonly string[];
  readonly activity: readonly string[];
  readonly workerInstanceId: string | undefined;
  readonly runtimeGeneration: string | undefined;
  readonly afterUpdatedAt: string | undefined;
  readonly afterTerminalWatermark: string | undefined;
  readonly afterOutputOffset: string | undefined;
}

function readConditions(flags: ConditionFlags): Conditions {
  const states = SESSION_STATES.filter((one) => flags.state.includes(one));
  const activities = AGENT_ACTIVITIES.filter((one) => flags.activity.includes(one));
  const runtime = readIdentity(flags.workerInstanceId, flags.runtimeGeneration);
  const { afterUpdatedAt, afterTerminalWatermark: watermark, afterOutputOffset: offset } = flags;
  return {
    ...(states.length === 0 ? {} : { states }),
    ...(activities.length === 0 ? {} : { activities }),
    ...(runtime === undefined ? {} : { runtime }),
    ...(afterUpdatedAt === undefined ? {} : { after_updated_at: afterUpdatedAt }),
    ...(watermark === undefined
      ? {}
      : { after_terminal_watermark: readDecimal("--after-terminal-watermark", watermark) }),
    ...(offset === undefined ? {} : { after_output_offset: readDecimal("--after-output-offset", offset) }),
  };
}
