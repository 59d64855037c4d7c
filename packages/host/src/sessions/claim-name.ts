import type { NameClash } from "@pohunek/protocol/wire";
import { LIMITS, protocolError } from "@pohunek/protocol/wire";
import type { Session } from "./session.ts";

export interface NameClaim {
  readonly name: string;
  readonly clash: NameClash;
  /** The session that wants it, where it exists already: its own name is no clash. */
  readonly own?: Session;
}

/** Longest number that is put behind a name, with its hyphen. */
const NUMBER_BYTES = 8;

/** The name that a session gets. Fails with session_name_taken. Nothing may happen between this and the giving. */
export function claimName(sessions: Iterable<Session>, { name, clash, own }: NameClaim): string {
  if (clash === "allow") {
    return name;
  }
  const others = [...sessions].filter((session) => session !== own);
  if (clash === "number") {
    return firstFree(name, new Set(others.map(({ record }) => record.name)));
  }
  const holder = others.find(({ record }) => record.name === name && !isEnded(record.state));
  if (holder !== undefined) {
    throw protocolError("session_name_taken", {
      message: `a running session is called "${name}" already`,
      recover: "Choose another name, or attach to that one.",
      details: { session_id: holder.id },
    });
  }
  return name;
}

function firstFree(name: string, taken: ReadonlySet<string | undefined>): string {
  if (!taken.has(name)) {
    return name;
  }
  let base = name;
  while (Buffer.byteLength(base) > LIMITS.sessionNameBytes - NUMBER_BYTES) {
    base = [...base].slice(0, -1).join("");
  }
  for (let number = 2; ; number += 1) {
    if (!taken.has(`${base}-${number}`)) {
      return `${base}-${number}`;
    }
  }
}

function isEnded(state: Session["record"]["state"]): boolean {
  return state === "stopped" || state === "done" || state === "failed";
}
