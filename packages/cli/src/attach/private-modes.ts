/**
 * DEC private modes that a program in the session may leave switched, with what a terminal has by default. Only modes
 * whose default is the same everywhere are listed; 1007, 1034 to 1043 and 2027 differ between terminals, so "restoring"
 * them could change what the user had.
 */
const DEFAULTS: ReadonlyMap<number, boolean> = new Map([
  [1, false], // application cursor keys
  [5, false], // reverse video
  [6, false], // origin mode
  [7, true], // wrap at the last column
  [8, true], // keys repeat
  [9, false], // X10 mouse
  [12, false], // blinking cursor
  [25, true], // cursor visible
  [45, false], // reverse wrap
  [66, false], // application keypad
  [69, false], // left and right margins
  [1000, false], // mouse: buttons
  [1001, false], // mouse: highlight
  [1002, false], // mouse: drag
  [1003, false], // mouse: any motion
  [1004, false], // focus events
  [1005, false], // mouse encoding UTF-8
  [1006, false], // mouse encoding SGR
  [1015, false], // mouse encoding urxvt
  [1016, false], // mouse encoding SGR in pixels
  [1045, false], // extended reverse wrap
  [2004, false], // bracketed paste
  [2026, false], // synchronized update
  [2031, false], // colour scheme reports
  [2048, false], // resize reports
]);

const ORIGIN = 6;
const CURSOR = 25;
const SYNCHRONIZED = 2026;

/** The private modes that differ from the default. */
export class PrivateModes {
  readonly #changed = new Map<number, boolean>();

  set(mode: number, isOn: boolean): void {
    const normal = DEFAULTS.get(mode);
    if (normal === undefined) return;
    if (isOn === normal) this.#changed.delete(mode);
    else this.#changed.set(mode, isOn);
  }

  get hasOrigin(): boolean {
    return this.#changed.has(ORIGIN);
  }

  setOrigin(): void {
    this.set(ORIGIN, true);
  }

  get holdsFrame(): boolean {
    return this.#changed.size > 0 && this.#changed.has(SYNCHRONIZED);
  }

  /** RIS. Not all terminals show the cursor again with it. */
  reset(): void {
    const isHidden = this.#changed.has(CURSOR);
    this.#changed.clear();
    if (isHidden) this.#changed.set(CURSOR, false);
  }

  /** Ends a held frame and origin mode: what must be gone before the cursor is moved and the screen changed. */
  restoreFirst(): string {
    return this.#restore(SYNCHRONIZED) + this.#restore(ORIGIN);
  }

  restoreRest(): string {
    return [...this.#changed.keys()].map((mode) => this.#restore(mode)).join("");
  }

  #restore(mode: number): string {
    const isOn = this.#changed.get(mode);
    if (isOn === undefined) return "";
    this.#changed.delete(mode);
    return `\x1b[?${mode}${isOn ? "l" : "h"}`;
  }
}
