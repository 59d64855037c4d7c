/** Lifecycle operations are written down before they act, so that a daemon that dies in one of them can finish it. */
export const OPERATION_KINDS = ["create", "stop", "remove", "resume"] as const;
export type OperationKind = (typeof OPERATION_KINDS)[number];

/** An operation that has begun and not ended. `step` is what the next daemon must know to finish it. */
export interface Operation {
  readonly sessionId: string;
  readonly kind: OperationKind;
  readonly step: string;
  /** Tries so far that failed; decides how long the next one waits. */
  readonly attempts: number;
  readonly startedAt: string;
}
