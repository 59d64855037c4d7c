import { ByteReader } from "./byte-reader.ts";
import { PageGrid, SnapshotPage } from "./snapshot-page.ts";
import { readHyperlink, readStyle } from "./snapshot-style.ts";
import type {
  CharsetState,
  DynamicColor,
  ProtectedMode,
  SavedCursor,
  ScreenState,
  SemanticContent,
  TerminalHeader,
  TerminalState,
} from "./terminal-state.ts";

const MAGIC = "GHOSTSNP";
const VERSION = 1;
const ENVELOPE_BYTES = 10;
export const RECORD_HEADER_BYTES = 10;
export const TAG = { terminal: 1, screen: 2, page: 3, history: 4, ready: 5, finish: 6, continuation: 7 } as const;
const NO_CODEPOINT = 0xffffffff;
const PROTECTED_MODES: readonly ProtectedMode[] = ["off", "iso", "dec"];
const KITTY_ENTRIES = 8;
const PALETTE_ENTRIES = 256;

interface ScreenRecord {
  readonly key: number;
  readonly screen: Omit<ScreenState, "grid">;
  /** Oldest first. */
  readonly pages: SnapshotPage[];
  readonly pageCount: number;
}

/*
 * The first repaint of a worker runs on cold code, where a loop costs a tenth of what `Array.from`, `map` or `filter` do: those
 * are functions that the runtime still has to parse. Hence the loops here, in the page reader and in the repaint.
 */

/**
 * Reads what a snapshot holds; one that was cut short after its READY record simply has less history. The unfinished sequence
 * is in it too, but the encoder sometimes refuses it, so it is asked for separately.
 */
export function readSnapshot(bytes: Uint8Array): Omit<TerminalState, "pending"> {
  const records = new RecordReader(bytes);
  const terminal = records.next(TAG.terminal);
  const header = readHeader(terminal);
  const screens: ScreenRecord[] = [];
  for (let index = 0; index < (header.hasAlternate ? 2 : 1); index += 1) screens.push(readScreenSequence(records));
  records.next(TAG.continuation);
  records.next(TAG.ready);
  readHistories(records, screens);
  const states: ScreenState[] = [];
  for (const { key, screen, pages } of screens) states[key] = { ...screen, grid: new PageGrid(pages, header.rows) };
  const [primary, alternate] = states;
  if (primary === undefined) throw new Error("engine snapshot has no primary screen");
  return { header, primary, alternate };
}

/** Reads only what stands in the TERMINAL record. */
export function readSnapshotHeader(bytes: Uint8Array): TerminalHeader {
  return readHeader(new RecordReader(bytes).next(TAG.terminal));
}

class RecordReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  #offset = ENVELOPE_BYTES;

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
    const version = this.#view.getUint16(MAGIC.length, true);
    if (!hasMagic(bytes) || version !== VERSION) throw new Error(`unknown engine snapshot version ${version}`);
  }

  peek(): number | undefined {
    if (this.#offset + RECORD_HEADER_BYTES > this.#bytes.length) return undefined;
    const end = this.#offset + RECORD_HEADER_BYTES + this.#view.getUint32(this.#offset + 2, true);
    return end > this.#bytes.length ? undefined : this.#view.getUint16(this.#offset, true);
  }

  next(expected: number): ByteReader {
    const tag = this.peek();
    if (tag !== expected) throw new Error(`engine snapshot has record ${tag} instead of ${expected}`);
    const start = this.#offset + RECORD_HEADER_BYTES;
    this.#offset = start + this.#view.getUint32(this.#offset + 2, true);
    return new ByteReader(this.#bytes.subarray(start, this.#offset));
  }
}

function hasMagic(bytes: Uint8Array): boolean {
  for (let index = 0; index < MAGIC.length; index += 1) if (bytes[index] !== MAGIC.charCodeAt(index)) return false;
  return true;
}

function readScreenSequence(records: RecordReader): ScreenRecord {
  const record = readScreen(records.next(TAG.screen));
  for (let index = 0; index < record.pageCount; index += 1) record.pages.push(new SnapshotPage(records.next(TAG.page)));
  return record;
}

/** History pages come newest first and belong in front of the pages that came with the screen. */
function readHistories(records: RecordReader, screens: readonly ScreenRecord[]): void {
  while (records.peek() === TAG.history) {
    const history = records.next(TAG.history);
    const key = history.u16();
    for (let left = history.u32(); left > 0 && records.peek() === TAG.page; left -= 1) {
      const page = new SnapshotPage(records.next(TAG.page));
      for (const screen of screens) if (screen.key === key) screen.pages.unshift(page);
    }
  }
}

function readHeader(reader: ByteReader): TerminalHeader {
  const cols = reader.u16();
  const rows = reader.u16();
  reader.skip(8); // size in pixels
  const [top, bottom, left, right] = [reader.u16(), reader.u16(), reader.u16(), reader.u16()];
  const statusLine = reader.u8() !== 0;
  const alternateActive = reader.u16() === 1;
  const hasAlternate = reader.u16() === 2;
  const previous = reader.u32();
  const cursorIsDefault = reader.u8() === 1;
  reader.skip(3); // default cursor shape, default blink, shell redraw policy
  const modifyOtherKeys2 = reader.u8() === 1;
  const mouseEvent = reader.u8();
  const mouseFormat = reader.u8();
  const shiftCapture = reader.u8();
  const mouseShape = reader.u8();
  reader.skip(1); // password input
  const [modes, savedModes, defaultModes] = [reader.u64(), reader.u64(), reader.u64()];
  const [background, foreground, cursorColor] = [readDynamic(reader), readDynamic(reader), readDynamic(reader)];
  reader.skip(16); // scrollback limits
  const tabStops = readTabStops(reader, cols);
  const palette = readPalette(reader);
  const cwd = reader.text(reader.u32());
  const title = reader.text(reader.u32());
  const previousCodepoint = previous === NO_CODEPOINT ? undefined : previous;
  const mouseShiftCapture = shiftCapture === 0 ? undefined : shiftCapture === 2;
  return {
    cols,
    rows,
    top,
    bottom,
    left,
    right,
    statusLine,
    alternateActive,
    hasAlternate,
    previousCodepoint,
    cursorIsDefault,
    modifyOtherKeys2,
    mouseEvent,
    mouseFormat,
    mouseShiftCapture,
    mouseShape,
    modes,
    savedModes,
    defaultModes,
    background,
    foreground,
    cursorColor,
    tabStops,
    palette,
    cwd,
    title,
  };
}

/** The override that a program set (OSC 10, 11, 12), not the configured default. */
function readDynamic(reader: ByteReader): DynamicColor | undefined {
  reader.skip(4);
  const present = reader.u8() === 1;
  const color = { red: reader.u8(), green: reader.u8(), blue: reader.u8() };
  return present ? color : undefined;
}

function readTabStops(reader: ByteReader, cols: number): number[] {
  const bits = reader.take(Math.ceil(cols / 8));
  const stops: number[] = [];
  for (let col = 0; col < cols; col += 1) if (((bits[col >> 3] ?? 0) & (1 << (col & 7))) !== 0) stops.push(col);
  return stops;
}

function readPalette(reader: ByteReader): Map<number, DynamicColor> {
  reader.skip(PALETTE_ENTRIES * 3);
  const mask = reader.take(PALETTE_ENTRIES / 8);
  const overrides = new Map<number, DynamicColor>();
  for (let index = 0; index < PALETTE_ENTRIES; index += 1) {
    const byte = mask[index >> 3] ?? 0;
    if (byte === 0) index |= 7;
    if ((byte & (1 << (index & 7))) === 0) continue;
    overrides.set(index, { red: reader.u8(), green: reader.u8(), blue: reader.u8() });
  }
  return overrides;
}

function readScreen(reader: ByteReader): ScreenRecord {
  const key = reader.u16();
  const pageCount = reader.u16();
  reader.skip(8); // rows of history
  const [col, row] = [reader.u16(), reader.u16()];
  const cursorShape = reader.u8();
  const flags = reader.u8();
  const style = readStyle(reader);
  reader.skip(4); // next implicit link id
  const charset = readCharset(reader.u16());
  const protectedMode = PROTECTED_MODES[reader.u8()] ?? "off";
  const kittyIndex = reader.u8();
  const kittyFlags: number[] = [];
  for (let index = 0; index < KITTY_ENTRIES; index += 1) kittyFlags.push(reader.u8());
  reader.skip(2); // semantic clicks
  const savedCursor = reader.u8() === 1 ? readSavedCursor(reader) : undefined;
  const hyperlink = readHyperlink(reader);
  const screen = {
    row,
    col,
    cursorShape,
    style,
    charset,
    protectedMode,
    kittyIndex,
    kittyFlags,
    savedCursor,
    hyperlink,
    pendingWrap: (flags & 1) !== 0,
    isProtected: (flags & 2) !== 0,
    semantic: ((flags >> 2) & 3) as SemanticContent,
    inputEndsWithLine: (flags & 0x10) !== 0,
  };
  return { key, screen, pages: [], pageCount };
}

function readSavedCursor(reader: ByteReader): SavedCursor {
  const [col, row] = [reader.u16(), reader.u16()];
  const style = readStyle(reader);
  const flags = reader.u8();
  return {
    row,
    col,
    style,
    charset: readCharset(reader.u16()),
    isProtected: (flags & 1) !== 0,
    pendingWrap: (flags & 2) !== 0,
    originMode: (flags & 4) !== 0,
  };
}

function readCharset(raw: number): CharsetState {
  const shift = (raw >> 12) & 7;
  return {
    sets: [raw & 3, (raw >> 2) & 3, (raw >> 4) & 3, (raw >> 6) & 3],
    gl: (raw >> 8) & 3,
    gr: (raw >> 10) & 3,
    singleShift: shift === 0 ? undefined : shift - 1,
  };
}
