import type { LocalTerminal, TerminalSize } from "../terminal/local-terminal.ts";
import type { RawMode } from "../terminal/raw-mode.ts";
import type { WantedRepaint } from "./attach-params.ts";
import { HeldFrame } from "./held-frame.ts";
import { OutputTracker } from "./output-tracker.ts";
import type { TerminalOutputListener } from "./terminal-output.ts";
import { TerminalOutput } from "./terminal-output.ts";

/** For a terminal that does not tell its size. */
const FALLBACK_SIZE: TerminalSize = { cols: 80, rows: 24 };
/** A terminal that does not take the last bytes for this long is stopped; its user sees them when it goes on. */
const FLUSH_MS = 2_000;

/** A host that answers within this time is near, and its line fast. */
const NEAR_MS = 100;
/** Of 80 columns these are 8 KB: a quarter of a second at 256 kbit/s. */
const FAR_HISTORY_LINES = 100;

const SAVE_TITLE = "\x1b[22;0t";
const RESTORE_TITLE = "\x1b[23;0t";
/** Icon name and title, icon name, title. */
const TITLE_STARTS = ["\x1b]0;", "\x1b]1;", "\x1b]2;"];
const RELEASE_FRAME = "\x1b[?2026l";
const LINE_FEED = 0x0a;
const BELL = 0x07;
const CANCEL = 0x18;

/** How a repaint begins that leaves the main screen alone: the ways into the alternate one, each maybe after a CAN. */
const ENTRIES = ["1049", "1047", "47"].map((way) => ({ way, bytes: Buffer.from(`\x1b[?${way}h`) }));
const ENTRY_BYTES = 9;
/** 1049 saves the cursor by itself, the others are helped. */
const SAVE_CURSOR = "\x1b7";
const RESTORE_CURSOR = "\x1b8";

/** A title is saved once, before the session's first one replaces it; one that comes cut in two is not. */
function mayHoldTitle(bytes: Uint8Array): boolean {
  const view = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  return TITLE_STARTS.some((start) => view.includes(start));
}

/**
 * The local terminal while it shows a session: in raw mode, with every byte that goes to it tracked, so that it gets back
 * exactly what it had, however the attach ends.
 */
export class LocalScreen implements Disposable {
  readonly #terminal: LocalTerminal;
  readonly #rawMode: RawMode;
  readonly #output: TerminalOutput;
  readonly #tracker: OutputTracker;
  readonly #frame: HeldFrame;
  #size: TerminalSize;
  #isSizeKnown: boolean;
  #isTitleSaved = false;
  /** Where text of this program was written over the session's. */
  #noticeRow: number | undefined;
  /** The session's cursor waits, saved, while text of this program is beside its picture. */
  #hasAside = false;
  /** Between `begin` and `leave`, what is on the screen is the session's. */
  #showsSession = false;
  /** Whose the main screen is: as its user left it, or painted with that of the session. */
  #mainOf: "user" | "session" = "user";
  #hasHistory = false;
  /** The first bytes of a repaint, while they do not tell yet which screen it paints; undefined once they did. */
  #beginning: Uint8Array | undefined;
  #lastByte: number | undefined;

  constructor(terminal: LocalTerminal, listener: TerminalOutputListener) {
    this.#terminal = terminal;
    this.#rawMode = terminal.rawMode();
    this.#output = new TerminalOutput(terminal.calls, listener);
    const size = terminal.size();
    this.#size = size ?? FALLBACK_SIZE;
    this.#isSizeKnown = size !== undefined;
    this.#tracker = new OutputTracker(this.#size.rows);
    this.#frame = new HeldFrame(() => this.#releaseFrame());
  }

  get size(): TerminalSize {
    return this.#size;
  }

  /** Undefined while the terminal does not tell it: a size that is only assumed must not become that of a session. */
  get knownSize(): TerminalSize | undefined {
    return this.#isSizeKnown ? this.#size : undefined;
  }

  get isAlternate(): boolean {
    return this.#tracker.isAlternate;
  }

  /** Comes before the first output of each attach: raw mode, and nothing left set by an attach before. */
  begin(): void {
    this.#rawMode.enter();
    this.#noticeRow = undefined;
    this.#hasAside = false;
    this.#write(this.#tracker.restore(this.#size.cols).bytes);
    this.#showsSession = true;
    if (this.#mainOf === "user") this.#beginning = new Uint8Array(0);
  }

  /**
   * What the terminal has to be told when the session comes onto it. History that it was given once is in its scrollback. A
   * main screen that is still the user's stays so while the program is on the alternate one. History goes through the
   * screen, so it has to come before it: over a slow line there is less of it.
   */
  wantedRepaint(roundTripMs: number | undefined): WantedRepaint {
    const isFar = roundTripMs !== undefined && roundTripMs > NEAR_MS;
    return {
      viewer: this.#showsSession ? "used" : "fresh",
      ...(this.#hasHistory ? { history_lines: 0 } : isFar ? { history_lines: FAR_HISTORY_LINES } : {}),
      ...(this.#mainOf === "user" ? { screens: "active" } : {}),
    };
  }

  /** Reads the size again; true when it is another. */
  refreshSize(): boolean {
    const size = this.#terminal.size();
    if (size === undefined) return false;
    if (this.#isSizeKnown && size.cols === this.#size.cols && size.rows === this.#size.rows) return false;
    this.#isSizeKnown = true;
    this.#size = size;
    this.#tracker.rows = size.rows;
    // Nothing of a frame for another size is worth waiting for.
    this.#releaseFrame();
    return true;
  }

  /** Shows output of the session. */
  show(bytes: Uint8Array): void {
    const ready = this.#beginning === undefined ? bytes : this.#prepareMain(this.#beginning, bytes);
    if (ready.length > 0) this.#pass(ready);
  }

  /** The first bytes of a repaint say whether it needs the main screen. They may come in pieces. */
  #prepareMain(beginning: Uint8Array, bytes: Uint8Array): Uint8Array {
    const all = beginning.length === 0 ? bytes : Buffer.concat([beginning, bytes]);
    if (all.length < ENTRY_BYTES) {
      this.#beginning = all;
      return all.subarray(0, 0);
    }
    this.#beginning = undefined;
    // No sequence is open here, and some terminals would print a CAN on the user's screen.
    const ready = all[0] === CANCEL ? all.subarray(1) : all;
    const entry = ENTRIES.find(({ bytes: begin }) => begin.every((byte, index) => byte === ready[index]));
    if (entry === undefined) this.#giveMainAway();
    else if (entry.way !== "1049") this.#write(SAVE_CURSOR);
    return ready;
  }

  /**
   * The repaint clears the screen. What the user has on it is moved into the scrollback instead of being lost, wherever the
   * cursor stands: a screen of line feeds moves all rows down to the cursor's out at the top.
   */
  #giveMainAway(): void {
    this.#mainOf = "session";
    this.#hasHistory = true;
    this.#write("\n".repeat(this.#size.rows));
  }

  #pass(bytes: Uint8Array): void {
    if (this.#isTitleSaved || this.#tracker.hasTitle || !mayHoldTitle(bytes)) {
      // Written first: the eye waits for that, and following the first output takes ten times as long while the code is cold.
      this.#output.write(bytes);
      this.#tracker.push(bytes);
    } else {
      const isBetween = this.#tracker.isBetweenSequences;
      this.#tracker.push(bytes);
      if (this.#tracker.hasTitle && isBetween) this.#saveTitle();
      this.#output.write(bytes);
    }
    this.#lastByte = bytes.at(-1);
    this.#frame.note(this.#tracker.holdsFrame);
    // Its program has left the alternate screen; the host has made room for the main one.
    if (this.#mainOf === "user" && !this.#tracker.isAlternate) [this.#mainOf, this.#hasHistory] = ["session", true];
  }

  /** Tells that something can't be done, where nothing may be written. */
  ring(): void {
    if (this.#tracker.isBetweenSequences) this.#output.write(Uint8Array.of(BELL));
  }

  /** Writes text of this program over the last row. A new repaint or `leave` has to follow. */
  showNotice(text: string): void {
    this.#noticeRow = this.#size.rows;
    this.#write(`${this.#tracker.settle()}\x1b[${this.#size.rows};1H\x1b[0;7m${text}\x1b[0m\x1b[K`);
  }

  /** Writes text of this program over the first row of a picture that stays. `endAside` has to follow. */
  showAside(text: string): void {
    if (!this.#hasAside) this.#write(`${this.#tracker.interrupt()}${SAVE_CURSOR}`);
    this.#hasAside = true;
    this.#noticeRow = 1;
    this.#write(`${this.#tracker.settle()}\x1b[1;1H\x1b[0;7m${text}\x1b[0m\x1b[K`);
  }

  /** The session goes on where its cursor was. Its first row is empty until it is drawn again. True when there was text. */
  endAside(): boolean {
    if (!this.#hasAside) return false;
    this.#hasAside = false;
    this.#noticeRow = undefined;
    this.#write(`\x1b[1;1H\x1b[2K${RESTORE_CURSOR}`);
    return true;
  }

  /**
   * Gives the terminal back. `lastRow` is the row of the last text on the session's screen, where that is known: the next
   * prompt comes below it.
   */
  async leave(farewell: string, lastRow?: number): Promise<void> {
    const isAlternate = this.#tracker.isAlternate;
    const isUntouched = this.#mainOf === "user";
    const eraseNotice = this.#noticeRow === undefined || isAlternate ? "" : `\x1b[${this.#noticeRow};1H\x1b[2K`;
    const { bytes, didMoveCursor } = this.#tracker.restore(this.#size.cols);
    const isLost = didMoveCursor || eraseNotice !== "";
    const row = isAlternate || isUntouched ? 0 : Math.min(this.#size.rows, lastRow ?? (isLost ? this.#size.rows : 0));
    const place = row === 0 ? "" : `\x1b[${row};1H`;
    const isAtLineStart = this.#lastByte === LINE_FEED && place === "" && !isAlternate;
    // The cursor of an untouched screen is where the user's program left it, which is where the next text goes.
    const newLine = isUntouched ? "" : isAtLineStart ? "\r" : "\r\n";
    this.#write(`${bytes}${eraseNotice}${place}${newLine}${this.#restoreTitle()}${farewell.replaceAll("\n", "\r\n")}`);
    this.#frame[Symbol.dispose]();
    this.#noticeRow = undefined;
    this.#hasAside = false;
    this.#mainOf = "user";
    this.#beginning = undefined;
    this.#showsSession = false;
    await this.#output.flush(FLUSH_MS);
    this.#rawMode.leave();
  }

  /** The last resort on a path that could not `leave`: at least the terminal's own settings. */
  [Symbol.dispose](): void {
    this.#frame[Symbol.dispose]();
    this.#rawMode.leave();
    this.#output[Symbol.dispose]();
  }

  /** Shows what the session's program has drawn although it has not said that it is done. */
  #releaseFrame(): void {
    if (this.#tracker.holdsFrame && this.#tracker.isBetweenSequences) this.#write(RELEASE_FRAME);
    this.#frame.note(this.#tracker.holdsFrame);
  }

  #saveTitle(): void {
    if (this.#isTitleSaved) return;
    this.#isTitleSaved = true;
    this.#output.write(Buffer.from(SAVE_TITLE));
  }

  #restoreTitle(): string {
    const pushed = this.#tracker.takePushedTitles();
    if (!this.#isTitleSaved) return pushed > 0 ? RESTORE_TITLE.repeat(pushed) : "";
    this.#isTitleSaved = false;
    // The session may have popped more than it pushed, our own entry with it.
    return RESTORE_TITLE.repeat(Math.max(0, pushed + 1));
  }

  #write(text: string): void {
    const bytes = Buffer.from(text);
    this.#tracker.push(bytes);
    this.#output.write(bytes);
  }
}
