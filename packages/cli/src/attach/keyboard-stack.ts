/** Terminals keep at most this many entries and drop the oldest. */
const MAX_DEPTH = 8;

/** The kitty keyboard flags of one screen: what programs pushed, and what they set without a push. */
export class KeyboardStack {
  #entries: number[] = [0];

  push(flags: number): void {
    this.#entries.push(flags);
    if (this.#entries.length > MAX_DEPTH) this.#entries.splice(1, 1);
  }

  pop(count: number): void {
    for (let left = count; left > 0; left -= 1) {
      if (this.#entries.length === 1) {
        // Popping the last entry switches everything off.
        this.#entries[0] = 0;
        return;
      }
      this.#entries.pop();
    }
  }

  set(flags: number, how: number): void {
    const last = this.#entries.length - 1;
    const before = this.#entries[last] ?? 0;
    this.#entries[last] = how === 2 ? before | flags : how === 3 ? before & ~flags : flags;
  }

  /** What brings the stack back to empty with all flags off; nothing where it is that already. */
  restore(): string {
    const pushed = this.#entries.length - 1;
    const isBaseChanged = this.#entries[0] !== 0;
    this.#entries = [0];
    return (pushed > 0 ? `\x1b[<${pushed}u` : "") + (isBaseChanged ? "\x1b[=0u" : "");
  }
}
