import { hasMode, MODES, type ModeEntry } from "../engine/mode-registry.ts";
import type { ScreenState, TerminalHeader, TerminalState } from "../engine/terminal-state.ts";
import type { Brushes } from "./cell-painter.ts";
import { RESET_CHARSETS } from "./charset-sequence.ts";
import { ClusterMode } from "./cluster-mode.ts";
import { SCREEN_ORIGIN } from "./cursor-painter.ts";
import { writeCursorShape, writeShapeBelow, writeStrayShape } from "./cursor-shape.ts";
import { writeGlobals } from "./global-sequence.ts";
import { writeModes, writePrintingModes } from "./mode-sequence.ts";
import { Pen } from "./pen.ts";
import { RELEASE_FRAME, writePreamble } from "./preamble.ts";
import { ScreenPainter } from "./screen-painter.ts";
import { VtWriter } from "./vt-writer.ts";

/** What the serializer reads; GhosttyEngine is one. */
export interface RepaintSource {
  state(historyLines: number): TerminalState;
  readonly modifyOtherKeys: number;
  readonly hasTitle: boolean;
  readonly hasColors: boolean;
}

export interface RepaintOptions {
  /** Rows of history that go into the viewer's scrollback before the grid is painted. */
  readonly historyLines: number;
  /**
   * `fresh`: the viewer's terminal has not shown this session, so what belongs to its user (keyboard stack, colours) is left
   * alone. `used`: it has, and may be in any state, even inside a sequence. Default `used`.
   */
  readonly viewer?: "fresh" | "used";
  /** `active` leaves the viewer's main screen alone while the program is on the alternate one. Default `both`. */
  readonly screens?: "both" | "active";
}

/** A line that is longer than this many rows is cut at the top of the history. */
const MOST_ROWS_OF_A_LINE = 100;
/** Ways into the alternate screen; the mode that is set tells which one the program took. */
const ENTER_ALTERNATE = [MODES.alternate1049, MODES.alternate1047, MODES.alternate47];

/**
 * Writes the escape sequences after which a viewer's terminal is in the state of `source`, up to the unfinished sequence at the
 * end: whatever the program writes next means the same to both. Never begins with "{".
 */
export function repaint(source: RepaintSource, options: RepaintOptions): Uint8Array {
  const state = source.state(options.historyLines);
  return new Repaint(source, state, options).write();
}

class Repaint {
  readonly #source: RepaintSource;
  readonly #state: TerminalState;
  readonly #header: TerminalHeader;
  readonly #options: RepaintOptions;
  readonly #isUsed: boolean;
  readonly #writer = new VtWriter();
  readonly #brushes: Brushes;

  constructor(source: RepaintSource, state: TerminalState, options: RepaintOptions) {
    this.#source = source;
    this.#state = state;
    this.#header = state.header;
    this.#options = options;
    this.#isUsed = options.viewer !== "fresh";
    this.#brushes = {
      writer: this.#writer,
      pen: new Pen(this.#writer),
      clusters: new ClusterMode(this.#writer, this.#has(MODES.graphemeCluster)),
      cols: this.#header.cols,
    };
  }

  write(): Uint8Array {
    const enters = this.#paintsAlternateOnly ? `?${this.#waysIn()[0] ?? 1049}h` : undefined;
    writePreamble(this.#writer, this.#header, { isUsed: this.#isUsed, enters });
    const { primary, alternate } = this.#state;
    const inView = this.#header.alternateActive && alternate !== undefined ? alternate : primary;
    if (!this.#header.alternateActive) {
      writeStrayShape(this.#writer, this.#state);
      this.#writeStrayModes();
    }
    const painter = inView === primary ? this.#paintPrimary(alternate) : this.#paintAlternate(inView);
    this.#finish(painter, inView);
    this.#writer.raw(this.#state.pending);
    return this.#writer.finish();
  }

  #has(mode: ModeEntry): boolean {
    return hasMode(this.#header.modes, mode);
  }

  /**
   * A program that leaves the alternate screen by another mode than it entered by leaves the first one set. 47 is left to
   * the painting of the alternate screen, since the others clear it.
   */
  #writeStrayModes(): void {
    const is1049 = this.#has(MODES.alternate1049);
    const is1047 = this.#has(MODES.alternate1047);
    if (!is1049 && !is1047) return;
    this.#writer.csi("H");
    if (is1049) this.#writer.csi("?1049h");
    if (is1047) this.#writer.csi("?1047h");
    this.#writer.csi("?47l");
  }

  #painter(screen: ScreenState): ScreenPainter {
    return new ScreenPainter(this.#brushes, screen, {
      isUsed: this.#isUsed,
      isPrimary: screen === this.#state.primary,
    });
  }

  /** The main screen is in view. What is left on the alternate one shows again when a program enters it without clearing. */
  #paintPrimary(alternate: ScreenState | undefined): ScreenPainter {
    const painter = this.#painter(this.#state.primary);
    painter.paintRows(this.#firstRow());
    if (this.#options.screens !== "active" && alternate !== undefined && this.#needsPainting(alternate)) {
      this.#writer.csi("?47h");
      this.#startScreen();
      const inactive = this.#painter(alternate);
      inactive.paintRows(firstInView(alternate));
      inactive.writeKeyboard();
      inactive.writeSavedCursor(this.#saveTrigger());
      inactive.placePen();
      const leavesStray = this.#has(MODES.alternate47) && !this.#has(MODES.alternate1049);
      this.#writer.csi(leavesStray ? "?1049l" : "?47l");
      this.#startScreen();
    }
    painter.writeKeyboard();
    painter.writeSavedCursor(this.#saveTrigger());
    return painter;
  }

  /** The alternate screen is in view: the main one is painted first, since leaving must bring it back. */
  #paintAlternate(alternate: ScreenState): ScreenPainter {
    const { primary } = this.#state;
    const [first = 47, ...others] = this.#waysIn();
    if (!this.#paintsAlternateOnly) {
      this.#paintBelow(primary, first === 1049);
      if (first !== 1049) this.#writer.csi(`?${first}h`);
    }
    for (const other of others) this.#writer.csi(`?${other}h`);
    this.#startScreen();
    const painter = this.#painter(alternate);
    painter.paintRows(firstInView(alternate));
    painter.writeKeyboard();
    painter.writeSavedCursor(this.#saveTrigger());
    return painter;
  }

  /** Paints the main screen; `entersBySaving` makes the switch to the alternate one save the cursor. */
  #paintBelow(primary: ScreenState, entersBySaving: boolean): void {
    const painter = this.#painter(primary);
    painter.paintRows(this.#firstRow());
    painter.writeKeyboard();
    writeShapeBelow(this.#writer, primary, this.#isUsed);
    if (entersBySaving) {
      if (this.#has(MODES.savedCursor1048)) this.#writer.csi("?1048h");
      painter.leaveBySaving();
      return;
    }
    painter.writeSavedCursor(this.#saveTrigger());
    painter.placeCursor(SCREEN_ORIGIN);
  }

  get #paintsAlternateOnly(): boolean {
    return this.#header.alternateActive && this.#options.screens === "active";
  }

  /** The modes by which the program got to the alternate screen. 1049 saves the cursor; without a saved one it came later. */
  #waysIn(): number[] {
    const ways: number[] = [];
    for (const way of ENTER_ALTERNATE) if (this.#has(way)) ways.push(way.number);
    return this.#state.primary.savedCursor === undefined ? ways.reverse() : ways;
  }

  #saveTrigger(): string {
    return this.#has(MODES.savedCursor1048) ? "\x1b[?1048h" : "\x1b7";
  }

  /** A screen that is as it was when it was entered first needs no painting, but a used viewer may hold something else. */
  #needsPainting({ grid, style, protectedMode, savedCursor, kittyIndex, kittyFlags }: ScreenState): boolean {
    const hasState =
      style.background.kind !== "default" ||
      protectedMode === "iso" ||
      savedCursor !== undefined ||
      kittyIndex > 0 ||
      kittyFlags.some((flags) => flags > 0);
    if (this.#isUsed || hasState || this.#has(MODES.alternate47)) return true;
    for (let index = 0; index < grid.count; index += 1) {
      const row = grid.row(index);
      if (row.length > 0 || row.wrapped) return true;
    }
    return false;
  }

  /** Attributes, link and character sets may or may not follow to the other screen, so they start anew. */
  #startScreen(): void {
    this.#brushes.pen.reset();
    this.#writer.ascii(RESET_CHARSETS);
  }

  /** The oldest row to paint: history as far as it is wanted, and from the beginning of a line. */
  #firstRow(): number {
    const { grid } = this.#state.primary;
    const { historyLines } = this.#options;
    let first = Math.max(0, grid.count - grid.visible - historyLines);
    const oldest = Math.max(0, first - (historyLines > 0 ? MOST_ROWS_OF_A_LINE : 0));
    while (first > oldest && grid.row(first).continuation) first -= 1;
    return first;
  }

  #finish(painter: ScreenPainter, screen: ScreenState): void {
    const header = this.#header;
    writeGlobals(this.#writer, {
      header,
      isUsed: this.#isUsed,
      modifyOtherKeys: this.#source.modifyOtherKeys,
      hasTitle: this.#source.hasTitle,
      hasColors: this.#source.hasColors,
    });
    writeModes(this.#writer, header);
    const previous = header.previousCodepoint;
    if (previous !== undefined && this.#writer.lastCodepoint !== previous && !painter.echo(previous)) {
      this.#echoElsewhere(previous);
    }
    writeCursorShape(this.#writer, this.#state, screen);
    if (!this.#has(MODES.synchronizedOutput)) this.#writer.ascii(RELEASE_FRAME);
    this.#placeCursor(painter, screen, previous);
    writePrintingModes(this.#writer, header);
    if (header.statusLine) this.#writer.csi("1$}");
  }

  /** The main screen has no room to print a character: the alternate one may have, and going there by mode 47 changes nothing. */
  #echoElsewhere(code: number): void {
    const { alternate } = this.#state;
    if (this.#header.alternateActive || this.#options.screens === "active" || this.#has(MODES.alternate47)) return;
    this.#writer.csi("?47h");
    this.#startScreen();
    if (alternate !== undefined) {
      this.#painter(alternate).echo(code);
    } else {
      this.#writer.csi("H");
      this.#writer.codepoint(code);
      this.#writer.csi("H\x1b[2X");
    }
    this.#writer.csi("?47l");
    this.#startScreen();
  }

  #placeCursor(painter: ScreenPainter, screen: ScreenState, previous: number | undefined): void {
    const header = this.#header;
    if (!this.#has(MODES.origin)) {
      this.#writeRegion();
      const { right, tabStops } = header;
      const isWhole = header.top === 0 && header.bottom === header.rows - 1 && header.left === 0;
      painter.placeCursor(
        { ...SCREEN_ORIGIN, right, tabStops, scrollsAll: isWhole && right === header.cols - 1 },
        previous,
      );
      return;
    }
    const isInside = screen.row >= header.top && screen.row <= header.bottom && screen.col >= header.left;
    if (isInside && screen.col <= header.right) {
      this.#writeRegion();
      this.#writer.csi("?6h");
      painter.placeCursor(header, previous);
      return;
    }
    // Only a restored cursor can stand outside of the region; this costs what was saved before.
    this.#writer.csi("?6h");
    painter.placeCursor(SCREEN_ORIGIN, previous);
    this.#writer.ascii("\x1b7");
    this.#writeRegion();
    this.#writer.ascii("\x1b8");
  }

  #writeRegion(): void {
    const { top, bottom, left, right, rows, cols } = this.#header;
    if (top !== 0 || bottom !== rows - 1) this.#writer.csi(`${top + 1};${bottom + 1}r`);
    if (this.#has(MODES.leftRightMargin)) this.#writer.csi("?69h");
    if (left !== 0 || right !== cols - 1) this.#writer.csi(`${left + 1};${right + 1}s`);
  }
}

/** The alternate screen has no history, but may have rows that a program scrolled away as a whole (CSI 22 J). */
function firstInView({ grid }: ScreenState): number {
  return grid.count - grid.visible;
}
