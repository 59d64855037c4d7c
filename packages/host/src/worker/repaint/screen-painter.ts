import { DEFAULT_STYLE } from "../engine/snapshot-style.ts";
import type { SavedCursor, ScreenState } from "../engine/terminal-state.ts";
import type { Brushes } from "./cell-painter.ts";
import { INITIAL_CHARSET } from "./charset-sequence.ts";
import { CursorPainter, type Origin, SCREEN_ORIGIN } from "./cursor-painter.ts";
import { CLEAR_SCREEN, LIFT_PROTECTION } from "./preamble.ts";
import { RowPainter } from "./row-painter.ts";

const KITTY_ENTRIES = 8;
const UNSAVED_CURSOR: SavedCursor = {
  row: 0,
  col: 0,
  style: DEFAULT_STYLE,
  isProtected: false,
  pendingWrap: false,
  originMode: false,
  charset: INITIAL_CHARSET,
};

export interface ScreenRole {
  readonly isUsed: boolean;
  readonly isPrimary: boolean;
}

/** Paints what one screen has for itself: its rows, its keyboard stack, its saved cursor. */
export class ScreenPainter {
  readonly #cursor: CursorPainter;
  readonly #brushes: Brushes;
  readonly #screen: ScreenState;
  readonly #isUsed: boolean;
  readonly #isPrimary: boolean;

  constructor(brushes: Brushes, screen: ScreenState, { isUsed, isPrimary }: ScreenRole) {
    this.#brushes = brushes;
    this.#screen = screen;
    this.#isUsed = isUsed;
    this.#cursor = new CursorPainter(brushes, screen.grid);
    this.#isPrimary = isPrimary;
  }

  /** Clears the screen and paints the grid, with rows of history above it from `first` on. */
  paintRows(first: number): void {
    const { writer } = this.#brushes;
    if (this.#isUsed) writer.ascii(LIFT_PROTECTION);
    writer.ascii(CLEAR_SCREEN);
    this.#useScreen();
    if (this.#screen.protectedMode === "iso") writer.ascii("\x1bV\x1bW");
    new RowPainter(this.#brushes).paint(this.#screen.grid, first);
  }

  /** The stack of the kitty keyboard protocol: 8 entries in a ring. */
  writeKeyboard(): void {
    const { writer } = this.#brushes;
    const { kittyFlags, kittyIndex } = this.#screen;
    // What a fresh terminal has on its stack is its user's.
    writer.csi(this.#isUsed ? `<${KITTY_ENTRIES}u` : "=0;1u");
    if (kittyFlags[0] !== 0 && kittyFlags[0] !== undefined) writer.csi(`=${kittyFlags[0]};1u`);
    const isOverflowing = kittyFlags.some((flags, index) => index > kittyIndex && flags !== 0);
    const pushes = isOverflowing ? kittyIndex + KITTY_ENTRIES : kittyIndex;
    for (let push = 1; push <= pushes; push += 1) writer.csi(`>${kittyFlags[push % KITTY_ENTRIES] ?? 0}u`);
  }

  /** Makes the terminal save the cursor that DECRC is to bring back; `trigger` is what makes it save. */
  writeSavedCursor(trigger: string): void {
    const saved = this.#screen.savedCursor ?? (this.#isUsed ? UNSAVED_CURSOR : undefined);
    if (saved === undefined) return;
    const { writer } = this.#brushes;
    this.#useScreen();
    if (saved.originMode) writer.csi("?6h");
    this.#cursor.place(saved, SCREEN_ORIGIN);
    writer.ascii(trigger);
    if (saved.originMode) writer.csi("?6l");
    this.#cursor.useInitialCharset();
  }

  /** Enters the alternate screen by mode 1049, which saves the cursor on this one. */
  leaveBySaving(): void {
    const { writer } = this.#brushes;
    const saved = this.#screen.savedCursor ?? UNSAVED_CURSOR;
    if (saved.originMode) writer.csi("?6h");
    const { semantic, inputEndsWithLine } = this.#screen;
    this.#cursor.place({ ...saved, semantic, inputEndsWithLine }, SCREEN_ORIGIN);
    writer.csi("?1049h");
    if (saved.originMode) writer.csi("?6l");
    // A single shift goes along and waits for a character.
    if (saved.charset.singleShift !== undefined) writer.ascii(" ");
  }

  /** Places the cursor of the screen; see CursorPainter. */
  placeCursor(origin: Origin, previous?: number): void {
    this.#useScreen();
    this.#cursor.place(this.#screen, origin, previous);
  }

  /** Leaves the pen of the screen behind, whose background clears the screen when it is entered again. */
  placePen(): void {
    const pen = { ...this.#screen, pendingWrap: false, charset: INITIAL_CHARSET, hyperlink: undefined };
    this.#cursor.place(pen, SCREEN_ORIGIN);
  }

  echo(code: number): boolean {
    this.#useScreen();
    return this.#cursor.echo(code);
  }

  #useScreen(): void {
    const { pen } = this.#brushes;
    pen.protectedMode = this.#screen.protectedMode;
    pen.isOnPrimary = this.#isPrimary;
  }
}
