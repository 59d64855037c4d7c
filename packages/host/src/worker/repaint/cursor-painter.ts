import {
  type CharsetState,
  cellContent,
  cellIsErased,
  cellWidth,
  type GridRow,
  type GridRows,
  type Hyperlink,
  type RowCells,
  type SemanticContent,
  type Style,
  WIDTH,
} from "../engine/terminal-state.ts";
import { type Brushes, CellPainter } from "./cell-painter.ts";
import { changeCharset, INITIAL_CHARSET } from "./charset-sequence.ts";
import { blankStyle } from "./style-sequence.ts";

const BLANK = 0x20;

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

/** What positions count from, the corner of the scroll region while origin mode is on, and where lines end. */
export interface Origin {
  readonly top: number;
  readonly left: number;
  readonly right?: number;
  /** The tab stops of the viewer's terminal, where they are set already. */
  readonly tabStops?: readonly number[];
  /** The scroll region is the whole screen. */
  readonly scrollsAll?: boolean;
}

export const SCREEN_ORIGIN: Origin = { top: 0, left: 0 };

/** Two cells beside each other that were erased alike. */
interface BlankCells {
  readonly row: number;
  readonly col: number;
  readonly low: number;
}

/** Moves the viewer's cursor on one screen whose cells are painted. */
export class CursorPainter {
  readonly #brushes: Brushes;
  readonly #grid: GridRows;
  readonly #cells: CellPainter;
  #charset = INITIAL_CHARSET;

  constructor(brushes: Brushes, grid: GridRows) {
    this.#brushes = brushes;
    this.#grid = grid;
    this.#cells = new CellPainter(brushes);
  }

  /**
   * Places the cursor. A pending wrap comes from printing the last cell again. Where the character left of the cursor is
   * `previous`, the last one printed, it is printed again too: REP and combining characters refer to it.
   */
  place(target: CursorTarget, origin: Origin, previous?: number): void {
    const { pen } = this.#brushes;
    this.#useCharset(INITIAL_CHARSET);
    // Before the cursor is placed: it may take a visit to the other screen.
    const isUnmarked = this.#row(target.row).prompt === 0;
    if (target.semantic === 2 && isUnmarked) pen.semantic(2, 0);
    if (target.pendingWrap && this.#wrapAt(target, origin, previous)) {
      // Printing has placed it.
    } else if (previous === undefined || !this.#printsBefore(target, origin, previous)) {
      this.#moveTo(target.row, target.col, origin);
    }
    // Before the look, which a visit to the other screen takes away.
    pen.semantic(target.semantic ?? 0, this.#row(target.row).prompt);
    if (target.inputEndsWithLine === true) pen.input("until-line-end");
    pen.style(target.style);
    pen.protect(target.isProtected);
    pen.link(target.hyperlink);
    this.#useCharset(target.charset);
  }

  /** Before anything else is painted: no character set may translate it, no single shift wait for it. */
  useInitialCharset(): void {
    const isShifted = this.#charset.singleShift !== undefined;
    this.#useCharset(INITIAL_CHARSET);
    if (isShifted && !this.echo(BLANK)) this.#printFirstAgain();
  }

  /** A screen without room has characters. */
  #printFirstAgain(): void {
    const cells = this.#row(0).cells();
    for (let col = 0; col < this.#brushes.cols; col += 1) {
      const low = cells.low(col);
      if (cellIsErased(low) || cellContent(low) === 0) continue;
      this.#printAt(0, col, SCREEN_ORIGIN);
      return;
    }
  }

  /**
   * Prints `code` once more, so that REP repeats it: over its like, or in two blank cells that are blanked again. False when there
   * are none.
   */
  echo(code: number): boolean {
    let blank: BlankCells | undefined;
    for (let row = 0; row < this.#grid.visible; row += 1) {
      const gridRow = this.#row(row);
      const cells = gridRow.cells();
      for (let col = 0; col < this.#brushes.cols - 1; col += 1) {
        const low = cells.low(col);
        if (!cellIsErased(low) && cellContent(low) === code) {
          this.#printAt(row, col, SCREEN_ORIGIN);
          return true;
        }
        // Erasing ends a wrap, and at the beginning of a row the mark in the unused last column above.
        if (
          gridRow.wrapped ||
          (gridRow.continuation && col < 2) ||
          cells.high(col) !== 0 ||
          cells.high(col + 1) !== 0 ||
          cells.low(col + 1) !== low
        )
          continue;
        if (low === 0 || cellIsErased(low)) blank ??= { row, col, low };
      }
    }
    if (blank !== undefined) this.#echoIntoBlank(blank, code);
    return blank !== undefined;
  }

  #echoIntoBlank({ row, col, low }: BlankCells, code: number): void {
    const { writer, pen } = this.#brushes;
    this.#moveTo(row, col, SCREEN_ORIGIN);
    pen.style(blankStyle(low));
    pen.link(undefined);
    pen.protect(false);
    writer.codepoint(code);
    this.#moveTo(row, col, SCREEN_ORIGIN);
    writer.csi("2X");
  }

  #printsBefore(target: CursorTarget, origin: Origin, previous: number): boolean {
    const row = this.#row(target.row);
    const col = target.col - 1;
    if (col < 0 || col >= row.length) return false;
    const cells = row.cells();
    const start = startOfCell(cells, col);
    const low = cells.low(start);
    const end = cellWidth(cells.high(start)) === WIDTH.wide ? start + 2 : start + 1;
    const last = lastCodepoint(row.graphemes(start));
    const isPrevious = !cellIsErased(low) && (cellContent(low) === previous || last === previous);
    if (!isPrevious || start < origin.left || end !== target.col) return false;
    this.#printAt(target.row, start, origin);
    return true;
  }

  /** Prints the cell at a position again; a blank one at least as a space, so that the cursor moves on. */
  #printAt(rowIndex: number, col: number, origin: Origin): void {
    const row = this.#row(rowIndex);
    const cells = row.cells();
    const start = startOfCell(cells, col);
    const low = cells.low(start);
    this.#moveTo(rowIndex, start, origin);
    if (!cellIsErased(low) && cellContent(low) !== 0) {
      this.#cells.paintCell(row, start);
      return;
    }
    this.#brushes.pen.style(blankStyle(low));
    this.#brushes.pen.link(undefined);
    this.#brushes.pen.protect(false);
    this.#brushes.writer.codepoint(BLANK);
  }

  /** Makes the cursor one that wraps by the next character. False where it can't be. */
  #wrapAt({ row, col }: CursorTarget, origin: Origin, previous: number | undefined): boolean {
    const edge = origin.right !== undefined && col <= origin.right ? origin.right : this.#brushes.cols - 1;
    if (col !== edge) return this.#wrapBehind({ row, col, edge }, origin);
    if (origin.scrollsAll === true && this.#isBlank) this.#wrapOnBlank(row, col, previous);
    else this.#printAt(row, col, origin);
    return true;
  }

  /** A back tab takes a wrap that is due along to where none comes from printing. */
  #wrapBehind({ row, col, edge }: { row: number; col: number; edge: number }, origin: Origin): boolean {
    const { tabStops } = origin;
    const cells = this.#row(row).cells();
    const low = cells.low(startOfCell(cells, edge));
    if (tabStops === undefined || cellIsErased(low) || cellContent(low) === 0) return false;
    const { writer } = this.#brushes;
    const isStop = tabStops.includes(col);
    if (!isStop) {
      this.#moveTo(row, col, origin);
      writer.ascii("\x1bH");
    }
    this.#printAt(row, edge, origin);
    let stops = 1;
    for (const stop of tabStops) if (stop > col && stop < edge) stops += 1;
    writer.csi(`${stops}Z`);
    if (!isStop) writer.csi("0g");
    return true;
  }

  get #isBlank(): boolean {
    for (let row = 0; row < this.#grid.visible; row += 1) {
      const { length, wrapped, continuation, prompt } = this.#row(row);
      if (length > 0 || wrapped || continuation || prompt !== 0) return false;
    }
    return true;
  }

  /** As on a screen that was entered with a wrap due: scrolling takes the character away and leaves the wrap. */
  #wrapOnBlank(row: number, col: number, previous: number | undefined): void {
    const { writer, pen } = this.#brushes;
    this.#moveTo(row, col, SCREEN_ORIGIN);
    pen.plain();
    pen.link(undefined);
    pen.protect(false);
    writer.codepoint(previous !== undefined && isSimple(previous) ? previous : BLANK);
    writer.csi(`${this.#grid.visible}T`);
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

/** True for a character that takes one column and joins no other. */
function isSimple(code: number): boolean {
  return (code >= BLANK && code < 0x7f) || (code >= 0xa0 && code < 0x300);
}

function lastCodepoint(text: string): number | undefined {
  let last: number | undefined;
  for (const character of text) last = character.codePointAt(0);
  return last;
}

/** The right half of a wide character is part of the cell before. */
function startOfCell(cells: RowCells, col: number): number {
  return cellWidth(cells.high(col)) === WIDTH.tail ? col - 1 : col;
}
