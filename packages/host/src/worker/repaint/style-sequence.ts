import { DEFAULT_STYLE } from "../engine/snapshot-style.ts";
import {
  CONTENT,
  type Color,
  cellContent,
  cellIsErased,
  cellKind,
  STYLE,
  type Style,
} from "../engine/terminal-state.ts";
import { VtWriter } from "./vt-writer.ts";

/** The sequence for default attributes. */
export const PLAIN = "\x1b[0m";
/** More than the sequence of any style takes. */
const MOST_BYTES = 128;
const ESC = 0x1b;
const BRACKET = 0x5b;
const SEMICOLON = 0x3b;
const COLON = 0x3a;
const ZERO = 0x30;
const FINAL = 0x6d;
/** SGR numbers by flag. */
const FLAGS: readonly (readonly [flag: number, code: number])[] = [
  [STYLE.bold, 1],
  [STYLE.faint, 2],
  [STYLE.italic, 3],
  [STYLE.blink, 5],
  [STYLE.inverse, 7],
  [STYLE.invisible, 8],
  [STYLE.strikethrough, 9],
  [STYLE.overline, 53],
];

/**
 * Writes the SGR that sets exactly this style, whatever was set before. Byte by byte, without a string: a picture in which
 * every word has a colour of its own has twenty thousand of them.
 */
export function writeStyle(writer: VtWriter, style: Style): void {
  const bytes = writer.open(MOST_BYTES);
  let at = writer.length;
  bytes[at++] = ESC;
  bytes[at++] = BRACKET;
  bytes[at++] = ZERO;
  if (style !== DEFAULT_STYLE) {
    const { flags, foreground, background, underlineColor } = style;
    if (flags !== 0) at = putFlags(bytes, at, flags);
    if (foreground.kind !== "default") at = putForeground(bytes, at, foreground);
    if (background.kind !== "default") at = putBackground(bytes, at, background);
    // On its own: a terminal may ignore a sequence of more than 24 parameters as a whole.
    if (underlineColor.kind !== "default") at = putUnderlineColor(bytes, at, underlineColor);
  }
  bytes[at++] = FINAL;
  writer.length = at;
}

/** The style under which erasing gives a cell that looks like this one, which has no character. */
export function blankStyle(low: number): Style {
  if (!cellIsErased(low)) return DEFAULT_STYLE;
  const content = cellContent(low);
  const background: Color =
    cellKind(low) === CONTENT.palette
      ? { kind: "palette", index: content & 0xff }
      : { kind: "rgb", red: content & 0xff, green: (content >> 8) & 0xff, blue: (content >> 16) & 0xff };
  return { ...DEFAULT_STYLE, background };
}

export function isSameStyle(one: Style, other: Style): boolean {
  return (
    one === other ||
    (one.flags === other.flags &&
      isSameColor(one.foreground, other.foreground) &&
      isSameColor(one.background, other.background) &&
      isSameColor(one.underlineColor, other.underlineColor))
  );
}

function isSameColor(one: Color, other: Color): boolean {
  if (one.kind === "palette") return other.kind === "palette" && one.index === other.index;
  if (one.kind === "default") return other.kind === "default";
  return other.kind === "rgb" && one.red === other.red && one.green === other.green && one.blue === other.blue;
}

function putFlags(bytes: Uint8Array, from: number, flags: number): number {
  let at = from;
  for (const [flag, code] of FLAGS) if ((flags & flag) !== 0) at = putParameter(bytes, at, code);
  const underline = (flags >> STYLE.underlineShift) & 7;
  if (underline === 0) return at;
  at = putParameter(bytes, at, 4);
  if (underline === 1) return at;
  bytes[at++] = COLON;
  return putNumber(bytes, at, underline);
}

type SetColor = Exclude<Color, { readonly kind: "default" }>;

function putForeground(bytes: Uint8Array, at: number, color: SetColor): number {
  return isBasic(color)
    ? putParameter(bytes, at, basicCode(color.index, 30))
    : putExtended(bytes, putParameter(bytes, at, 38), color);
}

function putBackground(bytes: Uint8Array, at: number, color: SetColor): number {
  return isBasic(color)
    ? putParameter(bytes, at, basicCode(color.index, 40))
    : putExtended(bytes, putParameter(bytes, at, 48), color);
}

function isBasic(color: SetColor): color is Extract<SetColor, { readonly kind: "palette" }> {
  return color.kind === "palette" && color.index < 16;
}

/** The bright ones have codes of their own, 60 above. */
function basicCode(index: number, first: number): number {
  return index < 8 ? first + index : first + 60 + index - 8;
}

function putExtended(bytes: Uint8Array, from: number, color: SetColor): number {
  if (color.kind === "palette") return putParameter(bytes, putParameter(bytes, from, 5), color.index);
  let at = putParameter(bytes, from, 2);
  at = putParameter(bytes, at, color.red);
  at = putParameter(bytes, at, color.green);
  return putParameter(bytes, at, color.blue);
}

/** With colons: a terminal that does not know SGR 58 would take 58;5;1 for three other attributes. */
function putUnderlineColor(bytes: Uint8Array, from: number, color: SetColor): number {
  let at = from;
  bytes[at++] = FINAL;
  bytes[at++] = ESC;
  bytes[at++] = BRACKET;
  at = putNumber(bytes, at, 58);
  const numbers = color.kind === "palette" ? [5, color.index] : [2, undefined, color.red, color.green, color.blue];
  for (const number of numbers) {
    bytes[at++] = COLON;
    if (number !== undefined) at = putNumber(bytes, at, number);
  }
  return at;
}

function putParameter(bytes: Uint8Array, from: number, value: number): number {
  bytes[from] = SEMICOLON;
  return putNumber(bytes, from + 1, value);
}

/** Up to three digits. */
function putNumber(bytes: Uint8Array, from: number, value: number): number {
  let at = from;
  let rest = value;
  if (rest >= 100) {
    bytes[at++] = ZERO + ((rest / 100) | 0);
    rest %= 100;
    bytes[at++] = ZERO + ((rest / 10) | 0);
    rest %= 10;
  } else if (rest >= 10) {
    bytes[at++] = ZERO + ((rest / 10) | 0);
    rest %= 10;
  }
  bytes[at++] = ZERO + rest;
  return at;
}

/** The sequences as text. Those of style objects are remembered, since a page's cells share theirs. */
export class StyleSequences {
  readonly #known = new Map<Style | number, string>();

  of(style: Style): string {
    return this.#known.get(style) ?? this.#make(style, style);
  }

  /** Of a cell without a character, see `blankStyle`. */
  ofBlank(low: number): string {
    return this.#known.get(low) ?? this.#make(low, blankStyle(low));
  }

  #make(key: Style | number, style: Style): string {
    const writer = new VtWriter();
    writeStyle(writer, style);
    const sequence = Buffer.from(writer.finish()).toString("latin1");
    this.#known.set(key, sequence);
    return sequence;
  }
}
