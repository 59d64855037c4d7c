import type { ByteReader } from "./byte-reader.ts";
import { DEFAULT_STYLE, readHyperlink, readStyle } from "./snapshot-style.ts";
import { CellBuffer, cellStyle, type GridRow, type GridRows, type Hyperlink, type Style } from "./terminal-state.ts";

const ROW_HEADER_BYTES = 3;
const NO_LINK: Hyperlink = { key: "", id: undefined, uri: "" };

/** One PAGE record: a run of rows with the styles and links that they use. */
export class SnapshotPage {
  readonly rowCount: number;
  readonly #cols: number;
  readonly #bytes: Uint8Array;
  readonly #styles = new Map<number, Style>();
  readonly #links = new Map<number, Hyperlink>();
  readonly #graphemes = new Map<number, string>();
  readonly #rowsWithGraphemes = new Set<number>();
  readonly #rowOffsets: Uint32Array;

  constructor(reader: ByteReader) {
    this.#bytes = reader.bytes;
    this.#cols = reader.u16();
    this.rowCount = reader.u16();
    const [styles, links] = [reader.u16(), reader.u16()];
    reader.skip(12); // capacities
    for (let index = 0; index < styles; index += 1) this.#styles.set(reader.u16(), readStyle(reader));
    for (let index = 0; index < links; index += 1) this.#links.set(reader.u16(), readHyperlink(reader) ?? NO_LINK);
    this.#rowOffsets = this.#findRows(reader);
    this.#readGraphemes(reader);
  }

  row(index: number): GridRow {
    return new SnapshotRow(this, index);
  }

  style(id: number): Style {
    return this.#styles.get(id) ?? DEFAULT_STYLE;
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
    return this.#bytes[this.#rowOffsets[row] ?? 0] ?? 0;
  }

  rowLength(row: number): number {
    const offset = this.#rowOffsets[row] ?? 0;
    return (this.#bytes[offset + 1] ?? 0) | ((this.#bytes[offset + 2] ?? 0) << 8);
  }

  /** Cells come in 1, 2, 4 or 8 bytes each, as narrow as the row allows. */
  readCells(row: number, cells: CellBuffer): number {
    const bytes = this.#bytes;
    let offset = this.#rowOffsets[row] ?? 0;
    const width = ((bytes[offset] ?? 0) >> 4) & 3;
    const count = Math.min((bytes[offset + 1] ?? 0) | ((bytes[offset + 2] ?? 0) << 8), cells.low.length);
    offset += ROW_HEADER_BYTES;
    const { low, high } = cells;
    if (width === 3) {
      for (let col = 0; col < count; col += 1, offset += 8) {
        low[col] = u32(bytes, offset);
        high[col] = u32(bytes, offset + 4);
      }
      return count;
    }
    high.fill(0, 0, count);
    if (width === 2) for (let col = 0; col < count; col += 1, offset += 4) low[col] = u32(bytes, offset);
    else if (width === 1) {
      for (let col = 0; col < count; col += 1, offset += 2)
        low[col] = (bytes[offset]! | (bytes[offset + 1]! << 8)) << 2;
    } else for (let col = 0; col < count; col += 1, offset += 1) low[col] = bytes[offset]! << 2;
    return count;
  }

  /** Equal for equal looks of the rows from `first` on; which style the next character will have does not count. */
  fingerprintFrom(first: number): string {
    const rows = Bun.hash(this.#bytes.subarray(this.#rowOffsets[first] ?? this.#bytes.length));
    const styles = [...this.#usedStyles(first)].map((id) => [id, this.style(id)]);
    return JSON.stringify([String(rows), styles, [...this.#links]]);
  }

  #usedStyles(first: number): Set<number> {
    const used = new Set<number>();
    const cells = new CellBuffer(this.#cols);
    let last = 0;
    for (let row = first; row < this.rowCount; row += 1) {
      const count = this.readCells(row, cells);
      for (let col = 0; col < count; col += 1) {
        const id = cellStyle(cells.low[col]!, cells.high[col]!);
        if (id !== last) used.add(id);
        last = id;
      }
    }
    return used;
  }

  #findRows(reader: ByteReader): Uint32Array {
    const offsets = new Uint32Array(this.rowCount);
    for (let row = 0; row < this.rowCount; row += 1) {
      offsets[row] = reader.offset;
      const width = (reader.u8() >> 4) & 3;
      const count = reader.u16();
      reader.skip(count << width);
    }
    return offsets;
  }

  #readGraphemes(reader: ByteReader): void {
    for (let left = reader.u32(); left > 0; left -= 1) {
      const [row, col, count] = [reader.u16(), reader.u16(), reader.u16()];
      let text = "";
      for (let index = 0; index < count; index += 1) text += String.fromCodePoint(reader.u32());
      this.#graphemes.set(row * 0x10000 + col, text);
      this.#rowsWithGraphemes.add(row);
    }
  }
}

function u32(bytes: Uint8Array, offset: number): number {
  return bytes[offset]! | (bytes[offset + 1]! << 8) | (bytes[offset + 2]! << 16) | (bytes[offset + 3]! << 24);
}

class SnapshotRow implements GridRow {
  readonly #page: SnapshotPage;
  readonly #index: number;
  readonly #flags: number;

  constructor(page: SnapshotPage, index: number) {
    this.#page = page;
    this.#index = index;
    this.#flags = page.rowFlags(index);
  }

  get wrapped(): boolean {
    return (this.#flags & 1) !== 0;
  }

  get continuation(): boolean {
    return (this.#flags & 2) !== 0;
  }

  get length(): number {
    return this.#page.rowLength(this.#index);
  }

  get prompt(): number {
    return (this.#flags >> 2) & 3;
  }

  read(cells: CellBuffer): number {
    return this.#page.readCells(this.#index, cells);
  }

  get hasGraphemes(): boolean {
    return this.#page.hasGraphemes(this.#index);
  }

  graphemes(col: number): string {
    return this.#page.graphemes(this.#index, col);
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
  readonly #rows: { readonly page: SnapshotPage; readonly index: number }[] = [];

  constructor(pages: readonly SnapshotPage[], visible: number) {
    for (const page of pages) for (let index = 0; index < page.rowCount; index += 1) this.#rows.push({ page, index });
    this.count = this.#rows.length;
    this.visible = Math.min(visible, this.count);
  }

  fingerprint(): string {
    const prints: string[] = [];
    for (let index = this.count - this.visible; index < this.count; ) {
      const row = this.#rows[index];
      if (row === undefined) break;
      prints.push(row.page.fingerprintFrom(row.index));
      index += row.page.rowCount - row.index;
    }
    return prints.join();
  }

  row(index: number): GridRow {
    const found = this.#rows[index];
    if (found === undefined) throw new RangeError(`row ${index} of ${this.count}`);
    return found.page.row(found.index);
  }
}
