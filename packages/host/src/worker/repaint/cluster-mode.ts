import type { VtWriter } from "./vt-writer.ts";

const ZERO_WIDTH_JOINER = "\u200d";
const EMOJI_PRESENTATION = "\ufe0f";
const FIRST_EMOJI = 0x1f000;

const isRegionalIndicator = (code: number): boolean => code >= 0x1f1e6 && code <= 0x1f1ff;
const isSkinTone = (code: number): boolean => code >= 0x1f3fb && code <= 0x1f3ff;

/**
 * Mode 2027 decides whether an emoji sequence is one cell or several. Cells are painted in the mode that they were printed in,
 * as far as they show it; the mode in force is set again at the end.
 */
export class ClusterMode {
  readonly #writer: VtWriter;
  readonly #final: boolean;
  #current: boolean;
  #joinsNext = false;

  /** The viewer's terminal has the mode `isOn`, the one of the state that is painted. */
  constructor(writer: VtWriter, isOn: boolean) {
    this.#writer = writer;
    this.#final = isOn;
    this.#current = isOn;
  }

  /** Call before a cell that is more than one character, or whose character could join the cell before. */
  prepare(code: number, graphemes: string, isWide: boolean): void {
    const isSeparate = this.#joinsNext || isSkinTone(code) || isRegionalIndicator(code);
    this.after(graphemes);
    if (isJoined(code, graphemes, isWide)) this.#set(true);
    else if (isSeparate || isLoose(graphemes)) this.#set(false);
  }

  /** Call where painting goes on behind a cell that it did not paint itself. */
  after(graphemes: string): void {
    this.#joinsNext = graphemes.endsWith(ZERO_WIDTH_JOINER);
  }

  restore(): void {
    this.#set(this.#final);
  }

  #set(isOn: boolean): void {
    if (isOn === this.#current) return;
    this.#current = isOn;
    this.#writer.csi(isOn ? "?2027h" : "?2027l");
  }
}

/** True for what joins the character before while clusters are several cells, and may not while they are one. */
function isLoose(graphemes: string): boolean {
  if (graphemes.includes(EMOJI_PRESENTATION)) return true;
  for (const part of graphemes) if (isInvisibleControl(part.codePointAt(0) ?? 0)) return true;
  return false;
}

/** Characters that have no width and end a cluster: marks of direction, joiners of words, the zero width space. */
function isInvisibleControl(code: number): boolean {
  if (code < 0x2000) return code === 0xad || code === 0x61c || code === 0x180e;
  if (code >= 0x2060) return code <= 0x206f || code === 0xfeff || (code >= 0xfff0 && code <= 0xfffb);
  return code === 0x200b || code === 0x200e || code === 0x200f || (code >= 0x2028 && code <= 0x202e);
}

/** True for a cell that only exists while clusters are one cell. */
function isJoined(code: number, graphemes: string, isWide: boolean): boolean {
  if (graphemes === "") return false;
  if (isWide && code < FIRST_EMOJI && graphemes.includes(EMOJI_PRESENTATION)) return true;
  for (const part of graphemes) if ((part.codePointAt(0) ?? 0) >= FIRST_EMOJI) return true;
  return false;
}
