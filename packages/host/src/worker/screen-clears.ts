import type { TerminalEngine } from "./engine/terminal-engine.ts";

/** ED 2: erases the whole screen. What was on it is gone in a plain terminal; tmux and kitty keep it in the history. */
const CLEAR = Buffer.from("\x1b[2J", "latin1");
const NOTHING = new Uint8Array(0);

/**
 * Finds the places where a program clears its screen, so that what was on it can be kept in the history: a person who
 * cleared the screen and attaches later still finds it there.
 */
export class ScreenClears {
  /** The last bytes, which may be the beginning of the sequence. */
  #tail: Uint8Array = NOTHING;

  /** Offset of the sequence's last byte in `bytes`, at or behind `from`; -1: there is none. Call `keep` after the last one. */
  next(bytes: Uint8Array, from: number): number {
    if (from === 0 && this.#tail.length > 0) {
      const tail = this.#tail.length;
      const joined = Buffer.concat([this.#tail, bytes.subarray(0, CLEAR.length - 1)]);
      const at = joined.indexOf(CLEAR);
      if (at !== -1) return at + CLEAR.length - 1 - tail;
    }
    const at = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).indexOf(CLEAR, from);
    return at === -1 ? -1 : at + CLEAR.length - 1;
  }

  keep(bytes: Uint8Array): void {
    const most = CLEAR.length - 1;
    this.#tail = Buffer.concat([this.#tail, bytes.subarray(-most)]).subarray(-most);
  }
}

/**
 * What to write before the last byte of the clearing sequence. The engine then moves the screen into its history first (ED
 * 22), which moves the cursor, so that is put back, and clears as it was told.
 */
export function keepingInHistory({ cursor }: Pick<TerminalEngine, "cursor">): Uint8Array {
  return Buffer.from(`2J\x1b[${cursor.row + 1};${cursor.col + 1}H\x1b[2`, "latin1");
}
