import {
  type CellBuffer,
  cellContent,
  cellIsErased,
  cellIsProtected,
  cellLink,
  cellSemantic,
  cellStyle,
  cellWidth,
  type GridRow,
  type GridRows,
  WIDTH,
} from "../engine/terminal-state.ts";
import type { ClusterMode } from "./cluster-mode.ts";
import type { Pen } from "./pen.ts";
import { erasedSequence, PLAIN } from "./style-sequence.ts";
import type { VtWriter } from "./vt-writer.ts";

const BLANK = 0x20;
/** Stands in a cell only to make the terminal wrap, and is erased again. */
const FILLER = BLANK;
const WIDE_FILLER = 0x3000;
/** Cells that hold no more than a character of ASCII or Latin-1 need no look at clusters. */
const FIRST_CLUSTER_CODE = 0x300;

export interface Brushes {
  readonly writer: VtWriter;
  readonly pen: Pen;
  readonly clusters: ClusterMode;
  readonly cells: CellBuffer;
}

/** How the cursor stands at the end of a row that wraps into the next one. */
interface Wrap {
  /** The last column is unused because a wide character did not fit. */
  readonly isHead: boolean;
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
  readonly #cells: CellBuffer;
  readonly #cols: number;
  /** Column of the viewer's cursor; `#cols` when the next character wraps. */
  #col = 0;

  constructor(brushes: Brushes) {
    this.#writer = brushes.writer;
    this.#pen = brushes.pen;
    this.#clusters = brushes.clusters;
    this.#cells = brushes.cells;
    this.#cols = brushes.cells.low.length;
  }

  /** Paints the rows of `grid` from `first` to the last. */
  paint(grid: GridRows, first: number): void {
    this.#col = 0;
    let wrap: Wrap | undefined;
    for (let index = first; index < grid.count; index += 1) {
      const row = grid.row(index);
      const count = row.read(this.#cells);
      const scrolls = index - first >= grid.visible;
      const from = wrap === undefined ? 0 : this.#enterWrapped(row, wrap, count);
      this.#markPrompt(row, from);
      // A line that scrolls in takes the background of the pen.
      if (from > 0 && scrolls) this.#clearRest();
      this.#paintCells(row, from, count);
      if (index === grid.count - 1) break;
      wrap = row.wrapped ? this.#leaveWrapped(count) : undefined;
      if (wrap === undefined) this.#newLine(index + 1 - first >= grid.visible);
    }
    this.#clusters.restore();
  }

  /** Prints the one cell at `col`, where the viewer's cursor stands. */
  paintCell(row: GridRow, col: number): void {
    row.read(this.#cells);
    this.#col = col;
    this.#paintCharacter(row, col);
    this.#clusters.restore();
  }

  /** A row that was entered with a prompt or input in the pen is marked as a further row of the prompt already. */
  #markPrompt(row: GridRow, from: number): void {
    const hasMark = from > 0 && cellSemantic(this.#cells.high[0]!) !== 0;
    if (row.prompt !== 0 && !(hasMark && row.prompt === 2)) this.#pen.markRow(row.prompt);
  }

  #newLine(scrolls: boolean): void {
    if (scrolls) this.#pen.plain();
    this.#pen.semantic(0, 0);
    this.#writer.ascii("\r\n");
    this.#col = 0;
  }

  /** Brings the cursor into the state from which the next character wraps. */
  #leaveWrapped(count: number): Wrap {
    const last = this.#cols - 1;
    if (this.#col > last) return { isHead: false, repair: undefined };
    const low = count > last ? this.#cells.low[last]! : 0;
    const isHead = count > last && cellWidth(this.#cells.high[last]!) === WIDTH.head;
    this.#moveTo(last);
    if (isHead) return { isHead, repair: undefined };
    this.#printFiller();
    return { isHead, repair: cellIsErased(low) ? erasedSequence(low) : PLAIN };
  }

  /** Makes the cursor wrap by the row's first cell; returns the column from which the rest is to be painted. */
  #enterWrapped(row: GridRow, wrap: Wrap, count: number): number {
    const isPrinted = row.continuation && count > 0 && isCharacter(this.#cells.low[0]!);
    const isWide = isPrinted && cellWidth(this.#cells.high[0]!) === WIDTH.wide;
    this.#col = 0;
    if (wrap.isHead && !isWide) {
      // Erasing selectively leaves the mark in the unused last column above.
      this.#enterByFiller(WIDE_FILLER, row.continuation ? "\x1b[?1K\r" : "\r\x1b[M");
    } else if (isPrinted) {
      if (cellSemantic(this.#cells.high[0]!) === 1 && row.prompt === 0) this.#pen.inputWithoutMark();
      this.#paintCharacter(row, 0);
    } else {
      // Deleting the line leaves one that is no continuation.
      this.#enterByFiller(FILLER, row.continuation ? "\r\x1b[X" : "\r\x1b[M");
    }
    if (wrap.repair !== undefined) this.#repairAbove(wrap.repair);
    return this.#col;
  }

  /** Wraps by a character that is taken away again. */
  #enterByFiller(filler: number, removal: string): void {
    this.#pen.plain();
    this.#pen.protect(false);
    this.#pen.semantic(0, 0);
    this.#writer.codepoint(filler);
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

  #clearRest(): void {
    if (this.#pen.isPlain) return;
    this.#pen.plain();
    this.#writer.csi("K");
  }

  #moveTo(col: number): void {
    if (col > this.#col) this.#writer.csi(col - this.#col === 1 ? "C" : `${col - this.#col}C`);
    this.#col = col;
  }

  #paintCells(row: GridRow, from: number, count: number): void {
    const { low, high } = this.#cells;
    for (let col = from; col < count; col += 1) {
      if (low[col] === 0 && high[col] === 0) continue;
      if (cellIsErased(low[col]!)) col = this.#paintErased(col, count) - 1;
      else if (isCharacter(low[col]!) || hasLook(low[col]!, high[col]!)) this.#paintCharacter(row, col);
    }
  }

  /** Paints a run of cells that were erased with one background; returns the column behind it. */
  #paintErased(from: number, count: number): number {
    const { low } = this.#cells;
    let end = from + 1;
    while (end < count && low[end] === low[from]) end += 1;
    this.#moveTo(from);
    this.#pen.styleSequence(erasedSequence(low[from]!));
    // From the first column on, "erase to the end" would make xterm.js forget that the row continues the one above.
    this.#writer.csi(end === this.#cols && from > 0 ? "K" : `${end - from}X`);
    return end;
  }

  #paintCharacter(row: GridRow, col: number): void {
    const low = this.#cells.low[col]!;
    const high = this.#cells.high[col]!;
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
    if (isControl(code) && this.#col < this.#cols) this.#writer.csi(`${this.#col + 1}G`);
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
function isControl(code: number): boolean {
  return code < 0x20 || code === 0x7f;
}
