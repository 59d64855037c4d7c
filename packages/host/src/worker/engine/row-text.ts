import { cellContent, cellIsErased, cellWidth, type GridRow, type GridRows, WIDTH } from "./terminal-state.ts";

const BLANK = 0x20;

/**
 * Text of a row up to its last cell with content; cells without a character read as blanks. A wrapped row keeps its
 * blanks up to the last column: they stand inside the line that goes on below.
 */
function rowText(row: GridRow, cols: number): string {
  const blanks = row.wrapped ? " ".repeat(Math.max(0, cols - row.length)) : "";
  const plain = row.plainBytes;
  if (plain !== undefined) return Buffer.from(plain).toString("latin1").replaceAll("\0", " ") + blanks;
  const cells = row.cells();
  let text = "";
  for (let col = 0; col < cells.count; col += 1) {
    const low = cells.low(col);
    const width = cellWidth(cells.high(col));
    if (width === WIDTH.tail || width === WIDTH.head) continue;
    const codepoint = cellIsErased(low) ? 0 : cellContent(low);
    text += codepoint === 0 ? " " : String.fromCodePoint(codepoint) + row.graphemes(col);
  }
  return text + blanks;
}

/** Takes blanks off the end, and blanks only. */
function trimEnd(text: string): string {
  let end = text.length;
  while (end > 0 && text.charCodeAt(end - 1) === BLANK) end -= 1;
  return text.slice(0, end);
}

/** One string for each row of the grid in view. */
export function visibleText(grid: GridRows, cols: number): string[] {
  const lines: string[] = [];
  for (let index = grid.count - grid.visible; index < grid.count; index += 1) {
    lines.push(trimEnd(rowText(grid.row(index), cols)));
  }
  return lines;
}

/** The newest rows, without the blank ones below the last text. */
export function recentRows(grid: GridRows, cols: number, count: number): string[] {
  const lines: string[] = [];
  for (let index = grid.count - 1; index >= 0 && lines.length < count; index -= 1) {
    const text = trimEnd(rowText(grid.row(index), cols));
    if (text !== "" || lines.length > 0) lines.push(text);
  }
  return lines.reverse();
}

/** The newest lines as the program wrote them: rows that it filled to the last column are joined with the next one. */
export function recentUnwrapped(grid: GridRows, cols: number, count: number): string[] {
  const lines: string[] = [];
  let below = "";
  for (let index = grid.count - 1; index >= 0 && lines.length < count; index -= 1) {
    const row = grid.row(index);
    const text = rowText(row, cols) + below;
    if (index > 0 && row.continuation && grid.row(index - 1).wrapped) {
      below = text;
      continue;
    }
    below = "";
    const trimmed = trimEnd(text);
    if (trimmed !== "" || lines.length > 0) lines.push(trimmed);
  }
  return lines.reverse();
}
