import { hasMode, MODES } from "../engine/mode-registry.ts";
import type { CursorState } from "../engine/terminal-engine.ts";
import type { GridRow, GridRows, RowCells, TerminalState } from "../engine/terminal-state.ts";
import { cellContent, cellIsErased, cellLink, cellStyle, cellWidth, WIDTH } from "../engine/terminal-state.ts";
import { colorSettings } from "./color-settings.ts";
import { linkBody } from "./link-sequence.ts";
import { osc } from "./osc.ts";
import { PLAIN, StyleSequences } from "./style-sequence.ts";

/** Columns of the screen. */
export interface ColumnRange {
  readonly left: number;
  readonly cols: number;
}

const BLANK = " ";
const DELETE = 0x7f;
/** From here on C1 controls end and characters begin again. */
const FIRST_BEYOND_CONTROLS = 0xa0;
/** Below it a character takes one column on every terminal, and joins no other. */
const FIRST_UNCERTAIN = 0x300;

/** What the state does not tell; an engine is one. */
export interface LookFacts {
  readonly cursor: CursorState;
  readonly hasColors: boolean;
}

/** How the screen in view looks at one moment, for pictures of parts of it. Of no use once the engine has changed. */
export class ScreenLook {
  readonly cols: number;
  readonly rows: number;
  readonly cursor: CursorState;
  readonly isReverse: boolean;
  /** Colours that the program gave its terminal, as `colorSettings` names them. */
  readonly colors: ReadonlyMap<string, string>;
  /** It ever gave it one. */
  readonly hasColors: boolean;
  readonly #grid: GridRows;
  readonly #sequences = new StyleSequences();

  constructor({ header, primary, alternate }: Omit<TerminalState, "pending">, facts: LookFacts) {
    this.cols = header.cols;
    this.rows = header.rows;
    this.cursor = facts.cursor;
    this.hasColors = facts.hasColors;
    this.isReverse = hasMode(header.modes, MODES.reverseColors);
    this.colors = new Map(colorSettings(header));
    this.#grid = (header.alternateActive ? alternate : undefined)?.grid ?? primary.grid;
  }

  /**
   * Paints part of a row from where the cursor stands, over whatever was there, up to `range.cols` columns. Expects and
   * leaves plain attributes without a link, and a terminal that does not wrap.
   */
  row(index: number, range: ColumnRange): string {
    const { count, visible } = this.#grid;
    const row = this.#grid.row(count - visible + index);
    const cells = row.cells();
    const end = Math.min(range.left + range.cols, cells.count);
    let text = "";
    let style = PLAIN;
    let link = 0;
    for (let col = range.left; col < end; col += 1) {
      const wanted = this.#styleAt(row, cells, col);
      text += wanted === style ? "" : wanted;
      style = wanted;
      const linked = cellLink(cells.high(col));
      text += linked === link ? "" : osc(linkBody(linked === 0 ? undefined : row.hyperlink(linked)));
      link = linked;
      const content = contentAt(row, cells, { col, from: range.left, end: range.left + range.cols });
      text += content.isUncertain ? placed(content, col - range.left + 1) : content.text;
      col += content.width - 1;
    }
    const rest = end < range.left + range.cols ? "\x1b[K" : "";
    return text + (link === 0 ? "" : osc(linkBody(undefined))) + (style === PLAIN ? "" : PLAIN) + rest;
  }

  #styleAt(row: GridRow, cells: RowCells, col: number): string {
    const low = cells.low(col);
    const id = cellStyle(low, cells.high(col));
    if (cellIsErased(low)) {
      return this.#sequences.ofBlank(low);
    }
    return id === 0 ? PLAIN : this.#sequences.of(row.style(id));
  }
}

interface CellContent {
  readonly text: string;
  readonly width: 1 | 2;
  readonly isUncertain: boolean;
}

const NOTHING: CellContent = { text: BLANK, width: 1, isUncertain: false };

/**
 * Terminals differ in the width of such characters. What comes next must not, nor may something old show where one takes
 * less than the program thinks.
 */
function placed({ text, width }: CellContent, column: number): string {
  const blank = width === 2 ? `  \x1b[${column}G` : "";
  return `${blank}${text}\x1b[${column + width}G`;
}

/** Half a wide character at an edge is a blank. */
function contentAt(row: GridRow, cells: RowCells, at: { col: number; from: number; end: number }): CellContent {
  const low = cells.low(at.col);
  const code = cellContent(low);
  const width = cellWidth(cells.high(at.col));
  if (cellIsErased(low) || isControl(code) || width === WIDTH.tail || width === WIDTH.head) {
    return NOTHING;
  }
  if (width === WIDTH.narrow && code < FIRST_UNCERTAIN && !row.hasGraphemes) {
    return { text: String.fromCharCode(code), width: 1, isUncertain: false };
  }
  if (width === WIDTH.wide && at.col + 1 >= at.end) {
    return NOTHING;
  }
  const text = String.fromCodePoint(code) + row.graphemes(at.col);
  return { text, width: width === WIDTH.wide ? 2 : 1, isUncertain: true };
}

/** Also true for a cell without a character. */
function isControl(code: number): boolean {
  return code < 0x20 || (code >= DELETE && code < FIRST_BEYOND_CONTROLS);
}
