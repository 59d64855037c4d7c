import { DATA, SCREEN_ALTERNATE } from "./ghostty-abi.ts";
import type { GhosttyTerminal } from "./ghostty-terminal.ts";
import { hasMode, MODES } from "./mode-registry.ts";
import { readSnapshotHeader } from "./snapshot-reader.ts";
import type { TerminalSize } from "./terminal-engine.ts";

/**
 * Makes a terminal narrower. The engine reflows the main screen only while lines wrap, and else cuts its rows, as it always does
 * with those of the alternate screen. It cuts wide characters in half too, and from then on refuses to tell its state. So
 * lines wrap meanwhile, and where a character was cut the last column is blanked; a program that fills the screen paints
 * it anew anyway.
 */
export class Narrowing {
  readonly #terminal: GhosttyTerminal;
  /** A character was cut, but an unfinished one stands in the way of mending it. */
  #isWaiting = false;

  constructor(terminal: GhosttyTerminal) {
    this.#terminal = terminal;
  }

  resize(size: TerminalSize): void {
    const terminal = this.#terminal;
    const { modes } = readSnapshotHeader(terminal.snapshot("header").bytes);
    const isWrapping = hasMode(modes, MODES.wraparound) || !terminal.feedAside("\x1b[?7h");
    terminal.resize(size.cols, size.rows);
    if (!isWrapping) terminal.feedAside("\x1b[?7l");
    this.#isWaiting = !terminal.canEncode && !this.#mend(size);
  }

  /** More output has come. */
  retry(size: TerminalSize): void {
    if (this.#isWaiting) this.#isWaiting = !this.#mend(size);
  }

  /** The scroll region is the whole screen after a resize, so positions count from its corner. */
  #mend({ cols, rows }: TerminalSize): boolean {
    const terminal = this.#terminal;
    const isAlternate = terminal.getU16(DATA.activeScreen) === SCREEN_ALTERNATE;
    let sequence = isAlternate ? "" : "\x1b[?47h";
    for (let row = 1; row <= rows; row += 1) sequence += `\x1b[${row};${cols}H\x1b[@`;
    if (!isAlternate) sequence += "\x1b[?47l";
    return terminal.feedAside(
      `${sequence}\x1b[${terminal.getU16(DATA.cursorY) + 1};${terminal.getU16(DATA.cursorX) + 1}H`,
    );
  }
}
