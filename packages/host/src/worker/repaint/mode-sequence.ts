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

/** By the value of `TerminalHeader.mouseEvent` and `mouseFormat`; the first has no mode. */
const MOUSE_EVENTS = [undefined, MODES.mouseX10, MODES.mouseNormal, MODES.mouseButton, MODES.mouseAny];
const MOUSE_FORMATS = [undefined, MODES.mouseUtf8, MODES.mouseSgr, MODES.mouseUrxvt, MODES.mouseSgrPixels];

/** Modes under which painting would go wrong. */
export const PAINTING_MODES = "\x1b[?6;69l\x1b[?7h\x1b[4;20l";

/** Sets the modes that do not disturb the painting. */
export function writeModes(writer: VtWriter, header: TerminalHeader): void {
  const isPreferred = (mode: ModeEntry): boolean => hasMode(header.modes, mode) !== hasMode(header.defaultModes, mode);
  writeSwitches(writer, header, [...COMMON_MODES, ...PREFERENCE_MODES.filter(isPreferred)]);
  writer.ascii(hasMode(header.modes, MODES.keypad) ? "\x1b=" : "\x1b>");
  writeMouse(writer, header, { entries: MOUSE_EVENTS, inForce: header.mouseEvent });
  writeMouse(writer, header, { entries: MOUSE_FORMATS, inForce: header.mouseFormat });
}

/** Sets the modes that change what printing does; nothing may be painted after them. */
export function writePrintingModes(writer: VtWriter, header: TerminalHeader): void {
  if (!hasMode(header.modes, MODES.wraparound)) writer.csi("?7l");
  const ansi = [MODES.insert, MODES.lineFeed].filter((mode) => hasMode(header.modes, mode));
  if (ansi.length > 0) writer.csi(`${ansi.map((mode) => mode.number).join(";")}h`);
}

/**
 * What XTSAVE has stored, where it differs from what it would have without. Call it before the modes are brought to their
 * value. The modes that switch the screen or save the cursor can't be set for the sake of saving them.
 */
export function writeSavedModes(writer: VtWriter, header: TerminalHeader): void {
  const switching: readonly ModeEntry[] = [
    MODES.alternate47,
    MODES.alternate1047,
    MODES.savedCursor1048,
    MODES.alternate1049,
  ];
  for (const mode of Object.values<ModeEntry>(MODES)) {
    const isOn = hasMode(header.savedModes, mode);
    if (mode.ansi || switching.includes(mode) || isOn === hasMode(header.defaultModes, mode)) continue;
    writer.csi(`?${mode.number}${isOn ? "h" : "l"}`);
    writer.csi(`?${mode.number}s`);
    writer.csi(`?${mode.number}${hasMode(header.modes, mode) ? "h" : "l"}`);
  }
}

function writeSwitches(writer: VtWriter, header: TerminalHeader, entries: readonly ModeEntry[]): void {
  const isOn = (entry: ModeEntry): boolean => hasMode(header.modes, entry);
  writeList(
    writer,
    entries.filter((entry) => !isOn(entry)),
    "l",
  );
  writeList(writer, entries.filter(isOn), "h");
}

function writeList(writer: VtWriter, entries: readonly ModeEntry[], final: "h" | "l"): void {
  const numbers = (ansi: boolean): string =>
    entries
      .filter((entry) => entry.ansi === ansi)
      .map((entry) => entry.number)
      .join(";");
  if (numbers(false) !== "") writer.csi(`?${numbers(false)}${final}`);
  if (numbers(true) !== "") writer.csi(`${numbers(true)}${final}`);
}

interface MouseModes {
  readonly entries: readonly (ModeEntry | undefined)[];
  /** Index of the entry in force; the one that was set last, unless one was reset since. */
  readonly inForce: number;
}

/** Several mouse modes may be set at once, and the last one counts; resetting any of them leaves none in force. */
function writeMouse(writer: VtWriter, header: TerminalHeader, { entries, inForce }: MouseModes): void {
  const known = entries.filter((entry) => entry !== undefined);
  const set = known.filter((entry) => hasMode(header.modes, entry));
  writeList(writer, known, "l");
  const last = entries[inForce];
  writeList(
    writer,
    set.filter((entry) => entry !== last),
    "h",
  );
  if (last !== undefined) writeList(writer, [last], "h");
  const unset = known.find((entry) => !set.includes(entry));
  if (last === undefined && set.length > 0 && unset !== undefined) {
    writeList(writer, [unset], "h");
    writeList(writer, [unset], "l");
  }
}
