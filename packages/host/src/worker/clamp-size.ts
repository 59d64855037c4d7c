import type { WindowSize } from "../platform/index.ts";

/** A terminal that does not know its size says 0; this is what such a terminal had when there was no way to tell. */
const UNKNOWN_SIZE: WindowSize = { cols: 80, rows: 24 };

/**
 * The size a session takes for a requested one: 0 keeps what it was, and each side stays within 1 and its limit. Programs
 * divide by these numbers, and the terminal state takes memory by their product.
 */
export function clampSize(wanted: WindowSize, most: WindowSize, current: WindowSize = UNKNOWN_SIZE): WindowSize {
  return { cols: clamp(wanted.cols || current.cols, most.cols), rows: clamp(wanted.rows || current.rows, most.rows) };
}

function clamp(value: number, most: number): number {
  return Math.min(Math.max(1, Math.trunc(value)), most);
}
