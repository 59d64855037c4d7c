import {
  type CharsetState,
  cellContent,
  cellIsErased,
  cellWidth,
  type GridRow,
  type GridRows,
  type Hyperlink,
  type SemanticContent,
  type Style,
  WIDTH,
} from "../engine/terminal-state.ts";
import { changeCharset, INITIAL_CHARSET } from "./charset-sequence.ts";
import { type Brushes, RowPainter } from "./row-painter.ts";
import { erasedSequence } from "./style-sequence.ts";

/** Where a cursor stands and what it would print. */
export interface CursorTarget {
  readonly row: number;
  readonly col: number;
  readonly pendingWrap: boolean;
  readonly style: Style;
  readonly isProtected: boolean;
  readonly charset: CharsetState;
  readonly hyperlink?: Hyperlink | undefined;
  readonly semantic?: SemanticContent;
  readonly inputEndsWithLine?: boolean;
}

/** What positions count from: the corner of the scroll region while origin mode is on. */
export interface Origin {
  readonly top: number;
  readonly left: number;
}

export const SCREEN_ORIGIN: Origin = { top: 0, left: 0 };

/** Moves the viewer's cursor on one screen whose cells are painted. */
export class CursorPainter {
  readonly #brushes: Brushes;
  readonly #grid: GridRows;
  readonly #rows: RowPainter;
  #charset = INITIAL_CHARSET;

  constructor(brushes: Brushes, grid: GridRows) {
    this.#brushes = brushes;
    this.#grid = grid;
    this.#rows = new RowPainter(brushes);
  }

  /**
   * Places the cursor. A pending wrap comes from printing the last cell again. Where the character left of the cursor is
   * `previous`, the last one printed, it is printed again too: REP and combining characters refer to it.
   */
  place(target: CursorTarget, origin: Origin, previous?: number): void {
    const { pen } = this.#brushes;
    this.#useCharset(INITIAL_CHARSET);
    if (target.pendingWrap) this.#printAt(target.row, target.col, origin);
    else if (previous === undefined || !this.#printsBefore(target, origin, previous)) {
      this.#moveTo(target.row, target.col, origin);
    }
    pen.style(target.style);
    pen.protect(target.isProtected);
    pen.link(target.hyperlink);
    pen.semantic(target.semantic ?? 0, this.#row(target.row).prompt);
    if (target.inputEndsWithLine === true) this.#brushes.writer.osc("133;I");
    this.#useCharset(target.charset);
  }

  /** Before anything else is painted: no character set may translate it. */
  useInitialCharset(): void {
    this.#useCharset(INITIAL_CHARSET);
  }

  /** Prints `code` once more, so that REP repeats it: over its like, or in a blank cell that is blanked again. */
  echo(code: number): void {
    let blank: { readonly row: number; readonly col: number } | undefined;
    for (let row = 0; row < this.#grid.visible; row += 1) {
      const { low, high } = this.#brushes.cells;
      const count = this.#row(row).read(this.#brushes.cells);
      for (let col = 0; col < count; col += 1) {
        if (!cellIsErased(low[col]!) && cellContent(low[col]!) === code) {
          this.#printAt(row, col, SCREEN_ORIGIN);
          return;
        }
        if (low[col] === 0 && high[col] === 0 && low[col + 1] === 0) blank ??= { row, col };
      }
      if (count < low.length - 2) blank ??= { row, col: count };
    }
    if (blank !== undefined) this.#echoIntoBlank(blank.row, blank.col, code);
  }

  #echoIntoBlank(row: number, col: number, code: number): void {
    const { writer, pen } = this.#brushes;
    this.#moveTo(row, col, SCREEN_ORIGIN);
    pen.plain();
    pen.link(undefined);
    pen.protect(false);
    writer.codepoint(code);
    this.#moveTo(row, col, SCREEN_ORIGIN);
    writer.csi("2X");
  }

  #printsBefore(target: CursorTarget, origin: Origin, previous: number): boolean {
    const row = this.#row(target.row);
    const col = target.col - 1;
    if (col < 0 || col >= row.read(this.#brushes.cells)) return false;
    const start = this.#startOfCell(col);
    const code = cellContent(this.#brushes.cells.low[start] ?? 0);
    const graphemes = Array.from(row.graphemes(start));
    const isPrevious = code === previous || graphemes.at(-1)?.codePointAt(0) === previous;
    if (!isPrevious || cellIsErased(this.#brushes.cells.low[start] ?? 0)) return false;
    this.#printAt(target.row, start, origin);
    return true;
  }

  /** Prints the cell at a position again; a blank one at least as a space, so that the cursor moves on. */
  #printAt(rowIndex: number, col: number, origin: Origin): void {
    const row = this.#row(rowIndex);
    const count = row.read(this.#brushes.cells);
    const start = this.#startOfCell(col);
    const low = col < count ? (this.#brushes.cells.low[start] ?? 0) : 0;
    this.#moveTo(rowIndex, start, origin);
    if (!cellIsErased(low) && cellContent(low) !== 0) {
      this.#rows.paintCell(row, start);
      return;
    }
    if (cellIsErased(low)) this.#brushes.pen.styleSequence(erasedSequence(low));
    else this.#brushes.pen.plain();
    this.#brushes.writer.codepoint(0x20);
  }

  #startOfCell(col: number): number {
    return cellWidth(this.#brushes.cells.high[col] ?? 0) === WIDTH.tail ? col - 1 : col;
  }

  #moveTo(row: number, col: number, origin: Origin): void {
    this.#brushes.writer.csi(`${row - origin.top + 1};${col - origin.left + 1}H`);
  }

  #row(row: number): GridRow {
    return this.#grid.row(this.#grid.count - this.#grid.visible + row);
  }

  #useCharset(charset: CharsetState): void {
    changeCharset(this.#brushes.writer, this.#charset, charset);
    this.#charset = charset;
  }
}
