import { COLOR_RESETS, colorReset } from "./repaint/color-settings.ts";
import { osc } from "./repaint/osc.ts";
import type { ScreenLook } from "./repaint/screen-look.ts";

/** The colours of the program's terminal that one viewer's terminal was given with its pictures. */
export class PictureColors {
  #given: ReadonlyMap<string, string> = new Map();
  #isUnknown: boolean;

  /** `isUnknown`: the viewer's terminal may have been given some before. */
  constructor(isUnknown: boolean) {
    this.#isUnknown = isUnknown;
  }

  /** Brings the viewer's terminal up to date; one that was never given a colour is left alone. */
  change({ colors, hasColors }: Pick<ScreenLook, "colors" | "hasColors">): string {
    let text = "";
    if (this.#isUnknown && hasColors) {
      text = COLOR_RESETS.map(osc).join("");
      this.#isUnknown = false;
    }
    for (const what of this.#given.keys()) text += colors.has(what) ? "" : osc(colorReset(what));
    for (const [what, color] of colors) text += this.#given.get(what) === color ? "" : osc(`${what};${color}`);
    this.#given = colors;
    return text;
  }
}
