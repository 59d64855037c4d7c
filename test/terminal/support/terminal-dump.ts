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
  type ScreenState,
  type Style,
  type TerminalState,
  WIDTH,
} from "../../../packages/host/src/worker/engine/terminal-state.ts";

/** A terminal's whole state as flat text facts by name, so that two can be compared and a difference be read. */
export interface TerminalDump {
  readonly facts: Map<string, string>;
  readonly lines: Map<string, LineDump>;
}

/** One row. Two with the same digest are alike; without one, or where they differ, the facts decide. */
export interface LineDump {
  readonly digest: string | undefined;
  facts(): Map<string, string>;
}

/** Facts that mean the same are written the same: an empty alternate screen and none, ASCII and UTF-8, and so on. */
export function dumpTerminal(state: TerminalState, historyRows: number): TerminalDump {
  const dump: TerminalDump = { facts: new Map(), lines: new Map() };
  const { header } = state;
  for (const [name, value] of Object.entries(header)) {
    if (name === "hasAlternate") continue;
    dump.facts.set(`header.${name}`, text(value instanceof Map ? [...value] : value));
  }
  dump.facts.set("pending", Buffer.from(state.pending).toString("latin1"));
  const { primary, alternate } = state;
  dumpScreen(dump, { name: "primary", screen: primary, isActive: !header.alternateActive, historyRows });
  if (alternate !== undefined) {
    dumpScreen(dump, { name: "alternate", screen: alternate, isActive: header.alternateActive, historyRows: 0 });
  }
  return dump;
}

const NOTHING: ReadonlyMap<string, string> = new Map();

/** Lines that name what differs. */
export function differences(expected: TerminalDump, actual: TerminalDump): string[] {
  const found = differingFacts(expected.facts, actual.facts);
  for (const name of new Set([...expected.lines.keys(), ...actual.lines.keys()])) {
    const [first, second] = [expected.lines.get(name), actual.lines.get(name)];
    if (first?.digest !== undefined && first.digest === second?.digest) continue;
    found.push(...differingFacts(first?.facts() ?? NOTHING, second?.facts() ?? NOTHING));
  }
  return found;
}

function differingFacts(expected: ReadonlyMap<string, string>, actual: ReadonlyMap<string, string>): string[] {
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
  const set = (fact: string, value: unknown): void => void dump.facts.set(`${name}.${fact}`, text(value));
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
  const links = new LinkNames();
  dumpRows(dump, { name, screen, historyRows, links });
  if (isActive) set("hyperlink", links.textOf(screen.hyperlink));
}

/**
 * A link that the program did not name gets a number where it is seen first: what its terminals call it depends on how many links
 * they have seen, and a repaint gives it a name.
 */
class LinkNames {
  readonly #numbers = new Map<string, number>();

  textOf(link: Hyperlink | undefined): string {
    if (link === undefined) return "";
    if (link.id !== undefined && !link.id.startsWith("pohunek-")) return `link ${link.id} ${link.uri}`;
    const number = this.#numbers.get(link.key) ?? this.#numbers.size;
    this.#numbers.set(link.key, number);
    return `link #${number} ${link.uri}`;
  }
}

interface RowsView {
  readonly name: string;
  readonly screen: ScreenState;
  readonly historyRows: number;
  readonly links: LinkNames;
}

function dumpRows(dump: TerminalDump, { name, screen, historyRows, links }: RowsView): void {
  const { grid } = screen;
  const first = Math.max(0, grid.count - grid.visible - historyRows);
  for (let index = first; index < grid.count; index += 1) {
    const row = grid.row(index);
    const place = `${name}.row${index - (grid.count - grid.visible)}`;
    // Prompt marks are of no use on the alternate screen, nor is it known whether the first row goes on from one above.
    const prompt = name === "primary" ? row.prompt || "" : "";
    const flags = `${row.wrapped ? "W" : ""}${row.continuation && index > first ? "C" : ""}${prompt}`;
    dump.lines.set(place, {
      digest: `${flags}|${digestOf(row, links)}`,
      facts: () => factsOf(place, { row, flags, links }),
    });
  }
}

function digestOf(row: GridRow, links: LinkNames): string {
  if (row.plainBytes !== undefined) return Buffer.from(row.plainBytes).toString("latin1");
  const cells = row.cells();
  let digest = "";
  let look = "";
  for (let col = 0; col < cells.count; col += 1) {
    const low = cells.low(col);
    const high = cells.high(col);
    const id = `${low >>> 26},${high}`;
    if (id !== look) digest += `|${lookText({ row, low, high, links })}|`;
    look = id;
    digest += String.fromCharCode(low & 0xffff, (low >>> 16) & 0x3ff) + row.graphemes(col);
  }
  return digest;
}

interface FactsView {
  readonly row: GridRow;
  readonly flags: string;
  readonly links: LinkNames;
}

function factsOf(place: string, { row, flags, links }: FactsView): Map<string, string> {
  const facts = new Map<string, string>();
  if (flags !== "") facts.set(`${place}.flags`, flags);
  const cells = row.cells();
  for (let col = 0; col < cells.count; col += 1) {
    const cell = cellText(row, { low: cells.low(col), high: cells.high(col), col, links });
    if (cell !== "") facts.set(`${place}.col${col}`, cell);
  }
  return facts;
}

interface CellView {
  readonly low: number;
  readonly high: number;
  readonly col: number;
  readonly links: LinkNames;
}

function cellText(row: GridRow, { low, high, col, links }: CellView): string {
  if (low === 0 && high === 0) return "";
  // The unused last column before a wide character that has gone.
  if (cellWidth(high) === WIDTH.head && !row.wrapped) return "";
  const content = cellContent(low);
  if (cellIsErased(low)) return `erased ${cellKind(low)}:${content}`;
  const character = content === 0 ? "blank" : String.fromCodePoint(content) + row.graphemes(col);
  return `${character} ${lookText({ row, low, high, links })}`;
}

interface LookView {
  readonly row: GridRow;
  readonly low: number;
  readonly high: number;
  readonly links: LinkNames;
}

function lookText({ row, low, high, links }: LookView): string {
  const link = cellLink(high);
  return [
    `w${cellWidth(high)}`,
    styleText(row.style(cellStyle(low, high))),
    cellIsProtected(high) ? "protected" : "",
    `s${cellSemantic(high)}`,
    link === 0 ? "" : links.textOf(row.hyperlink(link)),
  ].join(" ");
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
