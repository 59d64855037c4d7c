/**
 * The points of the lifecycle operations at which a crash of the daemon leaves something different behind. The project's
 * own tests kill the daemon at each of them (setting `test.crash_at`).
 */
export const OPERATION_STEPS = [
  "create:recorded",
  "create:worker_started",
  "create:initialized",
  "create:stored",
  "resume:recorded",
  "resume:released",
  "resume:worker_started",
  "resume:initialized",
  "resume:stored",
  "stop:recorded",
  "stop:ended",
  "stop:stored",
  "remove:recorded",
  "remove:stopped",
  "remove:released",
  "remove:cleaned",
  "remove:stored",
  "input:queued",
  "input:held",
  "input:written",
  "input:stored",
] as const;

export type OperationStep = (typeof OPERATION_STEPS)[number];

/** Called when an operation has come to a step. */
export type ReachStep = (step: OperationStep) => void;
