import type { ParamsOf, ResultOf, SessionInfo } from "@pohunek/protocol";
import type { AgentActivity, SessionState } from "@pohunek/protocol/wire";
import { LIMITS } from "@pohunek/protocol/wire";
import type { Cancellation } from "./cancellation.ts";
import type { Peer } from "./failures.ts";
import { peerError } from "./failures.ts";

/** What to wait for: session.wait without its time. */
export type WaitCondition = Omit<ParamsOf<"session.wait">, "timeout_ms">;

export interface WaitOptions extends Cancellation {
  /** How long to wait altogether. Without it only the signal ends the wait. */
  readonly timeoutMs?: number;
}

/** One bounded session.wait on a connection that nothing else uses. */
export type WaitSlice = (params: ParamsOf<"session.wait">) => Promise<ResultOf<"session.wait">>;

/**
 * Repeats session.wait until the condition holds or the time is over; then the last result has reason `timeout`. The
 * daemon bounds one wait to eight seconds, so that a client that went away holds nothing for long.
 */
export async function waitInSlices(
  slice: WaitSlice,
  condition: WaitCondition,
  { timeoutMs = Number.POSITIVE_INFINITY, signal }: WaitOptions,
): Promise<ResultOf<"session.wait">> {
  const endsAt = performance.now() + timeoutMs;
  for (;;) {
    signal?.throwIfAborted();
    const leftMs = Math.ceil(endsAt - performance.now());
    const sliceMs = Math.max(LIMITS.waitMinimumMs, Math.min(LIMITS.waitMaximumMs, leftMs));
    const result = await slice({ ...condition, timeout_ms: sliceMs });
    if (result.reason !== "timeout" || performance.now() >= endsAt) return result;
  }
}

/** A condition of states or activities, as the two short helpers of the client take it. */
export interface LevelCondition {
  readonly sessionId: string;
  readonly states?: readonly SessionState[];
  readonly activities?: readonly AgentActivity[];
}

export function conditionOf({ sessionId, states, activities }: LevelCondition): WaitCondition {
  return {
    session_id: sessionId,
    ...(states === undefined ? {} : { states: [...states] }),
    ...(activities === undefined ? {} : { activities: [...activities] }),
  };
}

/** The session that a wait ended with. Throws `request_timeout` when it ended without what it waited for. */
export function awaitedSession(result: ResultOf<"session.wait">, peer: Peer): SessionInfo {
  if (result.reason !== "timeout") return result.session;
  throw peerError(peer, "request_timeout", { message: `${result.session.id} did not get there in time` });
}
