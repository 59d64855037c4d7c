import { Terminal } from "@xterm/headless";

/** What the comparison reads of @xterm/headless 6.0.0 beyond its public interface. */
export interface XtermCore {
  readonly _inputHandler: {
    parse(bytes: Uint8Array): unknown;
    readonly _parser: { readonly currentState: number };
    readonly _curAttrData: XtermAttributes;
    readonly _windowTitle: string;
  };
  readonly buffers: { readonly normal: XtermBuffer; readonly alt: XtermBuffer; readonly active: XtermBuffer };
  readonly coreService: {
    readonly decPrivateModes: Readonly<Record<string, unknown>>;
    readonly modes: Readonly<Record<string, unknown>>;
    readonly isCursorHidden: boolean;
  };
  readonly coreMouseService: { readonly activeProtocol: string; readonly activeEncoding: string };
  readonly _charsetService: {
    readonly glevel: number;
    readonly charset: object | undefined;
    readonly _charsets: readonly (object | undefined)[];
  };
  readonly _oscLinkService: {
    getLinkData(id: number): { readonly id?: string; readonly uri: string } | undefined;
  };
}

export interface XtermBuffer {
  readonly x: number;
  readonly y: number;
  readonly ybase: number;
  readonly savedX: number;
  readonly savedY: number;
  readonly savedCurAttrData: XtermAttributes;
  readonly savedCharset: object | undefined;
  readonly scrollTop: number;
  readonly scrollBottom: number;
  readonly tabs: Readonly<Record<number, boolean>>;
  readonly lines: { readonly length: number; get(index: number): XtermLine | undefined };
}

export interface XtermLine {
  readonly length: number;
  readonly isWrapped: boolean;
  readonly _data: Uint32Array;
  loadCell(col: number, cell: XtermCell): XtermCell;
  translateToString(trimRight: boolean): string;
}

export interface XtermAttributes {
  readonly fg: number;
  readonly bg: number;
  readonly extended: { readonly underlineStyle: number; readonly underlineColor: number; readonly urlId: number };
  isBold(): number;
  isDim(): number;
  isItalic(): number;
  isUnderline(): number;
  isBlink(): number;
  isInverse(): number;
  isInvisible(): number;
  isStrikethrough(): number;
  isOverline(): number;
  isProtected(): number;
  hasExtendedAttrs(): number;
  getFgColorMode(): number;
  getFgColor(): number;
  getBgColorMode(): number;
  getBgColor(): number;
}

export interface XtermCell extends XtermAttributes {
  getChars(): string;
  getWidth(): number;
}

export interface OpenXterm {
  readonly terminal: Terminal;
  readonly core: XtermCore;
  /** Takes what `loadCell` reads. */
  readonly scratch: XtermCell;
}

/** Width of a character in columns. */
export type CharacterWidth = (codepoint: number) => 0 | 1 | 2;

export interface OpenXtermOptions {
  readonly cols: number;
  readonly rows: number;
  readonly scrollback: number;
  /** The built-in table is that of Unicode 6, which makes most emoji narrow. */
  readonly width: CharacterWidth | undefined;
}

export function openXterm({ cols, rows, scrollback, width }: OpenXtermOptions): OpenXterm {
  const terminal = new Terminal({ cols, rows, scrollback, allowProposedApi: true });
  if (width !== undefined) {
    const version = "shared";
    terminal.unicode.register({ version, wcwidth: width, charProperties: joinByWidth(width) });
    terminal.unicode.activeVersion = version;
  }
  const { _core: core } = terminal as unknown as { readonly _core: XtermCore };
  return { terminal, core, scratch: terminal.buffer.active.getNullCell() as unknown as XtermCell };
}

/** Characters without a width join the one before; the rest of what xterm.js calls properties stays 0. */
function joinByWidth(width: CharacterWidth): (codepoint: number, preceding: number) => number {
  return (codepoint, preceding) => {
    const own = width(codepoint);
    const before = (preceding >> 1) & 3;
    const joins = own === 0 && preceding !== 0 && before !== 0;
    return ((joins ? Math.max(own, before) : own) << 1) | Number(joins);
  };
}
