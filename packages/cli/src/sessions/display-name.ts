import type { NameClash } from "@pohunek/protocol/wire";
import { LIMITS } from "@pohunek/protocol/wire";
import { usageError } from "../command-line/usage-error.ts";
import { plainText } from "../output/plain-text.ts";
import { nameFrom } from "./session-choice.ts";
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

/** The name for a new session, as asked for, or one made from its command or directory; the host sees to it that it is free. */
export function chooseName(wanted: string | undefined, from: string): { name: string; name_clash: NameClash } {
  return wanted === undefined
    ? { name: nameFrom(from), name_clash: "number" }
    : { name: checkDisplayName(wanted), name_clash: "refuse" };
}
