import type { ByteReader } from "./byte-reader.ts";
import { DEFAULT_STYLE, parseStyle, readHyperlink, STYLE_BYTES } from "./snapshot-style.ts";
import { cellStyle, type GridRow, type GridRows, type Hyperlink, RowCells, type Style } from "./terminal-state.ts";

const ROW_HEADER_BYTES = 3;
const STYLE_ENTRY_BYTES = 2 + STYLE_BYTES;
const NO_LINK: Hyperlink = { key: "", id: undefined, uri: "" };

/** One PAGE record: a run of rows with the styles and links that they use. Only what is asked for is decoded. */
export class SnapshotPage {
  readonly cols: number;
  readonly rowCount: number;
  readonly #bytes: Uint8Array;
  /** By style id. */
  readonly #styleOffsets: number[] = [];
  readonly #styles: (Style | undefined)[] = [];
  readonly #links = new Map<number, Hyperlink>();
  readonly #graphemes = new Map<number, string>();
  readonly #rowsWithGraphemes = new Set<number>();
  readonly #rowOffsets: Uint32Array;

  constructor(reader: ByteReader) {
    this.#bytes = reader.bytes;
    this.cols = reader.u16();
    this.rowCount = reader.u16();
    const [styles, links] = [reader.u16(), reader.u16()];
    reader.skip(12); // capacities
    this.#findStyles(reader, styles);
    for (let index = 0; index < links; index += 1) this.#links.set(reader.u16(), readHyperlink(reader) ?? NO_LINK);
    this.#rowOffsets = this.#findRows(reader);
    this.#readGraphemes(reader);
  }

  style(id: number): Style {
    const known = this.#styles[id];
    if (known !== undefined) return known;
    const offset = this.#styleOffsets[id];
    const style = offset === undefined ? DEFAULT_STYLE : parseStyle(this.#bytes, offset);
    this.#styles[id] = style;
    return style;
  }

  hyperlink(id: number): Hyperlink {
    return this.#links.get(id) ?? NO_LINK;
  }

  graphemes(row: number, col: number): string {
    return this.#graphemes.get(row * 0x10000 + col) ?? "";
  }

  hasGraphemes(row: number): boolean {
    return this.#rowsWithGraphemes.has(row);
  }

  rowFlags(row: number): number {
    return this.#bytes[this.#rowOffsets[row]!]!;
  }

  rowLength(row: number): number {
    const offset = this.#rowOffsets[row]!;
    return this.#bytes[offset + 1]! | (this.#bytes[offset + 2]! << 8);
  }

  /** Cells come in 1, 2, 4 or 8 bytes each, as narrow as the row allows; these are the bytes. */
  rowBytes(row: number): Uint8Array {
    const start = this.#rowOffsets[row]! + ROW_HEADER_BYTES;
    return this.#bytes.subarray(start, start + (this.rowLength(row) << rowWidth(this.rowFlags(row))));
  }

  /** Equal for equal looks of the rows from `first` on; which style the next character will have does not count. */
  fingerprintFrom(first: number): string {
    const rows = Bun.hash(this.#bytes.subarray(this.#rowOffsets[first] ?? this.#bytes.length));
    const styles = [...this.#usedStyles(first)].map((id) => [id, this.style(id)]);
    return JSON.stringify([String(rows), styles, [...this.#links]]);
  }

  #usedStyles(first: number): Set<number> {
    const used = new Set<number>();
    const scratch = new CellScratch(this.cols);
    for (let row = first; row < this.rowCount; row += 1) {
      const width = rowWidth(this.rowFlags(row));
      if (width < 2) continue;
      const cells = scratch.spread(this.rowBytes(row), width);
      let last = 0;
      for (let col = 0; col < cells.count; col += 1) {
        const id = cellStyle(cells.low(col), cells.high(col));
        if (id !== last) used.add(id);
        last = id;
      }
    }
    return used;
  }

  #findStyles(reader: ByteReader, count: number): void {
    const start = reader.offset;
    for (let offset = start; offset < start + count * STYLE_ENTRY_BYTES; offset += STYLE_ENTRY_BYTES) {
      this.#styleOffsets[this.#bytes[offset]! | (this.#bytes[offset + 1]! << 8)] = offset + 2;
    }
    reader.skip(count * STYLE_ENTRY_BYTES);
  }

  #findRows(reader: ByteReader): Uint32Array {
    const offsets = new Uint32Array(this.rowCount);
    const bytes = this.#bytes;
    let offset = reader.offset;
    for (let row = 0; row < this.rowCount; row += 1) {
      offsets[row] = offset;
      const count = bytes[offset + 1]! | (bytes[offset + 2]! << 8);
      offset += ROW_HEADER_BYTES + (count << rowWidth(bytes[offset]!));
    }
    reader.skip(offset - reader.offset);
    return offsets;
  }

  #readGraphemes(reader: ByteReader): void {
    // The engine has been seen to announce one entry more than there is.
    for (let left = reader.u32(); left > 0 && reader.remaining > 0; left -= 1) {
      const [row, col, count] = [reader.u16(), reader.u16(), reader.u16()];
      let text = "";
      for (let index = 0; index < count; index += 1) text += String.fromCodePoint(reader.u32());
      this.#graphemes.set(row * 0x10000 + col, text);
      this.#rowsWithGraphemes.add(row);
    }
  }
}

/** Logarithm of the bytes that a cell of the row takes. */
const rowWidth = (flags: number): number => (flags >> 4) & 3;

/** Spreads the cells of a row out as words; the same memory takes one row after the other. */
export class CellScratch {
  readonly #words: Uint32Array;
  readonly #bytes: Uint8Array;

  constructor(cols: number) {
    this.#words = new Uint32Array(cols * 2);
    this.#bytes = new Uint8Array(this.#words.buffer);
  }

  /** Valid until the next call. */
  spread(bytes: Uint8Array, width: number): RowCells {
    const words = this.#words;
    if (width >= 2) {
      // A copy, since the words are not aligned.
      this.#bytes.set(bytes);
      return new RowCells(words, width === 3 ? 2 : 1, bytes.length >> width);
    }
    const count = bytes.length >> width;
    for (let col = 0; col < count; col += 1) {
      words[col] = (width === 0 ? bytes[col]! : bytes[col * 2]! | (bytes[col * 2 + 1]! << 8)) << 2;
    }
    return new RowCells(words, 1, count);
  }
}

class SnapshotRow implements GridRow {
  readonly wrapped: boolean;
  readonly continuation: boolean;
  readonly prompt: number;
  readonly length: number;
  readonly hasGraphemes: boolean;
  readonly #page: SnapshotPage;
  readonly #index: number;
  readonly #width: number;
  readonly #scratch: CellScratch;

  constructor(page: SnapshotPage, index: number, scratch: CellScratch) {
    const flags = page.rowFlags(index);
    this.#scratch = scratch;
    this.#page = page;
    this.#index = index;
    this.#width = rowWidth(flags);
    this.wrapped = (flags & 1) !== 0;
    this.continuation = (flags & 2) !== 0;
    this.prompt = (flags >> 2) & 3;
    this.length = page.rowLength(index);
    this.hasGraphemes = page.hasGraphemes(index);
  }

  get plainBytes(): Uint8Array | undefined {
    return this.#width === 0 && !this.hasGraphemes ? this.#page.rowBytes(this.#index) : undefined;
  }

  cells(): RowCells {
    return this.#scratch.spread(this.#page.rowBytes(this.#index), this.#width);
  }

  graphemes(col: number): string {
    return this.hasGraphemes ? this.#page.graphemes(this.#index, col) : "";
  }

  style(id: number): Style {
    return this.#page.style(id);
  }

  hyperlink(id: number): Hyperlink {
    return this.#page.hyperlink(id);
  }
}

/** The pages of one screen as one run of rows. */
export class PageGrid implements GridRows {
  readonly count: number;
  readonly visible: number;
  readonly #pages: readonly SnapshotPage[];
  readonly #scratch: CellScratch;

  constructor(pages: readonly SnapshotPage[], visible: number) {
    this.#pages = pages;
    let cols = 0;
    let count = 0;
    for (const page of pages) {
      if (page.cols > cols) cols = page.cols;
      count += page.rowCount;
    }
    this.#scratch = new CellScratch(cols);
    this.count = count;
    this.visible = Math.min(visible, count);
  }

  row(index: number): GridRow {
    const { page, row } = this.#find(index);
    return new SnapshotRow(page, row, this.#scratch);
  }

  fingerprint(): string {
    const { page, row } = this.#find(this.count - this.visible);
    const later = this.#pages.slice(this.#pages.indexOf(page) + 1);
    return [page.fingerprintFrom(row), ...later.map((next) => next.fingerprintFrom(0))].join();
  }

  #find(index: number): { page: SnapshotPage; row: number } {
    let row = index;
    for (const page of this.#pages) {
      if (row >= 0 && row < page.rowCount) return { page, row };
      row -= page.rowCount;
    }
    throw new RangeError(`row ${index} of ${this.count}`);
  }
}
