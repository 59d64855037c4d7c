import { hasMode, MODES, type ModeEntry } from "../engine/mode-registry.ts";
import type { TerminalHeader } from "../engine/terminal-state.ts";
import type { VtWriter } from "./vt-writer.ts";

/** Modes that programs set and forget: brought to their value in every repaint. */
const COMMON_MODES: readonly ModeEntry[] = [
  MODES.cursorKeys,
  MODES.reverseColors,
  MODES.cursorVisible,
  MODES.focus,
  MODES.bracketedPaste,
  MODES.colorSchemeReports,
  MODES.visibilityReports,
  MODES.sizeReports,
  MODES.keyboardLocked,
  MODES.sendReceive,
];

/**
 * Modes in which users' terminals differ by taste (what Backspace sends, whether the wheel scrolls, how clusters are
 * measured): only touched where the program did.
 */
const PREFERENCE_MODES: readonly ModeEntry[] = [
  MODES.slowScroll,
  MODES.autorepeat,
  MODES.columnSwitchAllowed,
  MODES.reverseWrap,
  MODES.backarrow,
  MODES.alternateScroll,
  MODES.ignoreKeypadWithNumLock,
  MODES.altEscapePrefix,
  MODES.altSendsEscape,
  MODES.reverseWrapExtended,
];

/** By the value of `TerminalHeader.mouseEvent` and `mouseFormat`, less one: 0 has no mode. */
const MOUSE_EVENTS = [MODES.mouseX10, MODES.mouseNormal, MODES.mouseButton, MODES.mouseAny];
const MOUSE_FORMATS = [MODES.mouseUtf8, MODES.mouseSgr, MODES.mouseUrxvt, MODES.mouseSgrPixels];

/** Modes under which painting would go wrong. */
export const PAINTING_MODES = "\x1b[?6;69l\x1b[?7h\x1b[4;20l";

/** Sets the modes that do not disturb the painting. */
export function writeModes(writer: VtWriter, header: TerminalHeader): void {
  const entries = [...COMMON_MODES];
  for (const mode of PREFERENCE_MODES) {
    if (hasMode(header.modes, mode) !== hasMode(header.defaultModes, mode)) entries.push(mode);
  }
  writeSwitches(writer, header, entries);
  writer.ascii(hasMode(header.modes, MODES.keypad) ? "\x1b=" : "\x1b>");
  writeMouse(writer, header, { entries: MOUSE_EVENTS, inForce: header.mouseEvent - 1 });
  writeMouse(writer, header, { entries: MOUSE_FORMATS, inForce: header.mouseFormat - 1 });
}

/** Sets the modes that change what printing does; nothing may be painted after them. */
export function writePrintingModes(writer: VtWriter, header: TerminalHeader): void {
  if (!hasMode(header.modes, MODES.wraparound)) writer.csi("?7l");
  const isInserting = hasMode(header.modes, MODES.insert);
  const isNewLine = hasMode(header.modes, MODES.lineFeed);
  if (isInserting || isNewLine) writer.csi(isInserting && isNewLine ? "4;20h" : isInserting ? "4h" : "20h");
}

/** Modes that switch the screen or save the cursor. */
const SCREEN_MODES: readonly ModeEntry[] = [
  MODES.alternate47,
  MODES.alternate1047,
  MODES.savedCursor1048,
  MODES.alternate1049,
];

/** What XTSAVE has stored of the modes that switch the screen: by setting them for a moment, before anything is painted. */
export function writeSavedScreenModes(writer: VtWriter, header: TerminalHeader): void {
  if (header.savedModes === header.defaultModes) return;
  for (const mode of SCREEN_MODES) {
    if (hasMode(header.savedModes, mode))
      writer.ascii(`\x1b[?${mode.number}h\x1b[?${mode.number}s\x1b[?${mode.number}l`);
  }
}

/**
 * What XTSAVE has stored of the others, where it differs from what it would have without. Call it before the modes are brought
 * to their value.
 */
export function writeSavedModes(writer: VtWriter, header: TerminalHeader): void {
  if (header.savedModes === header.defaultModes) return;
  for (const mode of Object.values<ModeEntry>(MODES)) {
    const isOn = hasMode(header.savedModes, mode);
    if (mode.ansi || SCREEN_MODES.includes(mode) || isOn === hasMode(header.defaultModes, mode)) continue;
    writer.csi(`?${mode.number}${isOn ? "h" : "l"}`);
    writer.csi(`?${mode.number}s`);
    writer.csi(`?${mode.number}${hasMode(header.modes, mode) ? "h" : "l"}`);
  }
}

function writeSwitches(writer: VtWriter, header: TerminalHeader, entries: readonly ModeEntry[]): void {
  const on: ModeEntry[] = [];
  const off: ModeEntry[] = [];
  for (const entry of entries) (hasMode(header.modes, entry) ? on : off).push(entry);
  writeList(writer, off, "l");
  writeList(writer, on, "h");
}

function writeList(writer: VtWriter, entries: readonly ModeEntry[], final: "h" | "l"): void {
  let dec = "";
  let ansi = "";
  for (const entry of entries) {
    if (entry.ansi) ansi += ansi === "" ? entry.number : `;${entry.number}`;
    else dec += dec === "" ? entry.number : `;${entry.number}`;
  }
  if (dec !== "") writer.csi(`?${dec}${final}`);
  if (ansi !== "") writer.csi(`${ansi}${final}`);
}

interface MouseModes {
  readonly entries: readonly ModeEntry[];
  /** Index of the entry in force, -1 for none; the one that was set last, unless one was reset since. */
  readonly inForce: number;
}

/** Several mouse modes may be set at once, and the last one counts; resetting any of them leaves none in force. */
function writeMouse(writer: VtWriter, header: TerminalHeader, { entries, inForce }: MouseModes): void {
  const last = entries[inForce];
  const earlier: ModeEntry[] = [];
  let unset: ModeEntry | undefined;
  for (const entry of entries) {
    if (!hasMode(header.modes, entry)) unset ??= entry;
    else if (entry !== last) earlier.push(entry);
  }
  writeList(writer, entries, "l");
  writeList(writer, earlier, "h");
  if (last !== undefined) writeList(writer, [last], "h");
  if (last === undefined && earlier.length > 0 && unset !== undefined) {
    writeList(writer, [unset], "h");
    writeList(writer, [unset], "l");
  }
}
