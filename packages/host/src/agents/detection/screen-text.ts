import type { ComposerRule, DetectionRegion, GatePlace } from "./manifest.ts";
import type { MatchBudget, Pattern } from "./pattern.ts";

export interface ScreenSources {
  /** Rows of the visible grid. */
  readonly lines: readonly string[];
  readonly title?: string;
  readonly progress?: string;
}

export interface TextRow {
  /** Row of the grid, to tell rows that follow each other from those with a blank one between. */
  readonly at: number;
  readonly text: string;
}

/** Columns that are looked at: more than any terminal shows. */
const MOST_COLUMNS = 1_024;
const MOST_ROWS = 256;
/** Vertical frames and scroll bars. */
const VERTICALS = "│┃║╎┆▌▐█";

/** What is on a terminal's screen, by the regions that rules name. */
export class ScreenText {
  readonly #sources: ScreenSources;
  /** Also those without text. */
  readonly #grid: readonly TextRow[];
  readonly #rows: readonly TextRow[];
  readonly #composerAt: number | undefined;

  constructor(sources: ScreenSources, composer: ComposerRule | undefined, budget: MatchBudget) {
    this.#sources = sources;
    this.#grid = sources.lines
      .slice(-MOST_ROWS)
      .map((line, at) => ({ at, text: withoutFrame(line.slice(0, MOST_COLUMNS)) }));
    this.#rows = this.#grid.filter(({ text }) => hasText(text));
    this.#composerAt = composer && this.#findComposer(composer, budget);
  }

  rows({ region, lines }: GatePlace): readonly TextRow[] {
    const rows = this.#rows;
    const composer = this.#composerAt;
    switch (region) {
      case "screen":
        return rows;
      case "head":
        return rows.slice(0, lines);
      case "tail":
      case "last_lines":
      case "last_line":
        return rows.slice(-lines);
      case "composer":
        return composer === undefined ? [] : rows.slice(composer, composer + lines);
      case "above_composer":
        return composer === undefined ? [] : rows.slice(Math.max(0, composer - lines), composer);
      case "below_composer":
        return composer === undefined ? [] : rows.slice(composer + 1, composer + 1 + lines);
      case "title":
        return rowOf(this.#sources.title);
      case "progress":
        return rowOf(this.#sources.progress);
    }
  }

  /** The region's text without frames, white space as single blanks: words that were broken over rows stand together. */
  flow(place: GatePlace): string {
    return flowOf(this.rows(place));
  }

  /** The last row of the grid above `before` that is like this, frames included. */
  lastRowLike(pattern: Pattern, before: number, budget: MatchBudget): number | undefined {
    return this.#grid.findLast(({ at, text }) => at < before && pattern.match(text, budget) !== undefined)?.at;
  }

  preview(region: DetectionRegion, lines: number): string {
    return this.rows({ region, lines })
      .map(({ text }) => text)
      .join("\n");
  }

  #findComposer({ pattern, within }: ComposerRule, budget: MatchBudget): number | undefined {
    const first = Math.max(0, this.#rows.length - within);
    for (let at = this.#rows.length - 1; at >= first; at -= 1) {
      if (pattern.match(this.#rows[at]?.text ?? "", budget) !== undefined) {
        return at;
      }
    }
    return undefined;
  }
}

export function flowOf(rows: readonly TextRow[]): string {
  return rows
    .map(({ text }) => text)
    .join(" ")
    .replace(/[\s─-▟]+/g, " ")
    .trim();
}

function rowOf(text: string | undefined): readonly TextRow[] {
  const trimmed = text?.slice(0, MOST_COLUMNS).trim() ?? "";
  return trimmed === "" ? [] : [{ at: 0, text: trimmed }];
}

/** Takes the vertical lines of boxes away from both ends, and blanks behind the text. */
function withoutFrame(line: string): string {
  let start = 0;
  for (let at = 0; at < line.length && (isBlank(line[at]) || isVertical(line[at])); at += 1) {
    if (isVertical(line[at])) {
      // One blank belongs to the frame.
      start = at + (isBlank(line[at + 1]) ? 2 : 1);
    }
  }
  let end = line.length;
  while (end > start && (isBlank(line[end - 1]) || isVertical(line[end - 1]))) {
    end -= 1;
  }
  return line.slice(start, end);
}

/** False for blanks, frames and pictures made of blocks. */
function hasText(text: string): boolean {
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (!isBlank(text[at]) && (code < 0x2500 || code > 0x259f)) {
      return true;
    }
  }
  return false;
}

function isBlank(character: string | undefined): boolean {
  return character === " " || character === "\u00a0" || character === "\t";
}

function isVertical(character: string | undefined): boolean {
  return character !== undefined && VERTICALS.includes(character);
}
