import type { SessionInfo } from "@pohunek/protocol";
import type { Colour } from "../output/colour.ts";
import { plainText } from "../output/plain-text.ts";

export interface StateWords {
  readonly text: string;
  readonly colour: Colour | undefined;
}

/** The state of a session in the words that people see: what its agent does while it runs, else what became of it. */
export function stateWords(session: SessionInfo): StateWords {
  const runtime = session.runtime?.state;
  // Its program did not end by itself: what the lifecycle makes of that says less.
  if (runtime === "lost") return { text: "Lost", colour: "red" };
  if (runtime === "conflict") return { text: "Conflict", colour: "red" };
  if (runtime === "incompatible") return { text: "Incompatible", colour: "red" };
  if (runtime === "reconnecting") {
    return { text: session.runtime?.loss_reason === SILENT ? "No answer" : "Reconnecting", colour: "yellow" };
  }
  switch (session.state) {
    case "starting":
      return { text: "Starting", colour: "dim" };
    case "running":
      return activityWords(session);
    case "stopped":
      return { text: "Stopped", colour: "dim" };
    case "done":
      return { text: "Done", colour: "dim" };
    case "failed":
      return { text: session.exit_code === undefined ? "Failed" : `Failed (${session.exit_code})`, colour: "red" };
    default:
      // A state that a newer daemon added: shown as it is called.
      return { text: String(session.state), colour: undefined };
  }
}

function activityWords({ activity, activity_detail: detail }: SessionInfo): StateWords {
  const more = detailWords(detail);
  const text = (words: string): string => (more === undefined ? words : `${words} (${more})`);
  switch (activity) {
    case "working":
      return { text: text("Working"), colour: detail?.kind === "stuck" ? "yellow" : "cyan" };
    case "blocked":
      return { text: text("Needs you"), colour: "yellow" };
    case "idle":
      return { text: text("Ready"), colour: "green" };
    default:
      // Nothing is known about what it does, which is not the same as idle.
      return { text: "Running", colour: undefined };
  }
}

/** What is known beyond the three words. A kind of a newer host is shown as it is called. */
function detailWords(detail: SessionInfo["activity_detail"]): string | undefined {
  if (detail === undefined) return undefined;
  switch (detail.kind) {
    case undefined:
    case "unknown":
      return undefined;
    case "rate_limited":
      return detail.until === undefined ? "limit" : `limit until ${clockTime(detail.until)}`;
    case "auth":
      return "sign-in";
    default:
      return plainText(detail.kind);
  }
}

function clockTime(timestamp: string): string {
  const at = new Date(timestamp);
  const two = (part: number): string => String(part).padStart(2, "0");
  return Number.isNaN(at.getTime()) ? plainText(timestamp) : `${two(at.getHours())}:${two(at.getMinutes())}`;
}

/** The host's word for a worker that lives and says nothing. */
const SILENT = "worker_not_answering";

const LOSSES: readonly (readonly [reason: string, words: string])[] = [
  ["worker_died", "the process that held its terminal was killed"],
  ["worker_missing", "the process that held its terminal is gone, as after a restart of the machine"],
  [SILENT, "the process that holds its terminal does not answer"],
  ["worker_unresponsive", "the process that held its terminal did not answer any more, so it was ended"],
];

/** Why a session was lost. A reason of a newer host is shown as it is called. */
export function lossWords(reason: string | undefined): string {
  if (reason === undefined) return "the process that held its terminal is gone";
  const known = LOSSES.find(([begin]) => reason.startsWith(begin));
  if (known === undefined) return plainText(reason);
  const leftovers = reason.endsWith("_leftovers_unconfirmed") ? "; some of its programs may still run" : "";
  return `${known[1]}${leftovers}`;
}

/** True when the session's program has ended and will not come back by itself. */
export function isEnded(session: SessionInfo): boolean {
  return session.state === "stopped" || session.state === "done" || session.state === "failed";
}
