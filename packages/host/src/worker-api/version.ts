/**
 * The private protocol between a daemon and the workers of its host. A worker outlives daemon upgrades, so both sides
 * serve a range and settle on the highest common version.
 *
 * 1: attach starts with a bounded replay of raw output; no observation (screen, text, retained output).
 * 2: attach starts with a repaint of the terminal state; observation.
 * 3: viewers have names, by which they are listed, resized and ended, and modes (interactive, read-only, view).
 * 4: plans have keys that count beyond the lease, and may be held before their last fragment.
 */
const WORKER_PROTOCOL_MIN = 1;
const WORKER_PROTOCOL_MAX = 4;

/** First version with repaint attach and with terminal_snapshot, read_text and read_output. */
export const OBSERVATION_SINCE = 2;

/** First version that lists viewers by name, has modes of them and close_stream. */
export const VIEWERS_SINCE = 3;

/** First version with keys of plans, settle_plan and plan_outcome. */
export const KEYED_PLANS_SINCE = 4;

export interface VersionRange {
  readonly min: number;
  readonly max: number;
}

export const WORKER_PROTOCOL: VersionRange = { min: WORKER_PROTOCOL_MIN, max: WORKER_PROTOCOL_MAX };

/** Highest version inside both ranges, or undefined when they do not overlap. */
export function highestCommonVersion(left: VersionRange, right: VersionRange): number | undefined {
  const highest = Math.min(left.max, right.max);
  return highest >= Math.max(left.min, right.min) ? highest : undefined;
}
