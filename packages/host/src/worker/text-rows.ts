const ONLY_ASCII = /^[\x20-\x7e]*$/;
/** Control characters that a program left in its cells. */
const CONTROLS = /[\p{Cc}]/gu;

/** Breaks lines into rows of at most `cols` columns, whatever the width of their characters. */
export function breakIntoRows(lines: readonly string[], cols: number): string[] {
  return lines.flatMap((line) => breakLine(line.replaceAll(CONTROLS, " "), cols));
}

function breakLine(line: string, cols: number): string[] {
  const rows: string[] = [];
  if (ONLY_ASCII.test(line)) {
    for (let at = 0; at === 0 || at < line.length; at += cols) {
      rows.push(line.slice(at, at + cols));
    }
    return rows;
  }
  let row = "";
  let width = 0;
  for (const character of line) {
    const own = Bun.stringWidth(character);
    if (width + own > cols && row !== "") {
      rows.push(row);
      row = "";
      width = 0;
    }
    row += character;
    width += own;
  }
  return [...rows, row];
}
