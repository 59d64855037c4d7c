import type { AttachMode } from "@pohunek/protocol/wire";
import type { ExitOutcome, Inspection, ProcessIdentity, TerminalFacts, WorkerIdentity } from "./inspection.ts";
import type { LaunchSpec } from "./launch-spec.ts";
import type { AdjustViewParams, ViewFacts } from "./viewers.ts";

export interface NegotiateResult extends WorkerIdentity {
  readonly version: number;
  readonly range: { readonly min: number; readonly max: number };
  readonly frame_payload_bytes: number;
}

export interface OpenDataStreamParams {
  /** Applied before the repaint. */
  readonly cols?: number;
  readonly rows?: number;
  /** Lines of history in the repaint above the visible screen; 0 for the screen alone. Default: all. */
  readonly history_lines?: number;
  /** Whether the viewer's terminal may be in any state (`used`, the default) or is untouched. */
  readonly viewer?: "fresh" | "used";
  /** `active`: while the program is on its alternate screen, the viewer's main screen is left to its user. Default `both`. */
  readonly screens?: "both" | "active";
  /** Version 1: most bytes of retained output to replay. Default: all. */
  readonly replay_bytes?: number;
  /** Version 3: the name under which the viewer is listed and can be ended. */
  readonly stream?: string;
  /** Version 3: the session in which the viewer runs; told again to a later daemon. */
  readonly viewer_session?: string;
  /** Version 3: what the viewer may do. Default `interactive`; an older worker knows nothing else. */
  readonly mode?: AttachMode;
  /** False: the viewer's terminal gets no query, so that what may be a key or an answer is a key. Default true. */
  readonly answers_queries?: boolean;
}

export interface OpenDataStreamResult {
  /** Redeemable once, on a new connection. */
  readonly token: string;
  readonly expires_in_ms: number;
}

export interface CloseStreamParams {
  readonly stream: string;
}

export interface CloseStreamResult {
  /** False: no viewer of this name is attached. */
  readonly closed: boolean;
}

export interface TerminalSnapshot extends TerminalFacts {
  readonly output_offset: number;
  readonly cols: number;
  readonly rows: number;
  readonly cursor: { readonly row: number; readonly col: number; readonly visible: boolean };
  readonly visible_lines: readonly string[];
}

export type TextSource = "visible" | "recent" | "recent_unwrapped" | "detection";

export interface ReadTextParams {
  readonly source: TextSource;
  readonly lines: number;
}

export interface ReadTextResult {
  readonly lines: readonly string[];
  readonly revision: number;
  readonly alternate_screen: boolean;
  /** More lines were there than asked for. */
  readonly truncated: boolean;
}

export interface ReadOutputParams {
  /** First byte wanted; absent: the newest `max_bytes`. */
  readonly after_offset?: number;
  readonly max_bytes: number;
  /** With `after_offset` at the end of the output: wait for more. */
  readonly wait_ms?: number;
}

export interface ReadOutputResult {
  readonly history_start_offset: number;
  readonly start_offset: number;
  readonly next_offset: number;
  readonly runtime_end_offset: number;
  readonly data_base64: string;
  /** Bytes asked for that are no longer retained. */
  readonly gap?: { readonly start_offset: number; readonly end_offset: number };
  readonly has_more: boolean;
  readonly timed_out: boolean;
}

export interface PlanFragment {
  readonly data_base64: string;
  /** Silence after this fragment, before the next one is written. */
  readonly delay_ms?: number;
}

export interface WritePlanParams {
  /** Rises by at least one with each new plan of a lease. A repeated value is a retry and returns the first result. */
  readonly sequence: number;
  /** One or two. */
  readonly fragments: readonly PlanFragment[];
  /**
   * Time for a program that does not read, the silences between the fragments not counted. What is not written by then is
   * dropped: session_input_blocked when that is all of it, else session_input_incomplete. Absent: no limit. A worker of a
   * release that does not know this member has none.
   */
  readonly timeout_ms?: number;
  /**
   * Version 4: a name of the plan that counts beyond its lease. A plan of a key that the worker knows writes nothing and has
   * what came of the first one, whichever daemon sent that.
   */
  readonly key?: string;
  /**
   * Version 4, with a key: stop before the last fragment, after the silence, and answer `held`. `settle_plan` says how it
   * goes on; a plan of which it says nothing for so long is withdrawn, so that a daemon that died submits nothing.
   */
  readonly hold_ms?: number;
}

/** Every byte of the plan was taken by the PTY, unless `outcome` says something else. */
export interface WritePlanResult {
  readonly sequence: number;
  readonly bytes: number;
  /** End of the output when the last byte was written: what the program prints in answer comes after it. */
  readonly output_offset: number;
  readonly written_at_ms: number;
  /** `held`: all but the last fragment is written. `withdrawn`: the last one never will be. */
  readonly outcome?: "held" | "withdrawn";
}

export interface SettlePlanParams {
  readonly key: string;
  /** False: the last fragment is dropped. */
  readonly submit: boolean;
  /** Submit only while the output ends here: what was printed later may have changed the caller's mind. */
  readonly output_offset?: number;
}

export interface SettlePlanResult {
  /** `moved`: there is more output than the caller knows of; the plan is still held. */
  readonly outcome: "written" | "withdrawn" | "moved";
  readonly output_offset: number;
  readonly written_at_ms: number;
}

/** `never`: no plan of this key came since `remembered_since_ms`. */
export type PlanState = "never" | "writing" | "held" | "written" | "withdrawn" | "failed";

export interface PlanOutcome {
  readonly state: PlanState;
  /** Every plan with a key that was sent since then is remembered. */
  readonly remembered_since_ms: number;
  readonly output_offset?: number;
  readonly written_at_ms?: number;
  /** Of a failed one. */
  readonly code?: string;
  readonly written_bytes?: number;
}

export interface ResizeParams {
  readonly cols: number;
  readonly rows: number;
  /** Version 3: the viewer whose terminal has this size. The session takes it over when that viewer owns the size now. */
  readonly stream?: string;
}

export interface ResizeResult {
  readonly cols: number;
  readonly rows: number;
  /** False when the terminal had this size already. */
  readonly changed: boolean;
}

export interface StopParams {
  readonly grace_ms?: number;
}

export interface SurvivingProcess extends ProcessIdentity {
  readonly program?: string;
}

export interface StopResult {
  readonly exit: ExitOutcome;
  /** Nothing of the session's processes is left, and nothing was skipped. */
  readonly confirmed: boolean;
  /** Outlived SIGKILL. */
  readonly survivors: readonly SurvivingProcess[];
  /** Carry the session's marker without that of the generation: never signalled. */
  readonly skipped: readonly SurvivingProcess[];
}

interface Operation<Params, Result> {
  readonly params: Params;
  readonly result: Result;
}

type Empty = Readonly<Record<never, never>>;

/** Every operation of the control connection. */
export interface WorkerOperations {
  readonly negotiate: Operation<{ readonly min: number; readonly max: number }, NegotiateResult>;
  readonly acquire_controller: Operation<{ readonly controller: string }, { readonly lease: number }>;
  readonly release_controller: Operation<Empty, Empty>;
  /** Needs no lease. */
  readonly inspect: Operation<Empty, Inspection>;
  readonly initialize: Operation<LaunchSpec, Inspection>;
  readonly open_data_stream: Operation<OpenDataStreamParams, OpenDataStreamResult>;
  /** Version 3: ends one attach. */
  readonly close_stream: Operation<CloseStreamParams, CloseStreamResult>;
  /** Version 3: changes what a viewer of mode `view` sees. */
  readonly adjust_view: Operation<AdjustViewParams, ViewFacts>;
  readonly terminal_snapshot: Operation<Empty, TerminalSnapshot>;
  readonly read_text: Operation<ReadTextParams, ReadTextResult>;
  readonly read_output: Operation<ReadOutputParams, ReadOutputResult>;
  readonly write_plan: Operation<WritePlanParams, WritePlanResult>;
  /** Version 4: how a held plan goes on. Of one that is over: what came of it. */
  readonly settle_plan: Operation<SettlePlanParams, SettlePlanResult>;
  /** Version 4: what came of the plan of this key. */
  readonly plan_outcome: Operation<{ readonly key: string }, PlanOutcome>;
  readonly resize: Operation<ResizeParams, ResizeResult>;
  readonly stop: Operation<StopParams, StopResult>;
  /** Ends the worker: its outcome is known. */
  readonly acknowledge_terminal: Operation<Empty, Empty>;
}

export type OperationName = keyof WorkerOperations;
export type OperationParams<Name extends OperationName> = WorkerOperations[Name]["params"];
export type OperationResult<Name extends OperationName> = WorkerOperations[Name]["result"];

export const OPERATION_NAMES = [
  "negotiate",
  "acquire_controller",
  "release_controller",
  "inspect",
  "initialize",
  "open_data_stream",
  "close_stream",
  "adjust_view",
  "terminal_snapshot",
  "read_text",
  "read_output",
  "write_plan",
  "settle_plan",
  "plan_outcome",
  "resize",
  "stop",
  "acknowledge_terminal",
] as const satisfies readonly OperationName[];

/** One control line from the daemon. Answers carry the same `id` and may come in another order. */
export interface OperationRequest<Name extends OperationName = OperationName> {
  readonly id: number;
  readonly op: Name;
  readonly params: OperationParams<Name>;
}
