import { LIMITS, protocolError } from "@pohunek/protocol/wire";
import type { AttachTarget } from "../attach/attach-client.ts";
import { attachExitCode, farewell } from "../attach/attach-outcome.ts";
import { OutputTracker } from "../attach/output-tracker.ts";
import { connectHost } from "../connection/connect-host.ts";
import type { CommandContext } from "../context.ts";
import { plainText } from "../output/plain-text.ts";
import { isEnded, stateWords } from "./state-words.ts";

/** What is left to do for a session that has ended before it could be attached. Returns the exit code. */
export async function showEnded(
  context: CommandContext,
  target: Pick<AttachTarget, "sessionId" | "label">,
  prints: boolean,
): Promise<number> {
  // The attach has closed the connection that it was given.
  await using client = await connectHost(context);
  const session = await client.call("session.inspect", target.sessionId);
  if (!prints || !isEnded(session)) {
    throw protocolError("session_not_running", {
      message: `${plainText(target.label)} cannot be shown: ${stateWords(session).text}`,
      recover: `pohunek ${session.capabilities.resume ? "resume" : "session read"} ${plainText(target.label)}`,
    });
  }
  const params = { session_id: target.sessionId, max_bytes: LIMITS.outputRawBytes };
  const { data_base64: data } = await client.call("session.output", params);
  const bytes = Buffer.from(data, "base64");
  const { cols, rows } = context.terminal.size() ?? { cols: 80, rows: 24 };
  const tracker = new OutputTracker(rows);
  tracker.push(bytes);
  context.output.printBytes(bytes);
  const isAtLineStart = bytes.length === 0 || bytes.at(-1) === 0x0a;
  const outcome = { type: "ended", session } as const;
  context.output.print(`${tracker.restore(cols).bytes}${isAtLineStart ? "" : "\n"}${farewell(outcome, target.label)}`);
  return attachExitCode(outcome);
}
