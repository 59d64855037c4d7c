import { DEFAULT_STYLE } from "../engine/snapshot-style.ts";
import type { Hyperlink, ProtectedMode, SemanticContent, Style } from "../engine/terminal-state.ts";
import { linkBody } from "./link-sequence.ts";
import { isSameStyle, PLAIN, writeStyle } from "./style-sequence.ts";
import type { VtWriter } from "./vt-writer.ts";

/** OSC 133: D ends whatever there was, without a mark on the row. */
const OUTPUT_MARK = "133;D";
/** OSC 133: C does the same, and takes the mark off a row in the first column. */
const ROW_OUTPUT_MARK = "133;C";
const INPUT_MARKS = { "over-lines": "133;B", "until-line-end": "133;I" } as const;
type InputKind = keyof typeof INPUT_MARKS;
/** P starts a prompt where the cursor stands and marks the row: as one that goes on with `k=c`. By `GridRow.prompt`. */
const PROMPT_MARKS = ["133;P", "133;P", "133;P;k=c"] as const;

/** What the next character will look like in the viewer's terminal; only changes are written. */
export class Pen {
  readonly #writer: VtWriter;
  #style = DEFAULT_STYLE;
  #link: string | undefined;
  #isProtected = false;
  #semantic: SemanticContent = 0;
  #inputKind: InputKind = "over-lines";
  #hasProtected = false;
  #hasMarks = false;
  protectedMode: ProtectedMode = "off";
  isOnPrimary = true;

  /** Expects a terminal whose attributes, link, protection and marks have just been reset. */
  constructor(writer: VtWriter) {
    this.#writer = writer;
  }

  style(style: Style): void {
    if (style === this.#style) return;
    // Each page has style objects of its own.
    if (!isSameStyle(style, this.#style)) writeStyle(this.#writer, style);
    this.#style = style;
  }

  /** The look of a cell that has nothing but a style. */
  bare(style: Style, rowPrompt: number): void {
    if (this.#semantic !== 0) this.semantic(0, rowPrompt);
    if (style !== this.#style) this.style(style);
    if (this.#link !== undefined) this.link(undefined);
    if (this.#isProtected) this.protect(false);
  }

  get hasBackground(): boolean {
    return this.#style.background.kind !== "default";
  }

  /** Lines that scroll in take the pen's background, so it has to be plain then. */
  plain(): void {
    this.style(DEFAULT_STYLE);
  }

  link(link: Hyperlink | undefined): void {
    if (link?.key === this.#link) return;
    this.#link = link?.key;
    this.#writer.osc(linkBody(link));
  }

  protect(isProtected: boolean): void {
    if (isProtected === this.#isProtected) return;
    this.#isProtected = isProtected;
    this.#hasProtected = true;
    if (this.protectedMode === "iso") this.#writer.ascii(isProtected ? "\x1bV" : "\x1bW");
    else this.#writer.csi(isProtected ? '1"q' : '0"q');
  }

  /** `rowPrompt` is the mark of the row in which the cursor stands (`GridRow.prompt`). */
  semantic(semantic: SemanticContent, rowPrompt: number): void {
    if (semantic === this.#semantic) return;
    if (semantic === 2 && rowPrompt === 0 && this.isOnPrimary) {
      this.#startPromptElsewhere();
      return;
    }
    if (semantic === 1) {
      this.input("over-lines");
      return;
    }
    this.#semantic = semantic;
    this.#mark(semantic === 0 ? OUTPUT_MARK : (PROMPT_MARKS[rowPrompt] ?? PROMPT_MARKS[0]));
  }

  /** Input that goes over lines marks the rows into which it wraps, input until the end of the line does not. */
  input(kind: InputKind): void {
    if (this.#semantic === 1 && this.#inputKind === kind) return;
    this.#semantic = 1;
    this.#inputKind = kind;
    this.#mark(INPUT_MARKS[kind]);
  }

  /** Marks the row in which the cursor stands. */
  markRow(rowPrompt: number): void {
    this.#semantic = 2;
    this.#mark(PROMPT_MARKS[rowPrompt] ?? PROMPT_MARKS[0]);
  }

  /** Takes the mark off the row in whose first column the cursor stands. */
  unmarkRow(): void {
    this.#semantic = 0;
    this.#mark(ROW_OUTPUT_MARK);
  }

  /** Writes the initial state anew, where it is not known what the terminal kept. */
  reset(): void {
    this.#style = DEFAULT_STYLE;
    this.#link = undefined;
    this.#writer.ascii(PLAIN);
    this.#writer.osc("8;;");
    this.#isProtected = false;
    this.#semantic = 0;
    if (this.#hasProtected) this.#writer.csi('0"q');
    if (this.#hasMarks) this.#writer.osc(OUTPUT_MARK);
  }

  #mark(body: string): void {
    this.#hasMarks = true;
    this.#writer.osc(body);
  }

  /** A prompt in the pen without a mark on the row: starting one marks a row, so it is one of the alternate screen. */
  #startPromptElsewhere(): void {
    this.link(undefined);
    // The background would stay behind there, and clear that screen when the program enters it.
    this.plain();
    this.#semantic = 2;
    this.#writer.csi("?47h");
    this.#mark(PROMPT_MARKS[1]);
    this.#writer.csi("?47l");
  }
}
