import type { RuntimeDefinition } from "../agents/runtime-definition.ts";
import { standingOf } from "./agent-standing.ts";
import type { Changes } from "./changes.ts";
import { hasEnded } from "./lifecycle.ts";
import type { Session } from "./session.ts";

/** The least time that an agent gets between its first sign of being ready and its first prompt. */
const BASE_GRACE_MS = 500;

export interface ReadyWait {
  readonly agent: RuntimeDefinition;
  readonly changes: Changes;
  readonly signal: AbortSignal;
  readonly timeoutMs: number;
  /** The agent has just been started: its first signs of being ready are not to be trusted at once. */
  readonly isFirst: boolean;
}

/**
 * Waits until an agent waits for a prompt. A question on its screen is waited out; a program that ended, or time that is over,
 * is no readiness.
 */
export async function untilReady(session: Session, wait: ReadyWait): Promise<"ready" | "ended" | "late"> {
  const { agent, changes, signal } = wait;
  const endsAt = performance.now() + wait.timeoutMs;
  const graceMs = wait.isFirst ? Math.max(BASE_GRACE_MS, agent.input.startupGraceMs) : 0;
  for (;;) {
    const timeoutMs = endsAt - performance.now();
    if (timeoutMs <= 0 || signal.aborted) {
      return "late";
    }
    const look = (): "ready" | "ended" | undefined =>
      hasEnded(session.record) ? "ended" : isReady(session, wait) ? "ready" : undefined;
    const found = await changes.until(session.id, look, { timeoutMs, signal });
    if (found !== "ready" || (graceMs === 0 && standingOf(session) === "ready")) {
      return found ?? "late";
    }
    if (await staysReady(session, wait, Math.max(graceMs, BASE_GRACE_MS))) {
      return "ready";
    }
  }
}

function isReady(session: Session, { agent, isFirst }: ReadyWait): boolean {
  const standing = standingOf(session);
  const hasSignal = agent.input.ready !== "bracketed_paste" || session.live?.terminal?.bracketed_paste === true;
  if (standing === "ready") {
    return hasSignal || !isFirst;
  }
  // A package without rules can't tell; its program is taken for ready once it is quiet.
  return standing === "unclear" && agent.detection.rules.length === 0 && session.live !== undefined && hasSignal;
}

async function staysReady(session: Session, wait: ReadyWait, graceMs: number): Promise<boolean> {
  const { changes, signal } = wait;
  const outputEnd = session.live?.outputEnd;
  const isBroken = (): true | undefined => {
    const hasMoved = standingOf(session) === "unclear" && session.live?.outputEnd !== outputEnd;
    return hasMoved || !isReady(session, wait) ? true : undefined;
  };
  return (await changes.until(session.id, isBroken, { timeoutMs: graceMs, signal })) === undefined && !signal.aborted;
}
