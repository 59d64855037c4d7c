import { hasMode, MODES } from "../engine/mode-registry.ts";
import type { TerminalHeader } from "../engine/terminal-state.ts";
import { RESET_CHARSETS } from "./charset-sequence.ts";
import { PAINTING_MODES, writeSavedModes, writeSavedScreenModes } from "./mode-sequence.ts";
import type { VtWriter } from "./vt-writer.ts";

/** Ends whatever sequence the viewer's terminal may be in. */
const CANCEL = "\x18";
/** Back to the main screen whatever led away from it. */
const LEAVE_SCREEN = "\x1b[?1047;47;1049l";
const LEAVE_STATUS_LINE = "\x1b[0$}";
/** Twice: the ISO kind of protection, against which erasing is powerless, ends with the DEC kind. */
export const LIFT_PROTECTION = '\x1b[1"q\x1b[0"q';
/** A single shift waits for a character; the mark for output takes prompt marks off the cursor and, in column 1, off its row. */
const FORGET_SHIFT_AND_PROMPT = "\x1b[H \x1b[H\x1b]133;C\x1b\\";
/** Synchronized output: what follows is shown at once, not while it is being painted. */
const HOLD_FRAME = "\x1b[?2026h";
export const RELEASE_FRAME = "\x1b[?2026l";
/** Whole screen as scroll region, plain attributes, no link. */
const PLAIN_STATE = "\x1b[r\x1b[0m\x1b]8;;\x1b\\";
export const CLEAR_SCREEN = "\x1b[H\x1b[J";

export interface Approach {
  readonly isUsed: boolean;
  /** Mode that leads to the screen to be painted while the one in view is left as it is, its cursor included. */
  readonly enters: string | undefined;
}

/**
 * Brings the viewer's terminal into a state in which painting means the same everywhere. A full reset (RIS) would do so in two
 * bytes, but takes the user's scrollback with it; a soft reset (DECSTR) is not known to every terminal.
 */
export function writePreamble(writer: VtWriter, header: TerminalHeader, { isUsed, enters }: Approach): void {
  if (isUsed) writer.ascii(CANCEL);
  // Leaving brings the viewer's cursor back, as it does at the end.
  writeSavedScreenModes(writer, header);
  if (enters !== undefined) writer.csi(enters);
  else if (isUsed) writer.ascii(LEAVE_SCREEN);
  if (isUsed) writer.ascii(LEAVE_STATUS_LINE);
  writeSavedModes(writer, header);
  writer.ascii(HOLD_FRAME + RESET_CHARSETS + PAINTING_MODES + PLAIN_STATE);
  if (isUsed) writer.ascii(LIFT_PROTECTION + FORGET_SHIFT_AND_PROMPT);
  const isClustered = hasMode(header.modes, MODES.graphemeCluster);
  if (isUsed || isClustered) writer.csi(isClustered ? "?2027h" : "?2027l");
}
