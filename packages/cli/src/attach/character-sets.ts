const SHIFT_IN = "\x0f";
const FIRST_SLOT = 0x28;
const LAST_SLOT = 0x2f;
const ASCII = 0x42;

export interface SavedCharacterSets {
  readonly changed: readonly number[];
  readonly isShifted: boolean;
}

/** Which character sets the session has put into the terminal's slots, and whether it uses another slot than the first. */
export class CharacterSets {
  readonly #changed = new Set<number>();
  #isShifted = false;
  /** Shifts are told once for many bytes, so that the one in force when a cursor is saved may have been another. */
  #wasShifted = false;

  /** Shift-out, shift-in and the locking shifts. */
  shift(isOut: boolean): void {
    this.#isShifted = isOut;
    this.#wasShifted ||= isOut;
  }

  /** ESC, a slot, a set. */
  designate(intermediate: number, final: number): void {
    if (intermediate < FIRST_SLOT || intermediate > LAST_SLOT) return;
    // `- . /` designate 96-character sets for the slots of `) * +`.
    const slot = intermediate > 0x2c ? intermediate - 4 : intermediate;
    if (final === ASCII && slot === intermediate) this.#changed.delete(slot);
    else this.#changed.add(slot);
  }

  save(): SavedCharacterSets {
    return { changed: [...this.#changed], isShifted: this.#wasShifted };
  }

  /** What is changed now, or was when it was saved. */
  merge({ changed, isShifted }: SavedCharacterSets): void {
    for (const slot of changed) this.#changed.add(slot);
    if (isShifted) this.shift(true);
  }

  reset(): void {
    this.#changed.clear();
    this.#isShifted = false;
    this.#wasShifted = false;
  }

  restore(): string {
    const designations = [...this.#changed].map((slot) => `\x1b${String.fromCharCode(slot, ASCII)}`).join("");
    const shift = this.#isShifted ? SHIFT_IN : "";
    this.reset();
    return designations + shift;
  }
}
