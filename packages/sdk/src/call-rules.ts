import type { MethodName } from "@pohunek/protocol/wire";
import { isRecord } from "@pohunek/protocol/wire";

/**
 * How long a request makes the daemon wait before it answers, or undefined for one that is answered at once. Waiting
 * requests have a connection of their own, since a connection answers one request after the other.
 */
export function waitingMs(method: MethodName, params: unknown): number | undefined {
  if (!isRecord(params)) return undefined;
  if (method === "session.wait") return asMs(params["timeout_ms"]);
  if (method === "session.output" || method === "session.input_status") return asMs(params["wait_ms"]);
  if (method !== "session.input") return undefined;
  const { wait } = params;
  return isRecord(wait) ? asMs(wait["timeout_ms"]) : undefined;
}

function asMs(value: unknown): number | undefined {
  return typeof value === "number" ? value : undefined;
}

const INPUT_EVIDENCE = ["activity", "activity_source", "runtime", "activity_epoch", "activity_revision"];

/** True when the answer to a waited input carries all of the evidence that the protocol promises. */
export function hasInputEvidence(result: unknown): boolean {
  return isRecord(result) && INPUT_EVIDENCE.every((field) => result[field] !== undefined && result[field] !== null);
}
