import type { LineDump, TerminalDump } from "./terminal-dump.ts";
import type { XtermEngine } from "./xterm-engine.ts";
import type { XtermAttributes, XtermBuffer, XtermCell, XtermCore, XtermLine } from "./xterm-internals.ts";

/** Palette colours below 16 may be held as such or as one of 256; they look alike. */
const PALETTE_16 = 0x1000000;
const PALETTE_256 = 0x2000000;
const INVISIBLE = /\u200b|\ufe0e/g;
/** Nothing but a foreground. */
const UNSEEN = /^0{10}\/[^/]*\/default\/$/;
/** A cell is content, foreground and background. */
const CELL_WORDS = 3;
const IS_COMBINED = 0x200000;
const HAS_EXTENDED = 0x10000000;
const ALL_ONES = 0x3ffffff;
const UNSAVED = ["0", "0", "plain", "ascii"].join();

/** What @xterm/headless knows of a terminal's state, in the same form as `dumpTerminal`. */
export function dumpXterm(engine: XtermEngine, historyRows: number): TerminalDump {
  const dump: TerminalDump = { facts: new Map(), lines: new Map() };
  const { buffers, coreService, coreMouseService, _charsetService, _inputHandler } = engine.core;
  const isAlternate = buffers.active === buffers.alt;
  dump.facts.set("screen", isAlternate ? "alternate" : "primary");
  dump.facts.set("title", _inputHandler._windowTitle);
  dump.facts.set("modes", JSON.stringify([coreService.decPrivateModes, coreService.modes, coreService.isCursorHidden]));
  dump.facts.set("mouse", `${coreMouseService.activeProtocol} ${coreMouseService.activeEncoding}`);
  dump.facts.set("style", attributesText(engine.core, _inputHandler._curAttrData));
  dump.facts.set("charset", `${charsetText(_charsetService.charset)} G${_charsetService.glevel}`);
  dump.facts.set("charsets", [0, 1, 2, 3].map((slot) => charsetText(_charsetService._charsets[slot])).join());
  dumpBuffer(dump, engine, { name: "primary", buffer: buffers.normal, historyRows, isActive: !isAlternate });
  dumpBuffer(dump, engine, { name: "alternate", buffer: buffers.alt, historyRows: 0, isActive: isAlternate });
  return dump;
}

interface BufferView {
  readonly name: string;
  readonly buffer: XtermBuffer;
  readonly historyRows: number;
  readonly isActive: boolean;
}

function dumpBuffer(dump: TerminalDump, engine: XtermEngine, view: BufferView): void {
  const { name, buffer, historyRows, isActive } = view;
  if (isActive) {
    dump.facts.set("position", `${buffer.y} ${buffer.x}`);
    dump.facts.set("region", `${buffer.scrollTop} ${buffer.scrollBottom}`);
    dump.facts.set(
      "tabs",
      Object.keys(buffer.tabs)
        .filter((col) => buffer.tabs[Number(col)])
        .join(),
    );
  }
  // Kept as a line of the whole buffer, restored as a row of the grid.
  const savedRow = Math.max(0, buffer.savedY - buffer.ybase);
  const savedStyle = attributesText(engine.core, buffer.savedCurAttrData);
  const saved = [savedRow, buffer.savedX, savedStyle, charsetText(buffer.savedCharset)].join();
  if (saved !== UNSAVED) {
    dump.facts.set(`${name}.saved`, saved.slice(saved.indexOf(",") + 1));
    dump.facts.set(`${name}.saved.row`, String(savedRow));
  }
  const first = Math.max(0, buffer.ybase - historyRows);
  for (let row = first; row < buffer.lines.length; row += 1) {
    const line = buffer.lines.get(row);
    const place = `${name}.row${row - buffer.ybase}`;
    // Terminals differ in what ends a wrapped row; on the alternate screen, which is not reflowed, nothing depends on it.
    if (line !== undefined)
      dump.lines.set(
        place,
        dumpLine(engine, { place, line, flags: line.isWrapped && row > first && name === "primary" ? "C" : "" }),
      );
  }
}

interface LineView {
  readonly place: string;
  readonly line: XtermLine;
  readonly flags: string;
}

function dumpLine(engine: XtermEngine, view: LineView): LineDump {
  const { line, flags } = view;
  return {
    digest: isSimple(line) ? `${flags} ${Bun.hash(line._data)}` : undefined,
    facts: () => lineFacts(engine, view),
  };
}

/** True for a line without combined characters, links and coloured underlines, which xterm.js keeps elsewhere. */
function isSimple(line: XtermLine): boolean {
  const words = line._data;
  for (let at = 0; at < words.length; at += CELL_WORDS) {
    if (((words[at] ?? 0) & IS_COMBINED) !== 0 || ((words[at + 2] ?? 0) & HAS_EXTENDED) !== 0) return false;
  }
  return true;
}

function lineFacts({ core, scratch }: XtermEngine, { place, line, flags }: LineView): Map<string, string> {
  const facts = new Map<string, string>();
  if (flags !== "") facts.set(`${place}.flags`, flags);
  for (let col = 0; col < line.length; col += 1) {
    const cell = line.loadCell(col, scratch);
    const text = cellText(core, cell);
    if (text !== " w1 plain" && text !== " w0 plain") facts.set(`${place}.col${col}`, text);
  }
  return facts;
}

/** Without what the worker's engine does not keep since it shows nothing: a text variation selector, a blank's foreground. */
function cellText(core: XtermCore, cell: XtermCell): string {
  const characters = cell.getChars().replaceAll(INVISIBLE, "");
  const attributes = attributesText(core, cell);
  const isUnseen = characters === "" && UNSEEN.test(attributes);
  return `${characters} w${cell.getWidth()} ${isUnseen ? "plain" : attributes}`;
}

function attributesText(core: XtermCore, attributes: XtermAttributes): string {
  const flags = [
    attributes.isBold(),
    attributes.isDim(),
    attributes.isItalic(),
    attributes.isUnderline(),
    attributes.isBlink(),
    attributes.isInverse(),
    attributes.isInvisible(),
    attributes.isStrikethrough(),
    attributes.isOverline(),
    attributes.isProtected(),
  ].map(Boolean);
  const foreground = colorText(attributes.getFgColorMode(), attributes.getFgColor());
  const background = colorText(attributes.getBgColorMode(), attributes.getBgColor());
  const parts = [flags.map(Number).join(""), foreground, background, extendedText(core, attributes)];
  return parts.join("/") === "0000000000/default/default/" ? "plain" : parts.join("/");
}

function extendedText(core: XtermCore, attributes: XtermAttributes): string {
  if (attributes.hasExtendedAttrs() === 0) return "";
  const { underlineStyle, underlineColor, urlId } = attributes.extended;
  const link = urlId === 0 ? "" : (core._oscLinkService.getLinkData(urlId)?.uri ?? "");
  if (underlineStyle === 0) return link;
  // SGR 59 leaves all ones.
  return [underlineStyle, underlineColor === ALL_ONES ? 0 : underlineColor, link].join(" ");
}

function colorText(mode: number, color: number): string {
  if (mode === 0) return "default";
  return mode === PALETTE_16 || mode === PALETTE_256 ? `palette ${color}` : `rgb ${color.toString(16)}`;
}

/** Character sets are tables of translations; ASCII has none. */
function charsetText(charset: object | undefined): string {
  if (charset === undefined || charset === null) return "ascii";
  return "q" in charset ? "graphics" : JSON.stringify(charset);
}
