import type { HookFacts } from "./hooks.ts";
import type { ExitOutcome, ForegroundGroup, Inspection, RuntimeFault, TerminalFacts } from "./inspection.ts";
import type { ViewerFacts } from "./viewers.ts";

/**
 * What a worker tells the holder of its lease, unasked. Each event carries the state, not the difference: a reader that
 * missed one loses nothing but time. Floods are merged, at most one of a kind in `EVENT_INTERVAL_MS`.
 */
export type WorkerEvent =
  | { readonly event: "runtime_started"; readonly inspection: Inspection }
  | OutputAdvanced
  | ({ readonly event: "terminal_changed"; readonly bell?: boolean } & TerminalFacts)
  | { readonly event: "identity_changed"; readonly foreground: ForegroundGroup }
  | { readonly event: "geometry_changed"; readonly cols: number; readonly rows: number }
  | AttachCountChanged
  | { readonly event: "child_exited"; readonly exit: ExitOutcome; readonly end_offset: number }
  | { readonly event: "runtime_fault"; readonly fault: RuntimeFault }
  | { readonly event: "hooks_reported"; readonly hooks: HookFacts };

export interface OutputAdvanced {
  readonly event: "output_advanced";
  readonly end_offset: number;
  readonly at_ms: number;
  /** When a viewer last typed, on the same clock; absent when none did. Output right after it may be its echo. */
  readonly typed_at_ms?: number;
}

export interface AttachCountChanged {
  readonly event: "attach_count_changed";
  readonly attached: number;
  /** As in an inspection. */
  readonly viewers?: readonly ViewerFacts[];
}

export type WorkerEventName = WorkerEvent["event"];

/** Fast enough for a state that a person watches, and 20 lines a second at most. */
export const EVENT_INTERVAL_MS = 50;
