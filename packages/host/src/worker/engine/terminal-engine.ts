/**
 * What the worker needs to know about a terminal. The worker ships one implementation (libghostty-vt,
 * `openGhosttyEngine`); tests compare it with a second one on @xterm/headless.
 */

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

export interface CursorState {
  /** Row in the visible grid, from 0. */
  readonly row: number;
  /** Column, from 0. */
  readonly col: number;
  readonly visible: boolean;
}

/** A program's progress report (OSC 9;4). `percent` is absent when the report names none. */
export interface TerminalProgress {
  readonly state: "set" | "error" | "indeterminate" | "paused";
  readonly percent?: number;
}

export type MouseTracking = "none" | "x10" | "normal" | "button" | "any";
export type MouseEncoding = "default" | "utf8" | "sgr" | "urxvt" | "sgr-pixels";

/** The modes that decide how input must be encoded and how a viewer's terminal has to be reset. */
export interface TerminalModes {
  readonly bracketedPaste: boolean;
  readonly focusReporting: boolean;
  readonly applicationCursor: boolean;
  readonly applicationKeypad: boolean;
  readonly mouseTracking: MouseTracking;
  readonly mouseEncoding: MouseEncoding;
  readonly alternateScroll: boolean;
  readonly synchronizedOutput: boolean;
  /** Current flags of the kitty keyboard protocol, 0 when it is off. */
  readonly kittyKeyboardFlags: number;
  readonly insert: boolean;
  readonly wraparound: boolean;
  readonly lineFeedNewLine: boolean;
  readonly reverseVideo: boolean;
}

/** A program's OSC 52 (or OSC 1337) copy. */
export interface ClipboardWrite {
  readonly location: "standard" | "selection" | "primary";
  /** Decoded content; empty means clear. */
  readonly content: Uint8Array;
}

/**
 * Announcements of the engine, called synchronously while `write` runs. A listener must not call `write` or
 * `resize`; byte arrays that it receives are its own.
 */
export interface TerminalListener {
  /** The terminal's answer to a query (DA, DSR, CPR, XTVERSION, DECRQM, OSC colours, ...): bytes for the program. */
  reply?(bytes: Uint8Array): void;
  title?(title: string): void;
  /** OSC 7 as reported, normally a file: URL. */
  cwd?(cwd: string): void;
  /** `undefined`: the program removed its progress. */
  progress?(progress: TerminalProgress | undefined): void;
  bell?(): void;
  clipboard?(write: ClipboardWrite): void;
  /** The program asks what is on the clipboard. */
  clipboardQuery?(): void;
  notification?(title: string, body: string): void;
  /** OSC 7501, the program status protocol: the untrusted text behind the number. */
  programStatus?(payload: string): void;
}

export interface TerminalEngineOptions extends TerminalSize {
  /** Lines kept above the visible grid of the main screen. */
  readonly historyLines: number;
  readonly listener?: TerminalListener;
}

export interface TerminalEngine extends Disposable {
  /** Feeds output of the program. Never throws on content; chunks may be cut anywhere. The bytes are not kept. */
  write(bytes: Uint8Array): void;
  /** Resizes the grid; the main screen reflows. Equal sizes do nothing. */
  resize(cols: number, rows: number): void;

  readonly size: TerminalSize;
  /** Grows whenever the visible grid, the cursor or the screen in view may have changed; equal revisions mean an equal view. */
  readonly revision: number;
  readonly cursor: CursorState;
  readonly alternateScreen: boolean;
  readonly title: string;
  readonly cwd: string;
  readonly progress: TerminalProgress | undefined;
  readonly modes: TerminalModes;

  /** Text of the visible grid, one string a row: no filler of wide characters, trailing blanks trimmed. */
  visibleLines(): string[];
  /**
   * The newest `count` rows of history and visible grid together (blank rows below the last text left out). With
   * `unwrap`, soft-wrapped rows are joined into the lines that the program wrote and `count` counts those.
   */
  recentLines(count: number, options?: { readonly unwrap?: boolean }): string[];
  /** Rows now in the history of the screen in view (the alternate screen has none). */
  readonly historyRows: number;

  /** Bytes already written that belong to an unfinished escape sequence or UTF-8 character; empty in ground state. */
  pendingBytes(): Uint8Array;
}
