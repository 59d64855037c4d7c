import { MOUSE_TRACKINGS } from "./ghostty-abi.ts";
import type { MouseEncoding, TerminalModes } from "./terminal-engine.ts";
import type { TerminalHeader } from "./terminal-state.ts";

export interface ModeEntry {
  /** Position in the snapshot's packed sets. */
  readonly bit: number;
  /** Number in SM/RM (`ansi`) or DECSET/DECRST. */
  readonly number: number;
  readonly ansi: boolean;
}

const dec = (bit: number, number: number): ModeEntry => ({ bit, number, ansi: false });
const ansi = (bit: number, number: number): ModeEntry => ({ bit, number, ansi: true });

/** Every mode of the engine by the bit that it has in a snapshot (test/terminal/modes.test.ts tries each one). */
export const MODES = {
  keyboardLocked: ansi(0, 2),
  insert: ansi(1, 4),
  sendReceive: ansi(2, 12),
  lineFeed: ansi(3, 20),
  cursorKeys: dec(4, 1),
  slowScroll: dec(6, 4),
  reverseColors: dec(7, 5),
  origin: dec(8, 6),
  wraparound: dec(9, 7),
  autorepeat: dec(10, 8),
  mouseX10: dec(11, 9),
  cursorBlink: dec(12, 12),
  cursorVisible: dec(13, 25),
  columnSwitchAllowed: dec(14, 40),
  reverseWrap: dec(15, 45),
  alternate47: dec(16, 47),
  keypad: dec(17, 66),
  backarrow: dec(18, 67),
  leftRightMargin: dec(19, 69),
  mouseNormal: dec(20, 1000),
  mouseButton: dec(21, 1002),
  mouseAny: dec(22, 1003),
  focus: dec(23, 1004),
  mouseUtf8: dec(24, 1005),
  mouseSgr: dec(25, 1006),
  alternateScroll: dec(26, 1007),
  mouseUrxvt: dec(27, 1015),
  mouseSgrPixels: dec(28, 1016),
  ignoreKeypadWithNumLock: dec(29, 1035),
  altEscapePrefix: dec(30, 1036),
  altSendsEscape: dec(31, 1039),
  reverseWrapExtended: dec(32, 1045),
  alternate1047: dec(33, 1047),
  savedCursor1048: dec(34, 1048),
  alternate1049: dec(35, 1049),
  bracketedPaste: dec(36, 2004),
  synchronizedOutput: dec(37, 2026),
  graphemeCluster: dec(38, 2027),
  colorSchemeReports: dec(39, 2031),
  visibilityReports: dec(40, 2033),
  sizeReports: dec(41, 2048),
} as const satisfies Record<string, ModeEntry>;

const MOUSE_ENCODINGS: readonly MouseEncoding[] = ["default", "utf8", "sgr", "urxvt", "sgr-pixels"];

export function hasMode(modes: bigint, entry: ModeEntry): boolean {
  return ((modes >> BigInt(entry.bit)) & 1n) === 1n;
}

/** The answer to an ANSI DECRQM: 1 set, 2 reset, 0 not known. */
export function reportAnsiMode(header: TerminalHeader, number: number): number {
  const entry = Object.values<ModeEntry>(MODES).find((mode) => mode.ansi && mode.number === number);
  if (entry === undefined) return 0;
  return hasMode(header.modes, entry) ? 1 : 2;
}

export function modesOf(header: TerminalHeader, kittyKeyboardFlags: number): TerminalModes {
  const has = (entry: ModeEntry): boolean => hasMode(header.modes, entry);
  return {
    bracketedPaste: has(MODES.bracketedPaste),
    focusReporting: has(MODES.focus),
    applicationCursor: has(MODES.cursorKeys),
    applicationKeypad: has(MODES.keypad),
    mouseTracking: MOUSE_TRACKINGS[header.mouseEvent] ?? "none",
    mouseEncoding: MOUSE_ENCODINGS[header.mouseFormat] ?? "default",
    alternateScroll: has(MODES.alternateScroll),
    synchronizedOutput: has(MODES.synchronizedOutput),
    kittyKeyboardFlags,
    insert: has(MODES.insert),
    wraparound: has(MODES.wraparound),
    lineFeedNewLine: has(MODES.lineFeed),
    reverseVideo: has(MODES.reverseColors),
  };
}
