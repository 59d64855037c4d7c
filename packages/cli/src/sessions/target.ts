import type { SessionInfo } from "@pohunek/protocol";
import type { SessionId } from "@pohunek/protocol/wire";
import { isSessionId, protocolError } from "@pohunek/protocol/wire";
import { usageError } from "../command-line/usage-error.ts";
import { plainText } from "../output/plain-text.ts";
import { stateWords } from "./state-words.ts";

export interface Target {
  /** Undefined for the local host. */
  readonly host: string | undefined;
  /** A name, an id or a part of one. */
  readonly session: string;
}

const LOCAL = "local";
/** More candidates than this help nobody choose. */
const MAX_CANDIDATES = 8;
const FULL_ID = /^s-[0-9A-HJKMNP-TV-Z]{26}$/;

/** Reads `<session>` or `<host>/<session>`. A host named twice must be the same. */
export function parseTarget(text: string, hostFlag: string | undefined): Target {
  const parts = text.split("/");
  if (parts.length > 2) throw usageError(`"${text}" is no target; write <session> or <host>/<session>`);
  const [first = "", second] = parts;
  const named = second === undefined ? undefined : first;
  const session = second ?? first;
  if (session === "" || named === "") throw usageError(`"${text}" is no target; write <session> or <host>/<session>`);
  if (named !== undefined && hostFlag !== undefined && named !== hostFlag) {
    throw usageError(`"${text}" and --host ${hostFlag} name different hosts`);
  }
  return { host: remoteHost(named ?? hostFlag), session };
}

/** Undefined for the local host, however it was said. */
export function remoteHost(host: string | undefined): string | undefined {
  return host === LOCAL ? undefined : host;
}

/** True for a whole session id, which needs no search. */
export function isFullSessionId(text: string): text is SessionId {
  return FULL_ID.test(text) && isSessionId(text);
}

/** The one session that a text means: by exact id, by exact name, or by the beginning of its id (with or without `s-`). */
export function findSession(sessions: readonly SessionInfo[], text: string): SessionInfo {
  const exact = sessions.find((session) => session.id === text);
  if (exact !== undefined) return exact;
  const named = sessions.filter((session) => session.name === text);
  if (named.length > 0) return onlyOne(named, `${named.length} sessions are called "${plainText(text)}"`);
  // A name with invisible marks, which other programs may give, is meant as it is shown.
  const shown = sessions.filter(({ name = "" }) => name !== "" && plainText(name) === text);
  if (shown.length > 0) return onlyOne(shown, `${shown.length} sessions are shown as "${plainText(text)}"`);
  const prefix = text.toLowerCase();
  const begun = sessions.filter(({ id }) =>
    [id, id.replace(/^s-/, "")].some((one) => one.toLowerCase().startsWith(prefix)),
  );
  if (begun.length === 0) {
    throw protocolError("session_not_found", { message: `there is no session called "${plainText(text)}"` });
  }
  return onlyOne(begun, `the ids of ${begun.length} sessions begin with "${plainText(text)}"`);
}

/** The one of several sessions, or the refusal that lists them. */
export function onlyOne(sessions: readonly SessionInfo[], problem: string): SessionInfo {
  const [first] = sessions;
  if (first !== undefined && sessions.length === 1) return first;
  const shown = sessions.slice(0, MAX_CANDIDATES).map(candidateText);
  const more = sessions.length > MAX_CANDIDATES ? `, and ${sessions.length - MAX_CANDIDATES} more` : "";
  throw protocolError("ambiguous_session_name", {
    message: `${problem}: ${shown.join(", ")}${more}`,
    details: { candidates: sessions.map(({ id }) => id) },
  });
}

function candidateText(session: SessionInfo): string {
  const name = session.name === undefined ? "" : `"${plainText(session.name)}", `;
  return `${session.id} (${name}${stateWords(session).text})`;
}
