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
  type RowCells,
  WIDTH,
} from "../engine/terminal-state.ts";
import type { ClusterMode } from "./cluster-mode.ts";
import type { Pen } from "./pen.ts";
import { BLANK, copyAlike, DELETE } from "./run-copier.ts";
import { blankStyle } from "./style-sequence.ts";
import type { VtWriter } from "./vt-writer.ts";

/** Characters below need no look at clusters. */
const FIRST_CLUSTER_CODE = 0x300;
/** High words below are nothing but the rest of a style id: a narrow cell, not protected, without link or mark. */
const FIRST_LOOK = 0x400;

export interface Brushes {
  readonly writer: VtWriter;
  readonly pen: Pen;
  readonly clusters: ClusterMode;
  readonly cols: number;
}

/** Paints the cells of a row from the viewer's cursor on, which stands in that row. */
export class CellPainter {
  readonly #writer: VtWriter;
  readonly #pen: Pen;
  readonly #clusters: ClusterMode;
  readonly #cols: number;
  /** Column of the viewer's cursor; `#cols` when the next character wraps. */
  col = 0;

  constructor(brushes: Brushes) {
    this.#writer = brushes.writer;
    this.#pen = brushes.pen;
    this.#clusters = brushes.clusters;
    this.#cols = brushes.cols;
  }

  /** Prints the one cell at `col`, where the viewer's cursor stands. */
  paintCell(row: GridRow, col: number): void {
    this.col = col;
    this.#clusters.after(row.graphemes(col - 1) || row.graphemes(col - 2));
    this.paintCharacter(row, row.cells(), col);
    this.#clusters.restore();
  }

  moveTo(col: number): void {
    if (col > this.col) this.#writer.csi(col - this.col === 1 ? "C" : `${col - this.col}C`);
    this.col = col;
  }

  /** Bytes are copied where the row is nothing but text: an attach is often the first thing a worker paints, on cold code. */
  paintRow(row: GridRow, from: number): void {
    const plain = row.plainBytes;
    if (plain === undefined || !isPlain(plain)) this.#paintCells(row, from);
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
      this.moveTo(start);
      this.#writer.plain(plain.subarray(start, end));
      this.col = end;
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
        this.moveTo(col);
        this.#pen.bare(row.style((low >>> 26) | (high << 6)), row.prompt);
      } else {
        if (code !== 0 || hasLook(low, high)) this.paintCharacter(row, cells, col);
        if (isControl(low) && this.col < this.#cols) this.#writer.csi(`${this.col + 1}G`);
        col = this.col > col ? this.col : col + 1;
        if (!isSimple || this.col !== col || col >= count) continue;
      }
      this.col = copyAlike(this.#writer, cells, { from: col, count, low, high });
      col = this.col;
    }
  }

  /** Paints a run of cells that were erased with one background; returns the column behind it. */
  #paintErased(cells: RowCells, from: number, count: number): number {
    const low = cells.low(from);
    let end = from + 1;
    while (end < count && cells.low(end) === low) end += 1;
    this.moveTo(from);
    this.#pen.style(blankStyle(low));
    // From the first column on, "erase to the end" would make xterm.js forget that the row continues the one above.
    this.#writer.csi(end === this.#cols && from > 0 ? "K" : `${end - from}X`);
    return end;
  }

  paintCharacter(row: GridRow, cells: RowCells, col: number): void {
    const low = cells.low(col);
    const high = cells.high(col);
    const link = cellLink(high);
    this.moveTo(col);
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
    this.col = col + (isWide ? 2 : 1);
  }

  #paintCluster(code: number, graphemes: string, isWide: boolean): void {
    this.#clusters.prepare(code, graphemes, isWide);
    this.#writer.codepoint(code);
    for (const part of graphemes) this.#writer.codepoint(part.codePointAt(0) ?? 0);
  }
}

/** True for nothing but printable ASCII and blank cells. */
function isPlain(bytes: Uint8Array): boolean {
  for (let at = 0; at < bytes.length; at += 1) {
    const byte = bytes[at]!;
    if ((byte < BLANK || byte >= DELETE) && byte !== 0) return false;
  }
  return true;
}

/** True for a cell with a character of its own. */
export function isCharacter(low: number): boolean {
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
