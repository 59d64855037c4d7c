import {
  CONTENT,
  cellContent,
  cellIsErased,
  cellIsProtected,
  cellLink,
  cellSemantic,
  cellStyle,
  cellWidth,
  type GridRow,
  type GridRows,
  type RowCells,
  type Style,
  WIDTH,
} from "../engine/terminal-state.ts";
import type { ClusterMode } from "./cluster-mode.ts";
import type { Pen } from "./pen.ts";
import { BLANK, copyAlike, DELETE } from "./run-copier.ts";
import { erasedSequence, PLAIN } from "./style-sequence.ts";
import type { VtWriter } from "./vt-writer.ts";

/** Stands in a cell only to make the terminal wrap, and is erased again. */
const FILLER = BLANK;
const WIDE_FILLER = 0x3000;
/** Characters below need no look at clusters. */
const FIRST_CLUSTER_CODE = 0x300;
/** High words below are nothing but the rest of a style id: a narrow cell, not protected, without link or mark. */
const FIRST_LOOK = 0x400;
/** Something that is neither printable ASCII nor a blank cell. */
const NOT_PLAIN = /[^\0\x20-\x7e]/;

export interface Brushes {
  readonly writer: VtWriter;
  readonly pen: Pen;
  readonly clusters: ClusterMode;
  readonly cols: number;
}

/** How the cursor stands at the end of a row that wraps into the next one. */
interface Wrap {
  /** The look of the last column where it is unused because a wide character did not fit. */
  readonly head: Style | undefined;
  /** The last column got a filler and has to be blanked again, with this SGR. */
  readonly repair: string | undefined;
}

/**
 * Paints rows one below the other from the top left corner; what does not fit scrolls into the viewer's history. Rows that
 * the program filled to the end are printed through the last column, so that the viewer's terminal knows them as one line.
 */
export class RowPainter {
  readonly #writer: VtWriter;
  readonly #pen: Pen;
  readonly #clusters: ClusterMode;
  readonly #cols: number;
  /** Column of the viewer's cursor; `#cols` when the next character wraps. */
  #col = 0;

  constructor(brushes: Brushes) {
    this.#writer = brushes.writer;
    this.#pen = brushes.pen;
    this.#clusters = brushes.clusters;
    this.#cols = brushes.cols;
  }

  /** Paints the rows of `grid` from `first` to the last. */
  paint(grid: GridRows, first: number): void {
    this.#col = 0;
    let wrap: Wrap | undefined;
    let row = grid.row(first);
    for (let index = first; ; index += 1) {
      const scrolls = index - first >= grid.visible;
      const from = wrap === undefined ? 0 : this.#enterWrapped(row, wrap, scrolls);
      if (row.prompt !== 0) this.#markPrompt(row, from);
      this.#paintRow(row, from);
      if (index + 1 >= grid.count) break;
      const next = grid.row(index + 1);
      // A row that wraps into one that is no continuation takes a line below that one, see `#enterWrapped`.
      const canWrap = row.wrapped && (next.continuation || index + 2 - first < grid.visible);
      wrap = canWrap ? this.#leaveWrapped(row) : undefined;
      if (wrap === undefined) this.#newLine(index + 1 - first >= grid.visible);
      row = next;
    }
    this.#clusters.restore();
  }

  /** Prints the one cell at `col`, where the viewer's cursor stands. */
  paintCell(row: GridRow, col: number): void {
    this.#col = col;
    this.#clusters.after(row.graphemes(col - 1) || row.graphemes(col - 2));
    this.#paintCharacter(row, row.cells(), col);
    this.#clusters.restore();
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
    this.#col = 0;
  }

  /** Brings the cursor into the state from which the next character wraps. */
  #leaveWrapped(row: GridRow): Wrap {
    const last = this.#cols - 1;
    if (this.#col > last) return { head: undefined, repair: undefined };
    const cells = row.cells();
    const low = cells.low(last);
    const isHead = cellWidth(cells.high(last)) === WIDTH.head;
    this.#moveTo(last);
    if (isHead) return { head: row.style(cellStyle(low, cells.high(last))), repair: undefined };
    this.#printFiller();
    return { head: undefined, repair: cellIsErased(low) ? erasedSequence(low) : PLAIN };
  }

  /** Makes the cursor wrap by the row's first cell; returns the column from which the rest is to be painted. */
  #enterWrapped(row: GridRow, wrap: Wrap, scrolls: boolean): number {
    const cells = row.cells();
    const isPrinted = row.continuation && isCharacter(cells.low(0));
    const isWide = isPrinted && cellWidth(cells.high(0)) === WIDTH.wide && cellContent(cells.low(0)) !== BLANK;
    this.#col = 0;
    const isAlike = isWide && row.style(cellStyle(cells.low(0), cells.high(0))) === wrap.head;
    if (wrap.head !== undefined && !isAlike) {
      // Erasing selectively leaves the mark in the unused last column above.
      this.#enterByFiller(wrap.head, row.continuation ? "\x1b[?1K\r" : "\r\x1b[M");
    } else if (isPrinted) {
      // The cursor is still in the row above, which a prompt must not mark.
      if (cellSemantic(cells.high(0)) === 2) this.#pen.semantic(2, 0);
      if (cellSemantic(cells.high(0)) === 1) this.#pen.input(row.prompt === 0 ? "until-line-end" : "over-lines");
      this.#paintCharacter(row, cells, 0);
      if (scrolls) this.#clearRest();
    } else {
      // Deleting the line leaves one that is no continuation.
      this.#enterByFiller(undefined, row.continuation ? "\r\x1b[X" : "\r\x1b[M");
    }
    if (wrap.repair !== undefined) this.#repairAbove(wrap.repair);
    if (isPrinted && wrap.repair !== undefined && this.#col >= this.#cols) {
      // The one character fills the row, and the wrap that is due behind it is lost by a movement.
      this.#writer.ascii("\r");
      this.#paintCharacter(row, cells, 0);
    }
    return this.#col;
  }

  /** Wraps by a character that is taken away again: by a wide one where the last column above has the look `head`. */
  #enterByFiller(head: Style | undefined, removal: string): void {
    if (head === undefined) this.#pen.plain();
    else this.#pen.style(head);
    this.#pen.protect(false);
    this.#pen.semantic(0, 0);
    this.#writer.codepoint(head === undefined ? FILLER : WIDE_FILLER);
    // A line that scrolled in has the background of the pen, and so has what is erased.
    const hasBackground = this.#pen.hasBackground;
    this.#pen.plain();
    if (hasBackground) this.#writer.csi("K");
    this.#writer.ascii(removal);
  }

  #printFiller(): void {
    this.#pen.plain();
    this.#pen.protect(false);
    this.#writer.codepoint(FILLER);
    this.#col += 1;
  }

  /** Blanks the last cell of the row above and comes back. Erasing it would end the wrap, inserting does not. */
  #repairAbove(sequence: string): void {
    this.#pen.styleSequence(sequence);
    this.#writer.ascii(`\x1b[A\x1b[${this.#cols}G\x1b[@\x1b[B\x1b[${this.#col + 1}G`);
  }

  /** A line that scrolls in takes the background of the pen. */
  #clearRest(): void {
    if (!this.#pen.hasBackground || this.#col >= this.#cols) return;
    this.#pen.plain();
    this.#writer.csi("K");
  }

  #moveTo(col: number): void {
    if (col > this.#col) this.#writer.csi(col - this.#col === 1 ? "C" : `${col - this.#col}C`);
    this.#col = col;
  }

  /** Bytes are copied where the row is nothing but text: an attach is often the first thing a worker paints, on cold code. */
  #paintRow(row: GridRow, from: number): void {
    const plain = row.plainBytes;
    if (plain === undefined || NOT_PLAIN.test(Buffer.from(plain).toString("latin1"))) this.#paintCells(row, from);
    else this.#paintPlain(row, plain, from);
  }

  #paintPlain(row: GridRow, plain: Uint8Array, from: number): void {
    const length = Math.min(plain.length, this.#cols);
    for (let start = from; start < length; ) {
      if (plain[start] === 0) {
        start += 1;
        continue;
      }
      const blank = plain.indexOf(0, start);
      const end = blank < 0 || blank > length ? length : blank;
      this.#dressPlain(row);
      this.#moveTo(start);
      this.#writer.plain(plain.subarray(start, end));
      this.#col = end;
      start = end;
    }
  }

  #dressPlain(row: GridRow): void {
    this.#pen.semantic(0, row.prompt);
    this.#pen.plain();
    this.#pen.link(undefined);
    this.#pen.protect(false);
  }

  #paintCells(row: GridRow, from: number): void {
    const cells = row.cells();
    const { words, stride } = cells;
    const count = Math.min(cells.count, this.#cols);
    const isSimple = !row.hasGraphemes;
    for (let col = from; col < count; ) {
      const low = words[col * stride]!;
      const high = stride === 2 ? words[col * 2 + 1]! : 0;
      if (low === 0 && high === 0) {
        col += 1;
        continue;
      }
      if ((low & 3) >= CONTENT.palette) {
        col = this.#paintErased(cells, col, count);
        continue;
      }
      const code = (low >>> 2) & 0xffffff;
      if (isSimple && code >= BLANK && code < FIRST_CLUSTER_CODE && code !== DELETE && high < FIRST_LOOK) {
        this.#moveTo(col);
        this.#pen.bare(row.style((low >>> 26) | (high << 6)), row.prompt);
      } else {
        if (code !== 0 || hasLook(low, high)) this.#paintCharacter(row, cells, col);
        if (isControl(low) && this.#col < this.#cols) this.#writer.csi(`${this.#col + 1}G`);
        col = this.#col > col ? this.#col : col + 1;
        if (!isSimple || this.#col !== col || col >= count) continue;
      }
      this.#col = copyAlike(this.#writer, cells, { from: col, count, low, high });
      col = this.#col;
    }
  }

  /** Paints a run of cells that were erased with one background; returns the column behind it. */
  #paintErased(cells: RowCells, from: number, count: number): number {
    const low = cells.low(from);
    let end = from + 1;
    while (end < count && cells.low(end) === low) end += 1;
    this.#moveTo(from);
    this.#pen.styleSequence(erasedSequence(low));
    // From the first column on, "erase to the end" would make xterm.js forget that the row continues the one above.
    this.#writer.csi(end === this.#cols && from > 0 ? "K" : `${end - from}X`);
    return end;
  }

  #paintCharacter(row: GridRow, cells: RowCells, col: number): void {
    const low = cells.low(col);
    const high = cells.high(col);
    const link = cellLink(high);
    this.#moveTo(col);
    this.#pen.semantic(cellSemantic(high), row.prompt);
    this.#pen.style(row.style(cellStyle(low, high)));
    this.#pen.link(link === 0 ? undefined : row.hyperlink(link));
    this.#pen.protect(cellIsProtected(high));
    const code = cellContent(low) || BLANK;
    const isWide = cellWidth(high) === WIDTH.wide;
    // A wide character under DEC special graphics is a blank of two columns to the engine.
    if (code === BLANK && isWide) this.#writer.codepoint(BLANK);
    if (code >= FIRST_CLUSTER_CODE || row.hasGraphemes) this.#paintCluster(code, row.graphemes(col), isWide);
    else this.#writer.codepoint(code);
    this.#col = col + (isWide ? 2 : 1);
  }

  #paintCluster(code: number, graphemes: string, isWide: boolean): void {
    this.#clusters.prepare(code, graphemes, isWide);
    this.#writer.codepoint(code);
    for (const part of graphemes) this.#writer.codepoint(part.codePointAt(0) ?? 0);
  }
}

/** True for a cell with a character of its own. */
function isCharacter(low: number): boolean {
  return !cellIsErased(low) && cellContent(low) !== 0;
}

/** True for a blank narrow cell that has attributes, as half of a wide character leaves one behind. */
function hasLook(low: number, high: number): boolean {
  return cellWidth(high) === WIDTH.narrow && cellStyle(low, high) !== 0;
}

/** The engine gives CAN, SUB, DEL and their like a cell where other terminals move nothing. */
function isControl(low: number): boolean {
  return isCharacter(low) && (cellContent(low) < BLANK || cellContent(low) === DELETE);
}
