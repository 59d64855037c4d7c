import type { Colour, Paint } from "./colour.ts";
import { cutEnd, cutMiddle, padTo, textWidth } from "./text-width.ts";

export interface Column {
  readonly title: string;
  /** Never narrower than this when the table has to shrink. */
  readonly minimum: number;
  /** Where text is cut; the middle suits paths. */
  readonly cut?: "end" | "middle";
}

export interface Cell {
  readonly text: string;
  readonly colour?: Colour;
}

const GAP = 2;

/** Lays rows out under their titles, no line wider than `width`. The last column is not padded. */
export function layOutTable(
  columns: readonly Column[],
  rows: readonly (readonly Cell[])[],
  look: { width: number; paint: Paint },
): string[] {
  const widths = fitWidths(columns, rows, look.width);
  const head = columns.map((column): Cell => ({ text: column.title, colour: "dim" }));
  return [head, ...rows].map((row) => layOutRow(columns, row, { widths, paint: look.paint }));
}

function layOutRow(
  columns: readonly Column[],
  row: readonly Cell[],
  look: { widths: readonly number[]; paint: Paint },
): string {
  const cells = columns.map((column, index) => {
    const { text = "", colour } = row[index] ?? {};
    const width = look.widths[index] ?? 0;
    const cut = column.cut === "middle" ? cutMiddle(text, width) : cutEnd(text, width);
    // Padded outside the colour, so that nothing coloured stands in empty space.
    const padding = index === columns.length - 1 ? "" : padTo(cut, width).slice(cut.length);
    return (colour === undefined ? cut : look.paint(colour, cut)) + padding;
  });
  return cells.join(" ".repeat(GAP)).trimEnd();
}

/** Natural widths, then the widest column above its minimum gives a column at a time until the line fits. */
function fitWidths(columns: readonly Column[], rows: readonly (readonly Cell[])[], width: number): number[] {
  const widths = columns.map(({ title }) => title.length);
  for (const row of rows) {
    for (const [index, cell] of row.entries()) {
      const cellWidth = textWidth(cell.text);
      if (cellWidth > (widths[index] ?? 0)) widths[index] = cellWidth;
    }
  }
  let excess = GAP * (columns.length - 1) - width;
  for (const one of widths) excess += one;
  while (excess > 0) {
    const slack = widths.map((one, index) => one - (columns[index]?.minimum ?? 0));
    const most = Math.max(...slack);
    if (most <= 0) break;
    const index = slack.indexOf(most);
    widths[index] = (widths[index] ?? 0) - 1;
    excess -= 1;
  }
  return widths;
}
