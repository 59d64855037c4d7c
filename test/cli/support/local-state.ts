import { compareGhostty, compareXterm, Terminals } from "../../terminal/support/terminals.ts";

const SIZE = { cols: 80, rows: 24 };
const HISTORY_ROWS = 200;
/** What a program on the main screen changes by being there at all: text, the place of the cursor, the saved one. */
const CONTENT = /^primary\.row|^(?:primary\.)?position:/;
/** What is out of view, and the saved cursor: any full-screen program changes them, and every program sets them before use. */
const OUT_OF_VIEW = /^alternate\.|^primary\.saved[.:]/;
/** Of the last character printed, which only REP can tell. */
const LAST_CHARACTER = /^header\.previousCodepoint:/;
/** How deep in its ring an empty keyboard stack stands. */
const EMPTY_STACK = /^primary\.kitty: expected - got \[\d,\[0(?:,0)*\]\]$/;
/** Terminals differ in whether they begin with a tab stop in the first column, where nothing can use it. */
const FIRST_TAB = /^tabs: expected 0,(.*) got \1$/;
/** Neither engine keeps a stack of titles, so both still have the session's; the test looks at the stack instead. */
const TITLE = /^(?:header\.)?title:/;

const terminals = new Terminals();

/** What differs between a terminal that was shown `expected` and one that was shown `actual`, in two independent engines. */
export function stateDifferences(expected: string, actual: string, what: "all" | "all but content"): string[] {
  return [...ghosttyDifferences(expected, actual), ...xtermDifferences(expected, actual)].filter(
    (line) =>
      !(what === "all but content" && CONTENT.test(line)) &&
      !OUT_OF_VIEW.test(line) &&
      !LAST_CHARACTER.test(line) &&
      !FIRST_TAB.test(line) &&
      !EMPTY_STACK.test(line) &&
      !TITLE.test(line),
  );
}

function ghosttyDifferences(expected: string, actual: string): string[] {
  using one = terminals.ghostty(SIZE);
  using other = terminals.ghostty(SIZE);
  one.write(Buffer.from(expected, "latin1"));
  other.write(Buffer.from(actual, "latin1"));
  return compareGhostty(one, other, HISTORY_ROWS);
}

function xtermDifferences(expected: string, actual: string): string[] {
  using one = terminals.xterm(SIZE);
  using other = terminals.xterm(SIZE);
  one.write(Buffer.from(expected, "latin1"));
  other.write(Buffer.from(actual, "latin1"));
  return compareXterm(one, other, HISTORY_ROWS);
}
