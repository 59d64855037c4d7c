/** What xterm's older ways have changed in the bytes that keys send: the keypad and the modified keys. */
export class KeyModes {
  readonly #modified = new Set<number>();
  isKeypadApplication = false;

  /** XTMODKEYS: how keys with modifiers are told; 0 and nothing are what the terminal does by itself. */
  modify(resource: number, value: number): void {
    if (value === 0) this.#modified.delete(resource);
    else this.#modified.add(resource);
  }

  /** Modified keys are told as plain ones, which no terminal does by itself. */
  disable(resource: number): void {
    this.#modified.add(resource);
  }

  reset(): void {
    this.#modified.clear();
    this.isKeypadApplication = false;
  }

  restore(): string {
    const modified = [...this.#modified].map((resource) => `\x1b[>${resource}m`).join("");
    const keypad = this.isKeypadApplication ? "\x1b>" : "";
    this.reset();
    return modified + keypad;
  }
}
