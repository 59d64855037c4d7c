/**
 * Everything a terminal remembers, as read from the engine's snapshot (format version 1 of libghostty-vt). The repaint
 * serializer turns it into escape sequences; the text reader into lines. Rows and columns count from 0.
 */

export type Color =
  | { readonly kind: "default" }
  | { readonly kind: "palette"; readonly index: number }
  | { readonly kind: "rgb"; readonly red: number; readonly green: number; readonly blue: number };

/** Bits of `Style.flags`; the underline style (0 none, 1 single, 2 double, 3 curly, 4 dotted, 5 dashed) is in bits 8 to 10. */
export const STYLE = {
  bold: 1,
  italic: 2,
  faint: 4,
  blink: 8,
  inverse: 16,
  invisible: 32,
  strikethrough: 64,
  overline: 128,
  underlineShift: 8,
} as const;

export interface Style {
  readonly foreground: Color;
  readonly background: Color;
  readonly underlineColor: Color;
  readonly flags: number;
}

/** A hyperlink (OSC 8). Cells of one link share `key`; `id` is what the program named it, if it did. */
export interface Hyperlink {
  readonly key: string;
  readonly id: string | undefined;
  readonly uri: string;
}

export interface CharsetState {
  /** Designation of G0 to G3: 0 UTF-8, 1 ASCII, 2 British, 3 DEC special graphics. */
  readonly sets: readonly [number, number, number, number];
  readonly gl: number;
  readonly gr: number;
  /** Slot of a pending single shift (SS2, SS3), or undefined. */
  readonly singleShift: number | undefined;
}

export interface SavedCursor {
  readonly row: number;
  readonly col: number;
  readonly style: Style;
  readonly isProtected: boolean;
  readonly pendingWrap: boolean;
  readonly originMode: boolean;
  readonly charset: CharsetState;
}

export type ProtectedMode = "off" | "iso" | "dec";
/** What OSC 133 says a cell is: 0 output, 1 input, 2 prompt. */
export type SemanticContent = 0 | 1 | 2;

/** The state that each of the two screens has for itself. */
export interface ScreenState {
  readonly row: number;
  readonly col: number;
  readonly pendingWrap: boolean;
  readonly isProtected: boolean;
  readonly semantic: SemanticContent;
  /** OSC 133;I instead of B: the input ends with the line. */
  readonly inputEndsWithLine: boolean;
  /** DECSCUSR shape: 0 bar, 1 block, 2 underline, 3 hollow block. */
  readonly cursorShape: number;
  readonly style: Style;
  readonly hyperlink: Hyperlink | undefined;
  readonly charset: CharsetState;
  readonly protectedMode: ProtectedMode;
  /** Ring of 8 kitty keyboard flags; `kittyIndex` is the entry in force. */
  readonly kittyFlags: readonly number[];
  readonly kittyIndex: number;
  readonly savedCursor: SavedCursor | undefined;
  readonly grid: GridRows;
}

export interface DynamicColor {
  readonly red: number;
  readonly green: number;
  readonly blue: number;
}

export interface TerminalHeader {
  readonly cols: number;
  readonly rows: number;
  readonly top: number;
  readonly bottom: number;
  readonly left: number;
  readonly right: number;
  /** DECSASD: output goes to the status line (and is dropped). */
  readonly statusLine: boolean;
  readonly alternateActive: boolean;
  readonly hasAlternate: boolean;
  /** Last printed character, which REP repeats. */
  readonly previousCodepoint: number | undefined;
  readonly cursorIsDefault: boolean;
  readonly modifyOtherKeys2: boolean;
  /** 0 none, 1 X10, 2 normal, 3 button, 4 any. */
  readonly mouseEvent: number;
  /** 0 default, 1 UTF-8, 2 SGR, 3 urxvt, 4 SGR pixels. */
  readonly mouseFormat: number;
  /** XTSHIFTESCAPE: undefined when the program never said. */
  readonly mouseShiftCapture: boolean | undefined;
  readonly mouseShape: number;
  readonly modes: bigint;
  readonly savedModes: bigint;
  readonly defaultModes: bigint;
  readonly background: DynamicColor | undefined;
  readonly foreground: DynamicColor | undefined;
  readonly cursorColor: DynamicColor | undefined;
  readonly tabStops: readonly number[];
  readonly palette: ReadonlyMap<number, DynamicColor>;
  readonly cwd: string;
  readonly title: string;
}

export interface TerminalState {
  readonly header: TerminalHeader;
  readonly primary: ScreenState;
  readonly alternate: ScreenState | undefined;
  /** Bytes of the unfinished sequence. */
  readonly pending: Uint8Array;
}

/** The rows of one screen, oldest first; the last `visible` ones are the grid in view. */
export interface GridRows {
  readonly count: number;
  readonly visible: number;
  row(index: number): GridRow;
  /** Equal for grids in view that look equal. */
  fingerprint(): string;
}

export interface GridRow {
  readonly wrapped: boolean;
  readonly continuation: boolean;
  /** 0 none, 1 first row of a prompt, 2 further row of a prompt. */
  readonly prompt: number;
  /** Cells up to the last one with content. */
  readonly length: number;
  /** The row's text where every cell is one plain byte (0 for a blank one): most rows of logs and shells. */
  readonly plainBytes: Uint8Array | undefined;
  /** Valid until the cells of another row are asked for. */
  cells(): RowCells;
  /** False when no cell of the row is more than one character. */
  readonly hasGraphemes: boolean;
  /** The characters that a cell has behind its first one. */
  graphemes(col: number): string;
  style(id: number): Style;
  hyperlink(id: number): Hyperlink;
}

/**
 * The cells of a row as the engine packs them: a low word each, and with a stride of 2 a high word behind it (0 otherwise).
 * Low word: content kind in bits 0-1 (0 character, 1 character with more behind it, 2 erased with a palette colour, 3 erased
 * with an RGB colour), content in bits 2-25, low 6 bits of the style id above. High word: rest of the style id in bits 0-9,
 * width in bits 10-11 (0 narrow, 1 wide, 2 right half of a wide one, 3 unused last column before a wide one), protected,
 * linked, semantic content (2 bits), link id (16 bits).
 */
export class RowCells {
  readonly words: Uint32Array;
  readonly stride: 1 | 2;
  readonly count: number;

  constructor(words: Uint32Array, stride: 1 | 2, count: number) {
    this.words = words;
    this.stride = stride;
    this.count = count;
  }

  /** 0, a blank cell, beyond the last one with content. */
  low(col: number): number {
    return col < this.count ? this.words[col * this.stride]! : 0;
  }

  high(col: number): number {
    return this.stride === 2 && col < this.count ? this.words[col * 2 + 1]! : 0;
  }
}

export const WIDTH = { narrow: 0, wide: 1, tail: 2, head: 3 } as const;
export const CONTENT = { character: 0, cluster: 1, palette: 2, rgb: 3 } as const;

export const cellKind = (low: number): number => low & 3;
/** True for a cell that was erased with a background colour. */
export const cellIsErased = (low: number): boolean => (low & 3) >= CONTENT.palette;
export const cellContent = (low: number): number => (low >>> 2) & 0xffffff;
export const cellStyle = (low: number, high: number): number => (low >>> 26) | ((high & 0x3ff) << 6);
export const cellWidth = (high: number): number => (high >>> 10) & 3;
export const cellIsProtected = (high: number): boolean => (high & 0x1000) !== 0;
export const cellSemantic = (high: number): SemanticContent => ((high >>> 14) & 3) as SemanticContent;
export const cellLink = (high: number): number => high >>> 16;
