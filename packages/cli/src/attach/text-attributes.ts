import type { CsiSequence } from "./sequence-scanner.ts";

const FOREGROUND = 1 << 16;
const BACKGROUND = 1 << 17;
const UNDERLINE_COLOUR = 1 << 18;

/** Which attributes the last SGR sequences left switched on. Only "none" and "some" matter in the end. */
export class TextAttributes {
  #on = 0;

  /** All of them as one number, to be kept and given back. */
  get flags(): number {
    return this.#on;
  }

  set flags(flags: number) {
    this.#on = flags;
  }

  get areDefault(): boolean {
    return this.#on === 0;
  }

  reset(): void {
    this.#on = 0;
  }

  apply(sgr: CsiSequence): void {
    for (let index = 0; index < sgr.count; index += 1) {
      const code = sgr.value(index, 0);
      const next = index + 1;
      if (code === 38 || code === 48 || code === 58) {
        this.#on |= code === 38 ? FOREGROUND : code === 48 ? BACKGROUND : UNDERLINE_COLOUR;
        index += colourLength(sgr, next);
        continue;
      }
      // `4:0` is "no underline", any other `4:n` a style of it.
      this.#one(code === 4 && sgr.isSub(next) && sgr.value(next, 1) === 0 ? 24 : code);
      while (sgr.isSub(index + 1)) index += 1;
    }
  }

  #one(code: number): void {
    if (code === 0) this.#on = 0;
    else if (code >= 1 && code <= 9) this.#on |= 1 << code;
    else if (code === 21) this.#on |= 1 << 4;
    else if (code === 22) this.#on &= ~((1 << 1) | (1 << 2));
    else if (code === 25) this.#on &= ~((1 << 5) | (1 << 6));
    else if (code >= 23 && code <= 29) this.#on &= ~(1 << (code - 20));
    else if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) this.#on |= FOREGROUND;
    else if (code === 39) this.#on &= ~FOREGROUND;
    else if ((code >= 40 && code <= 47) || (code >= 100 && code <= 107)) this.#on |= BACKGROUND;
    else if (code === 49) this.#on &= ~BACKGROUND;
    else if (code === 53) this.#on |= 1 << 10;
    else if (code === 55) this.#on &= ~(1 << 10);
    else if (code === 59) this.#on &= ~UNDERLINE_COLOUR;
  }
}

/** Parameters that belong to a colour: all its subparameters, or `5;n`, or `2;r;g;b`. */
function colourLength(sgr: CsiSequence, from: number): number {
  let length = 0;
  while (sgr.isSub(from + length)) length += 1;
  if (length > 0) return length;
  const kind = sgr.value(from, 0);
  return kind === 5 ? 2 : kind === 2 ? 4 : 1;
}
