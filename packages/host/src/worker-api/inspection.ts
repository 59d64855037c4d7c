import type { ClipboardPolicy, SessionId, WorkerId, WorkerInstanceId } from "@pohunek/protocol/wire";
import type { HookFacts } from "./hooks.ts";
import type { ProgramStatus } from "./program-status.ts";
import type { ViewerFacts } from "./viewers.ts";

/** A process of one boot: the pid alone may be reused, the pair is not. */
export interface ProcessIdentity {
  readonly pid: number;
  /** Opaque; compare for equality only. Decimal digits. */
  readonly start_identity: string;
}

/**
 * `waiting`: the worker has no launch spec yet. `running`: the child lives, or its last output is not yet drained.
 * `exited`: the outcome waits to be acknowledged.
 */
export type WorkerPhase = "waiting" | "running" | "exited";

/** Exactly one of `code` and `signal`. */
export interface ExitOutcome {
  readonly code?: number;
  /** Name, as SIGKILL. */
  readonly signal?: string;
  readonly at_ms: number;
}

/** The process group that reads the terminal; its leader's facts when it still lives. */
export interface ForegroundGroup {
  readonly pgid: number;
  readonly start_identity?: string;
  /** Base name of the leader's program. */
  readonly program?: string;
  readonly cwd?: string;
}

export interface TerminalFacts {
  readonly revision: number;
  readonly title?: string;
  readonly cwd?: string;
  readonly progress?: TerminalProgressFact;
  readonly alternate_screen: boolean;
  readonly bracketed_paste: boolean;
  /** Reports of OSC 7501 so far, those that cleared a record included. Absent: none, or a worker of an older release. */
  readonly status_reports?: number;
  /** The records that stand, oldest first. */
  readonly status?: readonly ProgramStatusFact[];
}

export interface ProgramStatusFact extends ProgramStatus {
  /** Number of the report, from 1. */
  readonly seq: number;
  /** Process group that had the terminal when the report was read. */
  readonly pgid: number;
}

export interface TerminalProgressFact {
  readonly state: "set" | "error" | "indeterminate" | "paused";
  readonly percent?: number;
}

/** Something that failed without ending the session, as a journal that can't be written. */
export interface RuntimeFault {
  readonly code: "journal_unwritable" | "log_unwritable" | "pty_error" | "engine_fault";
  readonly message: string;
  readonly at_ms: number;
}

export interface WorkerIdentity {
  readonly session_id: SessionId;
  readonly worker_id: WorkerId;
  /** The public protocol calls it worker_instance_id. */
  readonly runtime_id: WorkerInstanceId;
  readonly generation: number;
}

export interface Inspection extends WorkerIdentity {
  readonly worker: ProcessIdentity & { readonly boot_id: string; readonly release: string };
  readonly phase: WorkerPhase;
  readonly started_at_ms: number;
  readonly child?: ProcessIdentity;
  readonly foreground?: ForegroundGroup;
  /** Path of the program's terminal. Absent while waiting, and from older workers. */
  readonly tty?: string;
  readonly cols: number;
  readonly rows: number;
  readonly output: { readonly start_offset: number; readonly end_offset: number };
  /** Absent while waiting. */
  readonly terminal?: TerminalFacts;
  readonly exit?: ExitOutcome;
  readonly attached: number;
  /** As the launch said. Absent while waiting. */
  readonly clipboard?: ClipboardPolicy;
  /** Those that were attached under a name. Version 3. */
  readonly viewers?: readonly ViewerFacts[];
  /** What the hooks of the program have told. Absent: nothing, or a worker of an older release. */
  readonly hooks?: HookFacts;
  /** Who holds the lease now. */
  readonly controller?: string;
  readonly faults: readonly RuntimeFault[];
}
