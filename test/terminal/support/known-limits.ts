import type { GhosttyEngine } from "../../../packages/host/src/worker/engine/ghostty-engine.ts";
import { MODES } from "../../../packages/host/src/worker/engine/mode-registry.ts";
import type { GridRow, ScreenState, TerminalState } from "../../../packages/host/src/worker/engine/terminal-state.ts";

/** Says whether a line of a comparison is explained by the limit, given the state that was to be restored. */
type Explanation = (line: string, state: TerminalState) => boolean;

/**
 * What no sequence of escape codes can bring back. Each is shown by an example in repaint-limits.test.ts and told in the
 * documentation under its name.
 */
export const KNOWN_LIMITS = {
  "repeated character": (line) => line.startsWith("header.previousCodepoint:"),
  "continuation without its line": (line, state) => isFlags(line) && !rowAt(line, state, -1)?.wrapped,
  "wrap into a line of its own": (line, state) => isFlags(line) && !rowAt(line, state, 1)?.continuation,
  "wrap pending over an erased cell": (line, state) =>
    /\.col\d+: expected (?:-|erased .*) got {3}w0 /.test(line) &&
    cursorsOf(state).some((cursor) => cursor?.pendingWrap),
  "wrap pending in mid line": (line, { header }) => {
    const found = /\.(?:position|saved): expected "?\[{1,2}\d+,(\d+),true[,\]]/.exec(line);
    return found !== null && Number(found[1]) < header.cols - 1;
  },
  "unused last column": (line) => /\.col\d+: expected blank w3 /.test(line),
  "wide blank": (line) => /\.col\d+: expected .* w[12] |\.col\d+: expected {3}w0 /.test(line),
  "attributes without a character": (line) => /\.col\d+: expected blank w0 /.test(line),
  "stray mode 47 and a prompt": (line) =>
    line.startsWith("header.modes:") && differsOnlyIn(line, MODES.alternate47.bit),
  "cursor outside of its region": (line, state) => line.includes(".saved: ") && isOutside(state),
} as const satisfies Record<string, Explanation>;

export type LimitName = keyof typeof KNOWN_LIMITS;

/** The differences that none of the known limits explains. */
export function unexplained(differences: readonly string[], original: GhosttyEngine): string[] {
  const state = original.state(1000);
  return differences.filter(
    (line) => !Object.values<Explanation>(KNOWN_LIMITS).some((explains) => explains(line, state)),
  );
}

/** A soft wrap that was lost; prompt marks are as they were. */
function isFlags(line: string): boolean {
  const found = /\.row-?\d+\.flags: expected (W?)(C?)(\d?) got (W?)(C?)(\d?)-?$/.exec(line);
  return found !== null && found[3] === found[6];
}

function rowAt(line: string, state: TerminalState, offset: number): GridRow | undefined {
  const found = /^(primary|alternate)\.row(-?\d+)\./.exec(line);
  const grid = (found?.[1] === "primary" ? state.primary : state.alternate)?.grid;
  const index = (grid?.count ?? 0) - (grid?.visible ?? 0) + Number(found?.[2]) + offset;
  return grid === undefined || index < 0 || index >= grid.count ? undefined : grid.row(index);
}

function inView({ header, primary, alternate }: TerminalState): ScreenState {
  return (header.alternateActive ? alternate : primary) ?? primary;
}

function cursorsOf(state: TerminalState): ({ readonly pendingWrap: boolean } | undefined)[] {
  return [inView(state), state.primary.savedCursor, state.alternate?.savedCursor];
}

function isOutside(state: TerminalState): boolean {
  const { row, col } = inView(state);
  const { top, bottom, left, right } = state.header;
  return row < top || row > bottom || col < left || col > right;
}

/** True for a line about sets of bits, written in binary, that differ in one bit only. */
function differsOnlyIn(line: string, bit: number): boolean {
  const [expected = 0n, actual = 0n] = Array.from(line.matchAll(/"([01]+)"/g), ([, bits]) => BigInt(`0b${bits}`));
  return (expected ^ actual) === 1n << BigInt(bit);
}
