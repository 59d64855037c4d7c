import { DATA, SCREEN_ALTERNATE } from "./ghostty-abi.ts";
import { type GhosttyRuntime, loadGhosttyRuntime, PIECE_BYTES } from "./ghostty-runtime.ts";
import { CANCEL, GhosttyTerminal } from "./ghostty-terminal.ts";
import { ListenerEffects } from "./listener-effects.ts";
import { hasMode, MODES, modesOf, reportAnsiMode } from "./mode-registry.ts";
import { Narrowing } from "./narrowing.ts";
import { OverlongSequence } from "./overlong-sequence.ts";
import { recentRows, recentUnwrapped, visibleText } from "./row-text.ts";
import { SequenceTap, type TappedSequence } from "./sequence-tap.ts";
import type { SnapshotExtent } from "./snapshot-collector.ts";
import { readSnapshot, readSnapshotHeader } from "./snapshot-reader.ts";
import type {
  CursorState,
  TerminalEngine,
  TerminalEngineOptions,
  TerminalListener,
  TerminalModes,
  TerminalProgress,
  TerminalSize,
} from "./terminal-engine.ts";
import type { GridRows, TerminalHeader, TerminalState } from "./terminal-state.ts";

const NOTHING = new Uint8Array(0);

/** The engine that the worker ships: libghostty-vt as WebAssembly. */
export class GhosttyEngine implements TerminalEngine {
  readonly #terminal: GhosttyTerminal;
  readonly #narrowing: Narrowing;
  readonly #effects: ListenerEffects;
  readonly #listener: TerminalListener;
  readonly #historyLines: number;
  readonly #tap = new SequenceTap();
  readonly #overlong = new OverlongSequence();
  #size: TerminalSize;
  #modifyOtherKeys = 0;
  #isViewStale = true;
  #viewFingerprint = "";
  #revision = 0;
  #hasColors = false;

  constructor(options: TerminalEngineOptions, runtime: GhosttyRuntime) {
    this.#listener = options.listener ?? {};
    this.#historyLines = options.historyLines;
    this.#size = { cols: options.cols, rows: options.rows };
    this.#effects = new ListenerEffects(runtime, this, this.#listener);
    this.#terminal = new GhosttyTerminal(runtime, this.#effects, options.historyLines);
    this.#narrowing = new Narrowing(this.#terminal);
  }

  write(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#isViewStale = true;
    for (let offset = 0; offset < bytes.length; offset += PIECE_BYTES) {
      this.#writePiece(bytes.length <= PIECE_BYTES ? bytes : bytes.subarray(offset, offset + PIECE_BYTES));
    }
    this.#narrowing.retry(this.#size);
  }

  resize(cols: number, rows: number): void {
    if (cols === this.#size.cols && rows === this.#size.rows) return;
    const isNarrower = cols < this.#size.cols;
    this.#size = { cols, rows };
    this.#isViewStale = true;
    if (isNarrower) this.#narrowing.resize(this.#size);
    else this.#terminal.resize(cols, rows);
    this.#effects.flush();
  }

  get size(): TerminalSize {
    return this.#size;
  }

  /** Compared lazily: the first reading after a write costs up to 0.5 ms, so read it when you announce, not at each write. */
  get revision(): number {
    if (!this.#isViewStale) return this.#revision;
    this.#isViewStale = false;
    const fingerprint = this.#fingerprintView();
    if (fingerprint !== this.#viewFingerprint) this.#revision += 1;
    this.#viewFingerprint = fingerprint;
    return this.#revision;
  }

  get cursor(): CursorState {
    return {
      row: this.#terminal.getU16(DATA.cursorY),
      col: this.#terminal.getU16(DATA.cursorX),
      visible: this.#terminal.getU8(DATA.cursorVisible) !== 0,
    };
  }

  get alternateScreen(): boolean {
    return this.#terminal.getU16(DATA.activeScreen) === SCREEN_ALTERNATE;
  }

  get title(): string {
    return this.#terminal.getText(DATA.title);
  }

  get cwd(): string {
    return this.#terminal.getText(DATA.pwd);
  }

  get progress(): TerminalProgress | undefined {
    return this.#effects.currentProgress;
  }

  get modes(): TerminalModes {
    return modesOf(this.#header(), this.#terminal.getU8(DATA.kittyKeyboardFlags));
  }

  /** Level of "modify other keys" (XTMODKEYS); the engine itself only tells level 2. */
  get modifyOtherKeys(): number {
    return this.#modifyOtherKeys;
  }

  /** Whether the program keeps part of the screen out of scrolling. */
  get hasMargins(): boolean {
    const { top, bottom, left, right } = this.#header();
    return top !== 0 || left !== 0 || bottom !== this.#size.rows - 1 || right !== this.#size.cols - 1;
  }

  /** Whether the program ever set a title; an empty one counts. */
  get hasTitle(): boolean {
    return this.#effects.hasTitle;
  }

  /** Whether the program ever set a colour of the terminal. */
  get hasColors(): boolean {
    return this.#hasColors;
  }

  get historyRows(): number {
    return Math.min(this.#terminal.getU32(DATA.scrollbackRows), this.#historyLines);
  }

  visibleLines(): string[] {
    return visibleText(this.#activeGrid("screens"), this.#size.cols);
  }

  recentLines(count: number, options: { readonly unwrap?: boolean } = {}): string[] {
    if (options.unwrap !== true) return recentRows(this.#activeGrid(count), this.#size.cols, count);
    // A line may take many rows, so all that there is may be needed.
    return recentUnwrapped(this.#activeGrid(this.#terminal.historyLimit(this.#size.cols)), this.#size.cols, count);
  }

  pendingBytes(): Uint8Array {
    return this.#overlong.standIn ?? this.#terminal.continuation(Number.POSITIVE_INFINITY) ?? NOTHING;
  }

  /** Everything the terminal remembers, with at least `historyLines` rows of history where there are as many. */
  state(historyLines: number): TerminalState {
    return { ...readSnapshot(this.#terminal.snapshot(historyLines).bytes), pending: this.pendingBytes() };
  }

  /** As `state`, without the history and the unfinished sequence, which may be long. */
  screens(): Omit<TerminalState, "pending"> {
    return readSnapshot(this.#terminal.snapshot("screens").bytes);
  }

  [Symbol.dispose](): void {
    this.#terminal[Symbol.dispose]();
  }

  #writePiece(piece: Uint8Array): void {
    const bytes = this.#overlong.skip(piece);
    if (bytes.length === 0) return;
    let from = 0;
    for (let match = this.#tap.next(bytes, 0); match !== undefined; match = this.#tap.next(bytes, from)) {
      this.#feed(bytes.subarray(from, match.end));
      from = match.end;
      this.#onTapped(match.sequence);
    }
    const rest = from === 0 ? bytes : bytes.subarray(from);
    this.#feed(rest);
    const isGround = this.#terminal.getU8(DATA.vtGround) !== 0;
    this.#tap.keep(rest, isGround);
    if (this.#overlong.noteFed(bytes.length, isGround)) this.#dropOverlong();
  }

  #feed(bytes: Uint8Array): void {
    if (bytes.length === 0) return;
    this.#terminal.feed(bytes);
    this.#effects.flush();
  }

  #onTapped(sequence: TappedSequence): void {
    switch (sequence.kind) {
      case "modify-other-keys":
        this.#modifyOtherKeys = sequence.level;
        return;
      case "reset":
        this.#modifyOtherKeys = 0;
        return;
      case "color-change":
        this.#hasColors = true;
        return;
      case "clipboard-query":
        this.#listener.clipboardQuery?.();
        return;
      case "modify-other-keys-query":
        this.#reply(`\x1b[>4;${this.#modifyOtherKeys}m`);
        return;
      case "extended-cursor-query":
        this.#reply(this.#extendedCursorReport());
        return;
      case "ansi-mode-query":
        this.#reply(`\x1b[${sequence.mode};${reportAnsiMode(this.#header(), sequence.mode)}$y`);
        return;
      case "program-status":
        // The protocol's query is answered with the query itself.
        if (sequence.payload === "?") this.#reply("\x1b]7501;?\x1b\\");
        else this.#listener.programStatus?.(sequence.payload);
        return;
    }
  }

  #extendedCursorReport(): string {
    const header = this.#header();
    const { row, col } = this.cursor;
    const [top, left] = hasMode(header.modes, MODES.origin) ? [header.top, header.left] : [0, 0];
    return `\x1b[?${row - top + 1};${col - left + 1}R`;
  }

  #reply(text: string): void {
    this.#listener.reply?.(Buffer.from(text, "latin1"));
  }

  #dropOverlong(): void {
    const held = this.#terminal.continuation(Number.POSITIVE_INFINITY);
    if (!this.#overlong.isOverlong(held?.length)) return;
    this.#terminal.feed(CANCEL);
    this.#tap.keep(CANCEL, true);
    this.#overlong.begin(held?.[1] ?? 0);
  }

  #header(): TerminalHeader {
    return readSnapshotHeader(this.#terminal.snapshot("header").bytes);
  }

  #activeGrid(extent: SnapshotExtent): GridRows {
    const { header, primary, alternate } = readSnapshot(this.#terminal.snapshot(extent).bytes);
    return header.alternateActive && alternate !== undefined ? alternate.grid : primary.grid;
  }

  #fingerprintView(): string {
    const { header, primary, alternate } = this.screens();
    const { alternateActive, modes, palette, foreground, background } = header;
    const grid = (alternateActive ? alternate : primary)?.grid.fingerprint();
    const isReverse = hasMode(modes, MODES.reverseColors);
    return JSON.stringify([
      this.#size,
      this.cursor,
      alternateActive,
      grid,
      isReverse,
      [...palette],
      foreground,
      background,
    ]);
  }
}

/** The runtime may be shared by engines of one process; it is loaded (about 10 ms) when none is given. */
export function openGhosttyEngine(options: TerminalEngineOptions, runtime = loadGhosttyRuntime()): GhosttyEngine {
  return new GhosttyEngine(options, runtime);
}
