import type { RuntimeState, SessionState } from "@pohunek/protocol/wire";
import type { NativeLaunch } from "../store/native-launch.ts";
import type { RuntimeRecord, SessionRecord } from "../store/session-record.ts";

/**
 * The one table of a session's life: what may happen in which runtime state, and where it leads. `state` is what users
 * see of the program, `runtime` what the daemon knows of the worker that holds its terminal.
 */
const TRANSITIONS = {
  /** The worker has started the program. */
  started: { from: ["starting"], runtime: "live", state: "running" },
  /** The daemon has the worker's lease, again. */
  connected: { from: ["reconnecting", "incompatible", "conflict"], runtime: "live" },
  /** The worker does not answer, and is not proven dead. */
  disconnected: { from: ["live"], runtime: "reconnecting" },
  /** As before, but it is known that the worker lives and says nothing. */
  silent: { from: ["live", "reconnecting"], runtime: "reconnecting" },
  /** The worker answers, but no version of its protocol is common. It keeps running. */
  incompatible: { from: ["starting", "live", "reconnecting", "conflict"], runtime: "incompatible" },
  /** Somebody else than the expected worker answers, or several do. None of them is touched. */
  conflicted: { from: ["starting", "live", "reconnecting", "incompatible"], runtime: "conflict" },
  /** The program has ended by itself with 0. */
  done: { from: ["starting", "live", "reconnecting", "incompatible", "conflict"], runtime: "terminal", state: "done" },
  /** The program has ended by itself otherwise. */
  failed: {
    from: ["starting", "live", "reconnecting", "incompatible", "conflict"],
    runtime: "terminal",
    state: "failed",
  },
  /** The program has ended because an owner asked for it. */
  stopped: {
    from: ["starting", "live", "reconnecting", "incompatible", "conflict"],
    runtime: "terminal",
    state: "stopped",
  },
  /** The worker is proven dead, and what it ran is gone: how the program ended is not known. */
  lost: { from: ["starting", "live", "reconnecting", "incompatible", "conflict"], runtime: "lost", state: "failed" },
  /** A new worker has taken up the conversation of the program that ended. */
  recovered: { from: ["terminal", "lost"], runtime: "live", state: "running" },
} as const satisfies Record<string, { from: readonly RuntimeState[]; runtime: RuntimeState; state?: SessionState }>;

/** Why a session is `reconnecting` whose worker lives and says nothing. */
export const SILENT = "worker_not_answering";

export type Transition = keyof typeof TRANSITIONS;

/** Facts that come with a transition. */
export interface TransitionFacts {
  readonly exitCode?: number;
  readonly exitSignal?: string;
  readonly runtime?: Partial<
    Pick<
      RuntimeRecord,
      "generation" | "workerId" | "runtimeId" | "worker" | "childPid" | "startedAt" | "lastConnectedAt" | "lossReason"
    >
  >;
  /** Absent: what was frozen stays. */
  readonly nativeLaunch?: NativeLaunch;
}

export function canTransit(record: SessionRecord, transition: Transition): boolean {
  const from: readonly RuntimeState[] = TRANSITIONS[transition].from;
  return from.includes(record.runtime.state);
}

/** Moves a session along the table. A move that the table does not have is a fault of the caller. */
export function transit(
  record: SessionRecord,
  transition: Transition,
  facts: TransitionFacts & { at: Date },
): SessionRecord {
  if (!canTransit(record, transition)) {
    throw new Error(`a session cannot go from ${record.runtime.state} by ${transition}`);
  }
  const row: { runtime: RuntimeState; state?: SessionState } = TRANSITIONS[transition];
  const { lossReason: _, ...runtime } = record.runtime;
  return amend(
    {
      ...record,
      state: row.state ?? record.state,
      exitCode: facts.exitCode,
      exitSignal: facts.exitSignal,
      nativeLaunch: facts.nativeLaunch ?? record.nativeLaunch,
      runtime: { ...runtime, ...facts.runtime, state: row.runtime },
    },
    facts.at,
  );
}

/** Stamps a changed record. Its time is later than the one before even when the clock went back. */
export function amend(record: SessionRecord, at: Date): SessionRecord {
  const before = Date.parse(record.updatedAt);
  return { ...record, updatedAt: new Date(Math.max(at.getTime(), before + 1)).toISOString() };
}

/** True once the session's program has ended or its worker is lost: nothing runs any more. */
export function hasEnded(record: SessionRecord): boolean {
  return record.runtime.state === "terminal" || record.runtime.state === "lost";
}

/** Shells report a death by signal as 128 plus its number, and so does the wire, which has room for a number only. */
const SIGNAL_EXIT_BASE = 128;

export function exitCodeOf(exit: { code?: number; signalNumber?: number }): number | undefined {
  return exit.code ?? (exit.signalNumber === undefined ? undefined : SIGNAL_EXIT_BASE + exit.signalNumber);
}
