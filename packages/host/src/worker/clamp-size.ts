import type { WindowSize } from "../platform/index.ts";
import { WORKER_LIMITS } from "../worker-api/limits.ts";

/** A terminal that does not know its size says 0; this is what such a terminal had when there was no way to tell. */
const UNKNOWN_SIZE: WindowSize = { cols: 80, rows: 24 };

/**
 * The size a session takes for a requested one: 0 keeps what it was, and each side stays within 1 and its limit. Programs
 * divide by these numbers, and the terminal state takes memory by their product.
 */
export function clampSize(wanted: WindowSize, most: WindowSize, current: WindowSize = UNKNOWN_SIZE): WindowSize {
  return { cols: clamp(wanted.cols || current.cols, most.cols), rows: clamp(wanted.rows || current.rows, most.rows) };
}

/** Below this no program shows anything of use, and some break. A window that is being closed or hidden reports such sizes. */
const LEAST_SIZE: WindowSize = { cols: 10, rows: 3 };
/** Beyond this no window is; who reports it does not know its size. */
const BELIEVABLE_SIZE: WindowSize = { cols: 4 * WORKER_LIMITS.cols, rows: 4 * WORKER_LIMITS.rows };

/** The size of a viewer's terminal, as far as it is one that a session can take over; both sides are the viewer's own. */
export function usableSize({ cols = 0, rows = 0 }: Partial<WindowSize>): WindowSize | undefined {
  const isUnknown = cols === 0 || rows === 0 || cols > BELIEVABLE_SIZE.cols || rows > BELIEVABLE_SIZE.rows;
  return isUnknown || isTooSmall({ cols, rows }) ? undefined : { cols, rows };
}

/** The size that a new session takes: the default where one is wanted that is of no use. */
export function startingSize(wanted: WindowSize, most: WindowSize): WindowSize {
  return clampSize(isTooSmall(wanted) ? UNKNOWN_SIZE : wanted, most);
}

function isTooSmall({ cols, rows }: WindowSize): boolean {
  return (cols > 0 && cols < LEAST_SIZE.cols) || (rows > 0 && rows < LEAST_SIZE.rows);
}

function clamp(value: number, most: number): number {
  return Math.min(Math.max(1, Math.trunc(value)), most);
}
