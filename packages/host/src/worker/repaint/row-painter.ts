import {
  cellContent,
  cellIsProtected,
  cellLink,
  cellSemantic,
  cellStyle,
  cellWidth,
  type GridRow,
  type GridRows,
  type Hyperlink,
  type RowCells,
  type Style,
  WIDTH,
} from "../engine/terminal-state.ts";
import { type Brushes, CellPainter, isCharacter } from "./cell-painter.ts";
import type { Pen } from "./pen.ts";
import { BLANK } from "./run-copier.ts";
import { blankStyle } from "./style-sequence.ts";
import type { VtWriter } from "./vt-writer.ts";

/** Stands in a cell only to make the terminal wrap, and is erased again. */
const FILLER = BLANK;
const WIDE_FILLER = 0x3000;
interface Look {
  readonly style: Style;
  readonly link: Hyperlink | undefined;
  readonly isProtected: boolean;
}

/** How the cursor stands at the end of a row that wraps into the next one. */
interface Wrap {
  /** The look of the last column where it is unused because a wide character did not fit. */
  readonly head: Look | undefined;
  /** The last column got a filler and has to be blanked again, in this style. */
  readonly repair: Style | undefined;
}

/**
 * Paints rows one below the other from the top left corner; what does not fit scrolls into the viewer's history. Rows that
 * the program filled to the end are printed through the last column, so that the viewer's terminal knows them as one line.
 */
export class RowPainter {
  readonly #writer: VtWriter;
  readonly #pen: Pen;
  readonly #brushes: Brushes;
  readonly #cells: CellPainter;
  readonly #cols: number;

  constructor(brushes: Brushes) {
    this.#writer = brushes.writer;
    this.#pen = brushes.pen;
    this.#brushes = brushes;
    this.#cells = new CellPainter(brushes);
    this.#cols = brushes.cols;
  }

  /** Paints the rows of `grid` from `first` to the last. */
  paint(grid: GridRows, first: number): void {
    this.#cells.col = 0;
    let wrap: Wrap | undefined;
    let row = grid.row(first);
    for (let index = first; ; index += 1) {
      const scrolls = index - first >= grid.visible;
      const from = wrap === undefined ? 0 : this.#enterWrapped(row, wrap, scrolls);
      if (row.prompt !== 0) this.#markPrompt(row, from);
      this.#cells.paintRow(row, from);
      if (index + 1 >= grid.count) break;
      const next = grid.row(index + 1);
      // A row that wraps into one that is no continuation takes a line below that one, see `#enterWrapped`.
      const canWrap = row.wrapped && (next.continuation || index + 2 - first < grid.visible);
      wrap = canWrap ? this.#leaveWrapped(row) : undefined;
      if (wrap === undefined) this.#newLine(index + 1 - first >= grid.visible);
      row = next;
    }
    if (row.wrapped && row.continuation && grid.visible > 2) this.#wrapInPlace(row, grid.visible);
    this.#brushes.clusters.restore();
  }

  /** A row that was entered with a prompt or input in the pen is marked as a further row of the prompt already. */
  #markPrompt(row: GridRow, from: number): void {
    const hasMark = from > 0 && cellSemantic(row.cells().high(0)) !== 0;
    if (!(hasMark && row.prompt === 2)) this.#pen.markRow(row.prompt);
  }

  #newLine(scrolls: boolean): void {
    // A line that scrolls in takes the background of the pen.
    if (scrolls) this.#pen.plain();
    this.#pen.semantic(0, 0);
    this.#writer.ascii("\r\n");
    this.#cells.col = 0;
  }

  /** Brings the cursor into the state from which the next character wraps. */
  #leaveWrapped(row: GridRow): Wrap {
    const last = this.#cols - 1;
    if (this.#cells.col > last) return { head: undefined, repair: undefined };
    const cells = row.cells();
    const low = cells.low(last);
    const isHead = cellWidth(cells.high(last)) === WIDTH.head;
    this.#cells.moveTo(last);
    if (isHead) return { head: lookAt(row, cells, last), repair: undefined };
    this.#printFiller();
    return { head: undefined, repair: blankStyle(low) };
  }

  /** Makes the cursor wrap by the row's first cell; returns the column from which the rest is to be painted. */
  #enterWrapped(row: GridRow, wrap: Wrap, scrolls: boolean): number {
    const cells = row.cells();
    const isPrinted = row.continuation && isCharacter(cells.low(0));
    const isWide = isPrinted && cellWidth(cells.high(0)) === WIDTH.wide && cellContent(cells.low(0)) !== BLANK;
    this.#cells.col = 0;
    const isAlike = isWide && wrap.head !== undefined && isEqual(wrap.head, lookAt(row, cells, 0));
    if (wrap.head !== undefined && !isAlike) {
      // Erasing selectively leaves the mark in the unused last column above.
      this.#enterByFiller(wrap.head, row.continuation ? "\x1b[?1K\r" : "\r\x1b[M");
    } else if (isPrinted) {
      // The cursor is still in the row above, which a prompt must not mark.
      if (cellSemantic(cells.high(0)) === 2) this.#pen.semantic(2, 0);
      if (cellSemantic(cells.high(0)) === 1) this.#pen.input(row.prompt === 0 ? "until-line-end" : "over-lines");
      this.#cells.paintCharacter(row, cells, 0);
      if (scrolls) this.#clearRest();
    } else {
      // Deleting the line leaves one that is no continuation.
      this.#enterByFiller(undefined, row.continuation ? "\r\x1b[X" : "\r\x1b[M");
    }
    if (wrap.repair !== undefined) this.#repairAbove(wrap.repair);
    const { col } = this.#cells;
    const isMarked = isPrinted && row.prompt === 0 && cellSemantic(cells.high(0)) === 2;
    if (isMarked) {
      // Wrapping with a prompt has marked the row.
      this.#writer.ascii("\r");
      this.#pen.unmarkRow();
      this.#cells.col = 0;
    }
    if (isPrinted && (isMarked || wrap.repair !== undefined) && col >= this.#cols) {
      // The one character fills the row, and the wrap that is due behind it is lost by a movement.
      this.#writer.ascii("\r");
      this.#cells.col = 0;
      this.#cells.paintCharacter(row, cells, 0);
    }
    return col;
  }

  /** A line that wrapped in the last row, below the scroll region, went on in that same row. */
  #wrapInPlace(row: GridRow, rows: number): void {
    const cells = row.cells();
    const last = this.#cols - 1;
    const isTail = cellWidth(cells.high(last)) === WIDTH.tail;
    const low = cells.low(last);
    const isBlank = !isTail && !isCharacter(low);
    this.#writer.ascii(`\x1b[1;${rows - 1}r\x1b[${rows};${isTail ? last : last + 1}H`);
    this.#cells.col = isTail ? last - 1 : last;
    if (isBlank) this.#printFiller();
    else this.#cells.paintCharacter(row, row.cells(), this.#cells.col);
    this.#enterByFiller(undefined, "\r");
    this.#cells.col = 0;
    if (isCharacter(cells.low(0))) {
      this.#cells.paintCharacter(row, row.cells(), 0);
    } else {
      this.#pen.style(blankStyle(cells.low(0)));
      this.#writer.csi("X");
    }
    if (isBlank) {
      this.#pen.style(blankStyle(low));
      this.#writer.ascii(`\x1b[${this.#cols}G\x1b[@`);
    }
    this.#writer.csi("r");
  }

  /** Wraps by a character that is taken away again: by a wide one where the last column above has the look `head`. */
  #enterByFiller(head: Look | undefined, removal: string): void {
    if (head === undefined) this.#pen.plain();
    else this.#pen.style(head.style);
    if (head !== undefined) this.#pen.link(head.link);
    this.#pen.protect(head?.isProtected ?? false);
    this.#pen.semantic(0, 0);
    this.#writer.codepoint(head === undefined ? FILLER : WIDE_FILLER);
    // A line that scrolled in has the background of the pen, and so has what is erased.
    const hasBackground = this.#pen.hasBackground;
    this.#pen.plain();
    this.#pen.protect(false);
    if (hasBackground) this.#writer.csi("K");
    this.#writer.ascii(removal);
  }

  #printFiller(): void {
    this.#pen.plain();
    this.#pen.protect(false);
    this.#writer.codepoint(FILLER);
    this.#cells.col += 1;
  }

  /** Blanks the last cell of the row above and comes back. Erasing it would end the wrap, inserting does not. */
  #repairAbove(style: Style): void {
    this.#pen.style(style);
    this.#writer.ascii(`\x1b[A\x1b[${this.#cols}G\x1b[@\x1b[B\x1b[${this.#cells.col + 1}G`);
  }

  /** A line that scrolls in takes the background of the pen. */
  #clearRest(): void {
    if (!this.#pen.hasBackground || this.#cells.col >= this.#cols) return;
    this.#pen.plain();
    this.#writer.csi("K");
  }
}

function lookAt(row: GridRow, cells: RowCells, col: number): Look {
  const high = cells.high(col);
  const link = cellLink(high);
  return {
    style: row.style(cellStyle(cells.low(col), high)),
    link: link === 0 ? undefined : row.hyperlink(link),
    isProtected: cellIsProtected(high),
  };
}

function isEqual(one: Look, other: Look): boolean {
  return one.style === other.style && one.link?.key === other.link?.key && one.isProtected === other.isProtected;
}
