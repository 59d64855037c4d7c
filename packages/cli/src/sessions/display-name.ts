import type { SessionInfo } from "@pohunek/protocol";
import { LIMITS, protocolError } from "@pohunek/protocol/wire";
import type { Client } from "@pohunek/sdk";
import { usageError } from "../command-line/usage-error.ts";
import { plainText } from "../output/plain-text.ts";
import { freeName } from "./session-choice.ts";
import { isEnded } from "./state-words.ts";
import { isFullSessionId } from "./target.ts";

/**
 * What this program gives to a session as its name. The protocol allows more (any text without control characters): such
 * names of other clients are shown, and their sessions are reached by id.
 */
export function checkDisplayName(text: string): string {
  const name = text.trim();
  const problem = problemOf(name);
  if (problem === undefined) return name;
  throw usageError(`a session's name ${problem}`, "Use a word or two, such as: api, or my project");
}

function problemOf(name: string): string | undefined {
  if (name === "") return "must not be empty";
  if (Buffer.byteLength(name) > LIMITS.sessionNameBytes) return `must be at most ${LIMITS.sessionNameBytes} bytes`;
  // A target is written <host>/<session>.
  if (name.includes("/")) return 'must not contain "/", which stands between a host and a session';
  if (name !== plainText(name)) return "must not contain control characters or invisible marks";
  if (isFullSessionId(name)) return "must not look like a session id";
  return undefined;
}

/** The name for a new session: as asked for, where no running session has it, or one made from its command or directory. */
export async function chooseName(client: Client, wanted: string | undefined, from: string): Promise<string> {
  const name = wanted === undefined ? undefined : checkDisplayName(wanted);
  const sessions = await client.call("session.list");
  if (name === undefined) return freeName(from, sessions);
  refuseTaken(name, sessions);
  return name;
}

/** Refuses the name of a session that lives. One that has ended gives its name up, as it cannot be meant any more. */
export function refuseTaken(name: string, sessions: readonly SessionInfo[], ownId?: string): void {
  const holder = sessions.find((session) => session.name === name && session.id !== ownId && !isEnded(session));
  if (holder === undefined) return;
  throw protocolError("session_name_taken", {
    message: `a running session is called "${plainText(name)}" already`,
    recover: "Choose another name, or attach to that one.",
    details: { session_id: holder.id },
  });
}
