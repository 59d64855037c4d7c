import { SequenceScanner } from "./sequence-scanner.ts";
import type { Restoration } from "./terminal-modes.ts";
import { TerminalModes } from "./terminal-modes.ts";

const SHIFT_OUT = 0x0e;
const SHIFT_IN = 0x0f;
const CANCEL = "\x18";

/** Watches all output on its way to the local terminal, and knows at any moment how to put that terminal back. */
export class OutputTracker {
  readonly #modes: TerminalModes;
  readonly #scanner: SequenceScanner;
  #isShifted = false;

  constructor(rows: number) {
    this.#modes = new TerminalModes(rows);
    this.#scanner = new SequenceScanner(this.#modes);
  }

  get isAlternate(): boolean {
    return this.#modes.isAlternate;
  }

  get hasTitle(): boolean {
    return this.#modes.hasTitle;
  }

  get holdsFrame(): boolean {
    return this.#modes.holdsFrame;
  }

  /** True when text that is written now does not fall into a sequence. */
  get isBetweenSequences(): boolean {
    return this.#scanner.isInGround;
  }

  set rows(rows: number) {
    this.#modes.rows = rows;
  }

  /** Must see every chunk, in order, in the turn in which it is written. */
  push(chunk: Uint8Array): void {
    if (this.#isShifted || chunk.indexOf(SHIFT_OUT) !== -1) this.#followShifts(chunk);
    this.#scanner.push(chunk);
    // Where in the chunk it came is not known: rather once too often than never.
    if (this.#isShifted) this.#modes.onShift(true);
  }

  /** Bytes that end a sequence which was cut off, so that own text can be written. */
  interrupt(): string {
    if (this.#scanner.isInGround) return "";
    this.#scanner.cancel();
    return CANCEL;
  }

  /** Bytes after which plain text can be written anywhere: no open sequence, no held frame, no origin mode, ASCII. */
  settle(): string {
    return this.interrupt() + this.#modes.settle();
  }

  restore(columns: number): Restoration {
    const interruption = this.interrupt();
    const { bytes, didMoveCursor } = this.#modes.restore(columns);
    this.#isShifted = false;
    return { bytes: interruption + bytes, didMoveCursor };
  }

  /** Titles that the session pushed and did not take back; negative when it took more. */
  takePushedTitles(): number {
    return this.#modes.takePushedTitles();
  }

  /** Shift-out and shift-in act anywhere, also inside sequences. */
  #followShifts(chunk: Uint8Array): void {
    this.#isShifted =
      chunk.lastIndexOf(SHIFT_OUT) > chunk.lastIndexOf(SHIFT_IN) || (this.#isShifted && !chunk.includes(SHIFT_IN));
    this.#modes.onShift(this.#isShifted);
  }
}
