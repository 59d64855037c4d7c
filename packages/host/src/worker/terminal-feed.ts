import type { OutputRing } from "./output-ring.ts";
import { keepingInHistory, ScreenClears } from "./screen-clears.ts";
import type { TerminalView } from "./terminal-view.ts";

export interface TerminalFeedOptions {
  readonly ring: OutputRing;
  readonly view: TerminalView;
  /** Lines that the terminal state remembers above its screen. */
  readonly historyLines: number;
  /** First byte of the ring to feed. */
  readonly from: number;
}

/** Output that the terminal state has not seen, at most. Enough for 1,000 lines of 400 bytes, and well inside the ring. */
const PENDING_BYTES = 524_288;
/** Lines kept for safety beside those of history and screen. */
const SPARE_LINES = 16;
const CARRIAGE_RETURN = 0x0d;
const LINE_FEED = 0x0a;
/**
 * Bytes that may do something else than print, move down or move within the line: ENQ and BEL are answered or announced,
 * SO, SI and ESC change state, and C2 begins the two-byte forms of the C1 controls.
 */
const MEANINGFUL_BYTES = [0x05, 0x07, 0x0e, 0x0f, 0x1b, 0xc2];

/**
 * Feeds output to the terminal state, which is the dearest thing a flood does: but of a flood of plain lines only the last
 * ones can still be seen in the end. Plain output waits here, as an offset into the ring, until somebody looks or something
 * else than text comes; when too much waits, what would have scrolled out of the history anyway is left out. The state is
 * the same as if all had been fed.
 */
export class TerminalFeed {
  readonly #options: TerminalFeedOptions;
  #fedTo: number;
  readonly #clears = new ScreenClears();
  /** Whether lines may be left out now; undefined: to be asked. Only fed output can change it. */
  #mayLeaveOut: boolean | undefined;

  constructor(options: TerminalFeedOptions) {
    this.#options = options;
    this.#fedTo = options.from;
  }

  /** First byte that the state has not seen. */
  get fedTo(): number {
    return this.#fedTo;
  }

  /** `bytes` were just added to the end of the ring. */
  take(bytes: Uint8Array): void {
    if (!isPlain(bytes)) {
      this.catchUp();
    } else if (this.#pendingBytes > this.#mostPending) {
      this.#leaveOut();
    }
  }

  /** Brings the state to the end of the output. Throws what the engine throws. */
  catchUp(): void {
    const { ring, view } = this.#options;
    while (this.#pendingBytes > 0) {
      const piece = ring.view(this.#fedTo, this.#pendingBytes);
      // Counted first: output that broke the engine must not be fed to the next one again.
      this.#fedTo += piece.length;
      this.#mayLeaveOut = undefined;
      let written = 0;
      for (let at = this.#clears.next(piece, 0); at !== -1; at = this.#clears.next(piece, at + 1)) {
        view.engine.write(piece.subarray(written, at));
        if (view.keepsCleared()) {
          view.engine.write(keepingInHistory(view.engine));
        }
        written = at;
      }
      view.engine.write(written === 0 ? piece : piece.subarray(written));
      this.#clears.keep(piece);
    }
  }

  get #pendingBytes(): number {
    return this.#options.ring.endOffset - this.#fedTo;
  }

  get #mostPending(): number {
    return Math.min(PENDING_BYTES, this.#options.ring.capacity / 2);
  }

  #leaveOut(): void {
    const { ring, view, historyLines } = this.#options;
    const lines = historyLines + view.engine.size.rows + SPARE_LINES;
    this.#mayLeaveOut ??= view.scrollsFreely();
    const start = this.#mayLeaveOut ? startOfLastLines(ring, { from: this.#fedTo, lines }) : undefined;
    if (start === undefined) {
      // Few and long lines, or lines that don't scroll into the history: nothing may be missing.
      this.catchUp();
    } else {
      this.#fedTo = start;
    }
  }
}

/** Whether these bytes can do no more than print, move down or move within the line. */
export function isPlain(bytes: Uint8Array): boolean {
  return bytes.length <= SHORT_BYTES
    ? bytes.every((byte) => !MEANINGFUL_BYTES.includes(byte))
    : MEANINGFUL_BYTES.every((byte) => !bytes.includes(byte));
}

/** An echoed key, where searching takes longer than looking. */
const SHORT_BYTES = 4;

/**
 * Offset of the CR LF before the newest `lines` lines, which brings the cursor to the start of a line wherever it was;
 * undefined when there are fewer since `from`.
 */
function startOfLastLines(ring: OutputRing, range: { from: number; lines: number }): number | undefined {
  let left = range.lines + 1;
  let end = ring.endOffset;
  while (end > range.from) {
    const start = Math.max(range.from, end - (end % SCAN_BYTES || SCAN_BYTES));
    const piece = ring.view(start, end - start);
    for (let at = piece.lastIndexOf(LINE_FEED); at > 0; at = piece.lastIndexOf(LINE_FEED, at - 1)) {
      left -= 1;
      if (left <= 0 && piece[at - 1] === CARRIAGE_RETURN) {
        return start + at - 1;
      }
    }
    end = start;
  }
  return undefined;
}

/** Divides the ring's segments, so that no piece crosses from one into the next. */
const SCAN_BYTES = 16_384;
