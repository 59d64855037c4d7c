/** What of a text is searched on the screen: enough to know it, and short enough not to be cut by a composer's height. */
const NEEDLE_CHARS = 40;
const INVISIBLE = /[\s\u2500-\u257f]+/gu;

/** Tells whether a text has come onto the screen since it was counted there, wherever the program broke its lines. */
export class EchoCount {
  readonly #needle: string;
  #before = 0;

  constructor(text: string) {
    this.#needle = squeeze(text.split("\n", 1)[0] ?? "").slice(0, NEEDLE_CHARS);
  }

  before(lines: readonly string[]): void {
    this.#before = this.#count(lines);
  }

  isIn(lines: readonly string[]): boolean {
    return this.#count(lines) > this.#before;
  }

  #count(lines: readonly string[]): number {
    return this.#needle === "" ? 0 : squeeze(lines.join("")).split(this.#needle).length - 1;
  }
}

function squeeze(text: string): string {
  return text.replace(INVISIBLE, "");
}
