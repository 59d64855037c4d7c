import type { Terminal } from "@xterm/headless";
import type {
  CursorState,
  MouseEncoding,
  MouseTracking,
  TerminalEngine,
  TerminalEngineOptions,
  TerminalListener,
  TerminalModes,
  TerminalProgress,
  TerminalSize,
} from "../../../packages/host/src/worker/engine/terminal-engine.ts";
import { type CharacterWidth, openXterm, type XtermCell, type XtermCore } from "./xterm-internals.ts";

const ESC = 0x1b;
const MOUSE_TRACKINGS: Readonly<Record<string, MouseTracking>> = {
  NONE: "none",
  X10: "x10",
  VT200: "normal",
  DRAG: "button",
  ANY: "any",
};
const MOUSE_ENCODINGS: Readonly<Record<string, MouseEncoding>> = {
  DEFAULT: "default",
  SGR: "sgr",
  SGR_PIXELS: "sgr-pixels",
};
const PROGRESS_STATES = [undefined, "set", "error", "indeterminate", "paused"] as const;

/** The reference that the worker's engine is compared with: @xterm/headless behind the same interface. */
export class XtermEngine implements TerminalEngine {
  readonly core: XtermCore;
  readonly scratch: XtermCell;
  readonly #terminal: Terminal;
  readonly #listener: TerminalListener;
  #tail: Uint8Array = new Uint8Array(0);
  #cwd = "";
  #progress: TerminalProgress | undefined;
  #revision = 0;
  #view = "";

  constructor(options: TerminalEngineOptions, width?: CharacterWidth) {
    const { cols, rows, historyLines: scrollback } = options;
    const { terminal, core, scratch } = openXterm({ cols, rows, scrollback, width });
    this.core = core;
    this.scratch = scratch;
    this.#terminal = terminal;
    this.#listener = options.listener ?? {};
    this.#listen();
  }

  write(bytes: Uint8Array): void {
    this.core._inputHandler.parse(bytes);
    const start = bytes.lastIndexOf(ESC);
    this.#tail = start >= 0 ? bytes.slice(start) : Buffer.concat([this.#tail, bytes]);
    if (this.#isGround) this.#tail = new Uint8Array(0);
  }

  resize(cols: number, rows: number): void {
    this.#terminal.resize(cols, rows);
  }

  get size(): TerminalSize {
    return { cols: this.#terminal.cols, rows: this.#terminal.rows };
  }

  get revision(): number {
    const view = JSON.stringify([this.visibleLines(), this.cursor, this.alternateScreen, this.size]);
    if (view !== this.#view) this.#revision += 1;
    this.#view = view;
    return this.#revision;
  }

  get cursor(): CursorState {
    const { x, y } = this.core.buffers.active;
    // xterm.js keeps the cursor behind the last column while a wrap is pending.
    return { row: y, col: Math.min(x, this.#terminal.cols - 1), visible: !this.core.coreService.isCursorHidden };
  }

  get alternateScreen(): boolean {
    return this.core.buffers.active === this.core.buffers.alt;
  }

  get title(): string {
    return this.core._inputHandler._windowTitle;
  }

  get cwd(): string {
    return this.#cwd;
  }

  get progress(): TerminalProgress | undefined {
    return this.#progress;
  }

  get modes(): TerminalModes {
    const { decPrivateModes, modes } = this.core.coreService;
    return {
      bracketedPaste: decPrivateModes.bracketedPasteMode === true,
      focusReporting: decPrivateModes.sendFocus === true,
      applicationCursor: decPrivateModes.applicationCursorKeys === true,
      applicationKeypad: decPrivateModes.applicationKeypad === true,
      mouseTracking: MOUSE_TRACKINGS[this.core.coreMouseService.activeProtocol] ?? "none",
      mouseEncoding: MOUSE_ENCODINGS[this.core.coreMouseService.activeEncoding] ?? "default",
      // xterm.js always scrolls the alternate screen with the wheel and knows no kitty keyboard and no reverse video.
      alternateScroll: true,
      synchronizedOutput: decPrivateModes.synchronizedOutput === true,
      kittyKeyboardFlags: 0,
      insert: modes.insertMode === true,
      wraparound: decPrivateModes.wraparound === true,
      lineFeedNewLine: this.#terminal.options.convertEol === true,
      reverseVideo: false,
    };
  }

  get historyRows(): number {
    return this.core.buffers.active.ybase;
  }

  visibleLines(): string[] {
    const { ybase } = this.core.buffers.active;
    return Array.from({ length: this.#terminal.rows }, (_, row) => this.#text(ybase + row));
  }

  recentLines(count: number, options: { readonly unwrap?: boolean } = {}): string[] {
    const { lines } = this.core.buffers.active;
    const all: string[] = [];
    for (let row = 0; row < lines.length; row += 1) {
      if (options.unwrap === true && lines.get(row)?.isWrapped === true) all.push((all.pop() ?? "") + this.#text(row));
      else all.push(this.#text(row));
    }
    while (all.at(-1) === "") all.pop();
    return all.slice(-count);
  }

  pendingBytes(): Uint8Array {
    return this.#tail;
  }

  [Symbol.dispose](): void {
    this.#terminal.dispose();
  }

  get #isGround(): boolean {
    return this.core._inputHandler._parser.currentState === 0;
  }

  #text(row: number): string {
    return this.core.buffers.active.lines.get(row)?.translateToString(true).replace(/ +$/, "") ?? "";
  }

  #listen(): void {
    this.#terminal.onData((data) => this.#listener.reply?.(Buffer.from(data, "latin1")));
    this.#terminal.onTitleChange((title) => this.#listener.title?.(title));
    this.#terminal.onBell(() => this.#listener.bell?.());
    this.#terminal.parser.registerOscHandler(7, (url) => {
      this.#cwd = url;
      this.#listener.cwd?.(url);
      return true;
    });
    this.#terminal.parser.registerOscHandler(9, (body) => {
      const [kind, state, percent] = body.split(";");
      const name = PROGRESS_STATES[Number(state)];
      if (kind !== "4") return false;
      this.#progress =
        name === undefined ? undefined : { state: name, ...(percent ? { percent: Number(percent) } : {}) };
      this.#listener.progress?.(this.#progress);
      return true;
    });
  }
}
