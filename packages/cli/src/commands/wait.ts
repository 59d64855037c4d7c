import type { SessionInfo } from "@pohunek/protocol";
import type { AgentActivity } from "@pohunek/protocol/wire";
import { TERMINAL_SESSION_STATES } from "@pohunek/protocol/wire";
import { command } from "../command-line/command.ts";
import { plainText } from "../output/plain-text.ts";
import { openTarget } from "../sessions/open-target.ts";
import { isEnded, stateWords } from "../sessions/state-words.ts";
import { waitThroughRestarts } from "../sessions/wait-through-restarts.ts";
import { SESSION_ARGUMENT } from "./arguments.ts";
import { EXIT_TIMEOUT } from "./exit-codes.ts";

/** What the end of a session fulfils: "done" is over, whether the turn alone or the program too. */
const ENDS: readonly string[] = ["ended", "done"];

/** The words that people see for activities, beside those of the protocol. */
const ACTIVITY_OF: Readonly<Record<string, AgentActivity>> = {
  ready: "idle",
  done: "idle",
  idle: "idle",
  "needs-you": "blocked",
  blocked: "blocked",
  working: "working",
};

export const wait = command({
  name: "wait",
  summary: "Wait until a session has ended, is ready or needs you",
  isDaily: true,
  details: [
    "Without --for it waits for the end. Ends with 124 when the time is over, and with 1 when the session ended before " +
      "what was waited for. `done` is the end of a turn, or of the session. A prompt that was just sent counts as a turn, also " +
      "before its agent shows that.",
  ],
  arguments: [SESSION_ARGUMENT],
  flags: {
    for: {
      type: "list",
      value: "WHAT",
      choices: ["ended", ...Object.keys(ACTIVITY_OF)],
      summary: "What to wait for; can be repeated",
    },
    timeout: { type: "duration", value: "TIME", summary: "At most so long, such as 30s or 5m" },
  },
  async run(context, { words, flags }) {
    await using target = await openTarget(context, words[0]);
    const activities = [...new Set(flags.for.flatMap((word) => ACTIVITY_OF[word] ?? []))];
    // The end ends every wait: after it nothing else can come.
    const condition = {
      session_id: target.sessionId,
      states: [...TERMINAL_SESSION_STATES],
      ...(activities.length === 0 ? {} : { activities }),
    };
    const result = await waitThroughRestarts(target.client, condition, flags.timeout);
    const hasEnded = isEnded(result.session);
    const isWanted = hasEnded
      ? activities.length === 0 || flags.for.some((word) => ENDS.includes(word))
      : result.reason !== "timeout";
    return {
      ok: result,
      human: () => waitText(target.label, result.session, isWanted),
      exitCode: isWanted ? 0 : hasEnded ? 1 : EXIT_TIMEOUT,
    };
  },
});

function waitText(label: string, session: SessionInfo, isWanted: boolean): string {
  const late = isWanted || isEnded(session) ? "" : "the time is over; ";
  return `${plainText(label)}: ${late}${stateWords(session).text}\n`;
}
