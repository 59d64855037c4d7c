/** Draws the screen of a terminal as SVG: text stays text, colours are those of the cells. */

import type { IBufferCell, Terminal } from "@xterm/headless";

const CELL = { width: 8.4, height: 18 } as const;
const PADDING = 14;
const TITLE_BAR = 26;
const FONT = "ui-monospace, SFMono-Regular, Menlo, Consolas, 'DejaVu Sans Mono', monospace";

const FOREGROUND = "#d8dee9";
const BACKGROUND = "#1e222a";
/** The eight colours and their bright ones. */
const PALETTE = (
  "#3b4252 #e06c75 #98c379 #e5c07b #61afef #c678dd #56b6c2 #c8ccd4 " +
  "#7f8896 #ff7b86 #b5e890 #ffd78a #7cc4ff #e08ff5 #6fd3df #ffffff"
).split(" ");
const CUBE = [0, 95, 135, 175, 215, 255];

const hex = (value: number): string => `#${value.toString(16).padStart(6, "0")}`;

function paletteColour(index: number): string {
  const basic = PALETTE[index];
  if (basic !== undefined) return basic;
  if (index >= 232) return hex((8 + (index - 232) * 10) * 0x01_01_01);
  const [red, green, blue] = [Math.floor((index - 16) / 36), Math.floor((index - 16) / 6) % 6, (index - 16) % 6];
  return hex((CUBE[red] ?? 0) * 0x1_00_00 + (CUBE[green] ?? 0) * 0x1_00 + (CUBE[blue] ?? 0));
}

function foregroundOf(cell: IBufferCell): string {
  if (cell.isFgPalette()) return paletteColour(cell.getFgColor());
  return cell.isFgRGB() ? hex(cell.getFgColor()) : FOREGROUND;
}

function backgroundOf(cell: IBufferCell): string {
  if (cell.isBgPalette()) return paletteColour(cell.getBgColor());
  return cell.isBgRGB() ? hex(cell.getBgColor()) : BACKGROUND;
}

interface Run {
  readonly column: number;
  text: string;
  columns: number;
  readonly style: string;
  readonly background: string;
}

function describeCell(cell: IBufferCell): { style: string; background: string } {
  const isInverse = cell.isInverse() !== 0;
  const [front, back] = [foregroundOf(cell), backgroundOf(cell)];
  const weight = cell.isBold() !== 0 ? ' font-weight="bold"' : "";
  const line = cell.isUnderline() !== 0 ? ' text-decoration="underline"' : "";
  const opacity = cell.isDim() !== 0 ? ' opacity="0.65"' : "";
  return {
    style: `fill="${isInverse ? back : front}"${weight}${line}${opacity}`,
    background: isInverse ? front : back,
  };
}

/** Neighbouring cells that look the same become one piece of text. */
function collectRuns(terminal: Terminal, row: number): Run[] {
  const line = terminal.buffer.active.getLine(terminal.buffer.active.viewportY + row);
  const runs: Run[] = [];
  for (let column = 0; column < terminal.cols; column++) {
    const cell = line?.getCell(column);
    if (cell === undefined || cell.getWidth() === 0) continue;
    const { style, background } = describeCell(cell);
    const last = runs.at(-1);
    const text = cell.getChars() || " ";
    if (last?.style === style && last.background === background) {
      last.text += text;
      last.columns += cell.getWidth();
    } else {
      runs.push({ column, text, columns: cell.getWidth(), style, background });
    }
  }
  return runs;
}

const escape = (text: string): string => text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");

/** Each group of words stands where its first cell is, so that a font of another width moves nothing out of its column. */
function drawWords({ column, text, style }: Run, top: number): string {
  return [...text.matchAll(/\S+(?: \S+)*/g)]
    .map(({ 0: words, index }) => {
      const left = PADDING + (column + Bun.stringWidth(text.slice(0, index))) * CELL.width;
      const width = Bun.stringWidth(words) * CELL.width;
      const place = `x="${left.toFixed(1)}" y="${top + 13}" textLength="${width.toFixed(1)}"`;
      return `<text ${place} lengthAdjust="spacingAndGlyphs" ${style}>${escape(words)}</text>`;
    })
    .join("");
}

function drawBackground({ column, columns, background }: Run, top: number): string {
  if (background === BACKGROUND) return "";
  const [left, width] = [PADDING + column * CELL.width, columns * CELL.width];
  return `<rect x="${left.toFixed(1)}" y="${top}" width="${width.toFixed(1)}" height="${CELL.height}" fill="${background}"/>`;
}

function drawRow(terminal: Terminal, row: number): string {
  const top = TITLE_BAR + PADDING + row * CELL.height;
  return collectRuns(terminal, row)
    .map((run) => drawBackground(run, top) + drawWords(run, top))
    .join("");
}

export function drawScreen(terminal: Terminal, title: string): string {
  const width = Math.ceil(terminal.cols * CELL.width + 2 * PADDING);
  const height = terminal.rows * CELL.height + 2 * PADDING + TITLE_BAR;
  const rows = Array.from({ length: terminal.rows }, (_, row) => drawRow(terminal, row)).filter((text) => text !== "");
  const dots = ["#e06c75", "#e5c07b", "#98c379"].map(
    (fill, index) => `<circle cx="${18 + index * 18}" cy="14" r="5" fill="${fill}"/>`,
  );
  return `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" viewBox="0 0 ${width} ${height}">
<rect width="${width}" height="${height}" rx="8" fill="${BACKGROUND}"/>
${dots.join("")}
<text x="${width / 2}" y="18" text-anchor="middle" font-family="${FONT}" font-size="12" fill="#8a93a2">${escape(title)}</text>
<g font-family="${FONT}" font-size="14" xml:space="preserve">
${rows.join("\n")}
</g>
</svg>
`;
}
