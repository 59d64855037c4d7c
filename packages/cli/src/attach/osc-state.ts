/** Dynamic colours: foreground, background, cursor, pointer, highlight. `OSC 1nn` puts `OSC nn` back. */
const FIRST_DYNAMIC = 10;
const LAST_DYNAMIC = 19;
const RESET_OFFSET = 100;
const PALETTE = 4;
const SPECIAL = 5;

/** Over a terminal the pointer is the one for text. */
const NORMAL_POINTERS: ReadonlySet<string> = new Set(["", "default", "text"]);

const ST = "\x1b\\";

/** Things that OSC strings leave behind: colours, an open hyperlink, a progress bar, a pointer shape, a title. */
export class OscState {
  readonly #colours = new Set<number>();
  #isLinkOpen = false;
  #isProgressShown = false;
  #isPointerChanged = false;
  #hasTitle = false;

  /** True once a title was set. */
  get hasTitle(): boolean {
    return this.#hasTitle;
  }

  /** Takes the head of one OSC string (`isWhole` when nothing was cut off). */
  apply(text: string, isWhole: boolean): void {
    const semicolon = text.indexOf(";");
    const number = Number(semicolon === -1 ? text : text.slice(0, semicolon));
    const value = semicolon === -1 ? "" : text.slice(semicolon + 1);
    if (number === 0 || number === 1 || number === 2) this.#hasTitle = true;
    else if (number === 8) this.#isLinkOpen = !isWhole || value.indexOf(";") < value.length - 1;
    else if (number === 9) this.#progress(value);
    else if (number === 22) this.#isPointerChanged = !NORMAL_POINTERS.has(value);
    else this.#colour(number, value, isWhole);
  }

  #progress(value: string): void {
    const match = /^4;(\d)/.exec(value);
    if (match !== null) this.#isProgressShown = match[1] !== "0";
  }

  #colour(number: number, value: string, isWhole: boolean): void {
    const isColour = number === PALETTE || number === SPECIAL || (number >= FIRST_DYNAMIC && number <= LAST_DYNAMIC);
    if (isColour) {
      // A question changes nothing.
      if (!isWhole || !value.split(";").every((part) => part === "?" || /^\d*$/.test(part))) this.#colours.add(number);
      return;
    }
    if (value === "") this.#colours.delete(number - RESET_OFFSET);
  }

  /** RIS. Not all terminals take their colours back with it. */
  hardReset(): void {
    this.#isLinkOpen = false;
    this.#isPointerChanged = false;
  }

  #forget(): void {
    this.#colours.clear();
    this.#isLinkOpen = false;
    this.#isPointerChanged = false;
  }

  restore(): string {
    const link = this.#isLinkOpen ? `\x1b]8;;${ST}` : "";
    const progress = this.#isProgressShown ? `\x1b]9;4;0${ST}` : "";
    // No name means the default, but to some terminals nothing.
    const pointer = this.#isPointerChanged ? `\x1b]22;text${ST}\x1b]22;${ST}` : "";
    const colours = [...this.#colours].map((number) => `\x1b]${number + RESET_OFFSET}${ST}`).join("");
    this.#forget();
    this.#isProgressShown = false;
    return link + colours + progress + pointer;
  }
}
