import {
  type CharsetState,
  cellContent,
  cellIsErased,
  cellIsProtected,
  cellKind,
  cellLink,
  cellSemantic,
  cellStyle,
  cellWidth,
  type GridRow,
  type Hyperlink,
  type RowCells,
  type ScreenState,
  type Style,
  type TerminalState,
  WIDTH,
} from "../../../packages/host/src/worker/engine/terminal-state.ts";

/** A terminal's whole state as flat text facts by name, so that two can be compared and a difference be read. */
export type TerminalDump = Map<string, string>;

/** Facts that mean the same are written the same: an empty alternate screen and none, ASCII and UTF-8, and so on. */
export function dumpTerminal(state: TerminalState, historyRows: number): TerminalDump {
  const dump: TerminalDump = new Map();
  const { header } = state;
  for (const [name, value] of Object.entries(header)) {
    if (name === "hasAlternate") continue;
    dump.set(`header.${name}`, text(value instanceof Map ? [...value] : value));
  }
  dump.set("pending", Buffer.from(state.pending).toString("latin1"));
  const { primary, alternate } = state;
  dumpScreen(dump, { name: "primary", screen: primary, isActive: !header.alternateActive, historyRows });
  if (alternate !== undefined) {
    dumpScreen(dump, { name: "alternate", screen: alternate, isActive: header.alternateActive, historyRows: 0 });
  }
  return dump;
}

/** Lines that name what differs. */
export function differences(expected: TerminalDump, actual: TerminalDump): string[] {
  const names = new Set([...expected.keys(), ...actual.keys()]);
  return [...names]
    .filter((name) => (expected.get(name) ?? "") !== (actual.get(name) ?? ""))
    .map((name) => `${name}: expected ${expected.get(name) ?? "-"} got ${actual.get(name) ?? "-"}`);
}

const text = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) => (typeof part === "bigint" ? part.toString(2) : part)) ?? "undefined";

interface ScreenView {
  readonly name: string;
  readonly screen: ScreenState;
  readonly isActive: boolean;
  readonly historyRows: number;
}

function dumpScreen(dump: TerminalDump, { name, screen, isActive, historyRows }: ScreenView): void {
  const set = (fact: string, value: unknown): void => void dump.set(`${name}.${fact}`, text(value));
  if (isActive) {
    // The cursor of the screen that is out of view is overwritten when the screen comes back.
    set("position", [screen.row, screen.col, screen.pendingWrap]);
    set("style", styleText(screen.style));
    set("charset", charsetText(screen.charset));
    set("protected", screen.isProtected);
    set("shape", screen.cursorShape);
    set("semantic", screen.semantic);
  }
  if (screen.protectedMode === "iso") set("protectedMode", "iso");
  if (screen.kittyFlags.some((flags) => flags > 0) || screen.kittyIndex > 0) {
    set("kitty", [screen.kittyIndex, screen.kittyFlags]);
  }
  const saved = screen.savedCursor;
  if (saved !== undefined) {
    const facts = [saved.row, saved.col, saved.pendingWrap, saved.originMode, saved.isProtected];
    const line = text([facts, styleText(saved.style), charsetText(saved.charset)]);
    if (line !== UNSAVED) set("saved", line);
  }
  dumpRows(dump, name, { screen, historyRows });
  if (isActive) set("hyperlink", linkText(screen.hyperlink));
}

interface RowsView {
  readonly screen: ScreenState;
  readonly historyRows: number;
}

function dumpRows(dump: TerminalDump, name: string, { screen, historyRows }: RowsView): void {
  const { grid } = screen;
  const first = Math.max(0, grid.count - grid.visible - historyRows);
  for (let index = first; index < grid.count; index += 1) {
    const row = grid.row(index);
    const place = `${name}.row${index - (grid.count - grid.visible)}`;
    // Prompt marks are of no use on the alternate screen, nor is it known whether the first row goes on from one above.
    const prompt = name === "primary" ? row.prompt || "" : "";
    const flags = `${row.wrapped ? "W" : ""}${row.continuation && index > first ? "C" : ""}${prompt}`;
    if (flags !== "") dump.set(`${place}.flags`, flags);
    const cells = row.cells();
    for (let col = 0; col < cells.count; col += 1) {
      const cell = cellText(row, cells, col);
      if (cell !== "") dump.set(`${place}.col${col}`, cell);
    }
  }
}

function cellText(row: GridRow, cells: RowCells, col: number): string {
  const low = cells.low(col);
  const high = cells.high(col);
  if (low === 0 && high === 0) return "";
  // The unused last column before a wide character that has gone.
  if (cellWidth(high) === WIDTH.head && !row.wrapped) return "";
  const content = cellContent(low);
  if (cellIsErased(low)) return `erased ${cellKind(low)}:${content}`;
  const link = cellLink(high);
  return [
    content === 0 ? "blank" : String.fromCodePoint(content) + row.graphemes(col),
    `w${cellWidth(high)}`,
    styleText(row.style(cellStyle(low, high))),
    cellIsProtected(high) ? "protected" : "",
    `s${cellSemantic(high)}`,
    link === 0 ? "" : linkText(row.hyperlink(link)),
  ].join(" ");
}

/** A link that the program did not name goes by the name that a repaint gives it. */
function linkText(link: Hyperlink | undefined): string {
  return link === undefined ? "" : `link ${link.id ?? `pohunek-${link.key.slice(1)}`} ${link.uri}`;
}

function styleText(style: Style): string {
  return [
    style.flags,
    ...[style.foreground, style.background, style.underlineColor].map((color) => Object.values(color).join(".")),
  ].join("/");
}

/** Without GR, which has no effect in UTF-8. */
function charsetText({ gl, singleShift, ...charset }: CharsetState): string {
  return text({ gl, singleShift, sets: charset.sets.map((set) => (set === 0 ? 1 : set)) });
}

const UNSAVED = text([
  [0, 0, false, false, false],
  "0/default/default/default",
  text({ gl: 0, singleShift: undefined, sets: [1, 1, 1, 1] }),
]);
