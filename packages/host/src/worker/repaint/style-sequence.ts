import { CONTENT, type Color, cellContent, cellKind, STYLE, type Style } from "../engine/terminal-state.ts";

/** The sequence for default attributes. */
export const PLAIN = "\x1b[0m";

/** The SGR that sets exactly `style`, whatever was set before. */
function styleSequence({ flags, foreground, background, underlineColor }: Style): string {
  let sequence = "\x1b[0";
  if (flags !== 0) sequence += flagParameters(flags);
  sequence += colorParameters(foreground, FOREGROUND) + colorParameters(background, BACKGROUND);
  // On its own: a terminal may ignore a sequence of more than 24 parameters as a whole.
  const underline = underlineParameters(underlineColor);
  return underline === "" ? `${sequence}m` : `${sequence}m\x1b[${underline}m`;
}

function flagParameters(flags: number): string {
  let parameters = "";
  if ((flags & STYLE.bold) !== 0) parameters += ";1";
  if ((flags & STYLE.faint) !== 0) parameters += ";2";
  if ((flags & STYLE.italic) !== 0) parameters += ";3";
  if ((flags & STYLE.blink) !== 0) parameters += ";5";
  if ((flags & STYLE.inverse) !== 0) parameters += ";7";
  if ((flags & STYLE.invisible) !== 0) parameters += ";8";
  if ((flags & STYLE.strikethrough) !== 0) parameters += ";9";
  if ((flags & STYLE.overline) !== 0) parameters += ";53";
  const underline = (flags >> STYLE.underlineShift) & 7;
  if (underline > 0) parameters += underline === 1 ? ";4" : `;4:${underline}`;
  return parameters;
}

/** The SGR under which erasing gives a cell like this erased one (`low` as in CellBuffer). */
export function erasedSequence(low: number): string {
  const content = cellContent(low);
  const color: Color =
    cellKind(low) === CONTENT.palette
      ? { kind: "palette", index: content & 0xff }
      : { kind: "rgb", red: content & 0xff, green: (content >> 8) & 0xff, blue: (content >> 16) & 0xff };
  return `\x1b[0${colorParameters(color, BACKGROUND)}m`;
}

interface ColorCodes {
  readonly base: number;
  readonly bright: number;
  readonly extended: string;
}

const FOREGROUND: ColorCodes = { base: 30, bright: 90, extended: "38" };
const BACKGROUND: ColorCodes = { base: 40, bright: 100, extended: "48" };

function colorParameters(color: Color, codes: ColorCodes): string {
  if (color.kind === "default") return "";
  if (color.kind === "rgb") return `;${codes.extended};2;${color.red};${color.green};${color.blue}`;
  if (color.index < 8) return `;${codes.base + color.index}`;
  if (color.index < 16) return `;${codes.bright + color.index - 8}`;
  return `;${codes.extended};5;${color.index}`;
}

/** With colons: a terminal that does not know SGR 58 would take 58;5;1 for three other attributes. */
function underlineParameters(color: Color): string {
  if (color.kind === "default") return "";
  if (color.kind === "palette") return `58:5:${color.index}`;
  return `58:2::${color.red}:${color.green}:${color.blue}`;
}

/** Remembers the sequence of each style object, since a page's cells share theirs. */
export class StyleSequences {
  readonly #known = new Map<Style, string>();

  of(style: Style): string {
    let sequence = this.#known.get(style);
    if (sequence === undefined) {
      sequence = styleSequence(style);
      this.#known.set(style, sequence);
    }
    return sequence;
  }
}
