import type { SavedCursor, ScreenState } from "../engine/terminal-state.ts";
import { DEFAULT_STYLE } from "../engine/snapshot-style.ts";
import { INITIAL_CHARSET } from "./charset-sequence.ts";
import { CursorPainter, SCREEN_ORIGIN } from "./cursor-painter.ts";
import { CLEAR_SCREEN } from "./preamble.ts";
import { type Brushes, RowPainter } from "./row-painter.ts";

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

/** Paints what one screen has for itself: its rows, its keyboard stack, its saved cursor. */
export class ScreenPainter {
  readonly cursor: CursorPainter;
  readonly #brushes: Brushes;
  readonly #screen: ScreenState;
  readonly #isUsed: boolean;

  constructor(brushes: Brushes, screen: ScreenState, isUsed: boolean) {
    this.#brushes = brushes;
    this.#screen = screen;
    this.#isUsed = isUsed;
    this.cursor = new CursorPainter(brushes, screen.grid);
  }

  /** Clears the screen and paints the grid, with rows of history above it from `first` on. */
  paintRows(first: number): void {
    const { writer, pen } = this.#brushes;
    pen.protectedMode = this.#screen.protectedMode;
    writer.ascii(CLEAR_SCREEN);
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
    if (saved.originMode) writer.csi("?6h");
    this.cursor.place(saved, SCREEN_ORIGIN);
    writer.ascii(trigger);
    if (saved.originMode) writer.csi("?6l");
    this.cursor.useInitialCharset();
  }
}
