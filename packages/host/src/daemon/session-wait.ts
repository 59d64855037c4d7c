import type { ParsedParamsOf, ReplyOf } from "@pohunek/protocol";
import type { WaitReason } from "@pohunek/protocol/wire";
import { compareDecimals, decimal } from "@pohunek/protocol/wire";
import { isTurnAwaited } from "../sessions/agent-standing.ts";
import type { Changes } from "../sessions/changes.ts";
import type { Registry } from "../sessions/registry.ts";
import type { Session } from "../sessions/session.ts";
import { runtimeIdentityOf, toSessionInfo } from "../sessions/session-info.ts";

/** With the time that the detector itself takes: longer than the pauses between the steps of a turn. */
const IDLE_SETTLES_MS = 700;

type WaitParams = ParsedParamsOf<"session.wait">;

/**
 * Waits until one of the predicates holds, and says which; a timeout is an answer too. The session is looked at after the
 * waiter is registered and after each change, so that nothing falls in between.
 */
export async function waitForSession(
  params: WaitParams,
  options: { registry: Registry; changes: Changes; signal: AbortSignal },
): Promise<ReplyOf<"session.wait">> {
  const { registry, changes, signal } = options;
  let settling: ReturnType<typeof setTimeout> | undefined;
  const look = (): WaitReason | undefined => {
    const session = registry.get(params.session_id);
    clearTimeout(settling);
    const settlingMs = settlesInMs(session);
    if (settlingMs > 0 && params.activities?.includes("idle")) {
      settling = setTimeout(() => changes.notify(session.id), settlingMs);
    }
    return reasonOf(params, session);
  };
  const reason = await changes.until(params.session_id, look, { timeoutMs: params.timeout_ms, signal });
  clearTimeout(settling);
  const session = registry.get(params.session_id);
  const { live } = session;
  return {
    reason: reason ?? "timeout",
    session: toSessionInfo(session),
    terminal_watermark: live?.terminal === undefined ? undefined : decimal(live.terminal.revision),
    output_offset: live === undefined ? undefined : decimal(live.outputEnd),
  };
}

/** How long an agent that only looks idle has to go on with it: between two steps of a turn some look so for a moment. */
function settlesInMs({ activity, activitySinceMs, record }: Session): number {
  const current = activity?.current;
  const isAgent = record.launch === "agent" || activity?.activeAgent !== undefined;
  if (!isAgent || current?.activity !== "idle" || current.source === "report") {
    return 0;
  }
  return Math.max(0, Math.ceil(activitySinceMs + IDLE_SETTLES_MS - performance.now()));
}

/** The first predicate that holds, in the order that the protocol fixes. */
function reasonOf(params: WaitParams, session: Session): WaitReason | undefined {
  const { record, activity, live } = session;
  const now = activity?.current?.activity;
  if (params.states?.includes(record.state)) {
    return "state_matched";
  }
  // Between the submission of a prompt and its turn an agent only looks idle.
  const isBeforeTurn = now === "idle" && (isTurnAwaited(session) || settlesInMs(session) > 0);
  if (now !== undefined && params.activities?.includes(now) && !isBeforeTurn) {
    return "activity_matched";
  }
  if (params.after_updated_at !== undefined && Date.parse(record.updatedAt) > Date.parse(params.after_updated_at)) {
    return "session_updated";
  }
  if (params.runtime !== undefined && !isRuntime(session, params.runtime)) {
    return "runtime_changed";
  }
  const { after_terminal_watermark: watermark, after_output_offset: offset } = params;
  if (
    watermark !== undefined &&
    live?.terminal !== undefined &&
    compareDecimals(decimal(live.terminal.revision), watermark) > 0
  ) {
    return "terminal_changed";
  }
  if (offset !== undefined && live !== undefined && compareDecimals(decimal(live.outputEnd), offset) > 0) {
    return "output_advanced";
  }
  return undefined;
}

/** Whether the named PTY generation is the session's and still runs: one that is gone has changed as well. */
function isRuntime({ record }: Session, expected: NonNullable<WaitParams["runtime"]>): boolean {
  const { worker_instance_id, runtime_generation } = runtimeIdentityOf(record);
  return (
    record.runtime.state !== "lost" &&
    expected.worker_instance_id === worker_instance_id &&
    compareDecimals(expected.runtime_generation, runtime_generation) === 0
  );
}
