import type { TerminalSize } from "../terminal/local-terminal.ts";

/** Size of a session that nobody is attached to yet; the first attach brings its own. */
export const DEFAULT_SIZE = { cols: 80, rows: 24 } as const;
/** What no window has: a terminal that tells less or more does not know. Hosts see it the same way. */
const LEAST_SIZE = { cols: 10, rows: 3 };
const LARGEST_SIZE = { cols: 2_000, rows: 800 };

/** The size of a session that is started on a terminal. */
export function sizeFor(terminal: TerminalSize | undefined): TerminalSize {
  if (terminal === undefined) return DEFAULT_SIZE;
  const { cols, rows } = terminal;
  const isPossible =
    cols >= LEAST_SIZE.cols && rows >= LEAST_SIZE.rows && cols <= LARGEST_SIZE.cols && rows <= LARGEST_SIZE.rows;
  return isPossible ? terminal : DEFAULT_SIZE;
}
