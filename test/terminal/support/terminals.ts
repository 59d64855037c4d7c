import { type GhosttyEngine, openGhosttyEngine } from "../../../packages/host/src/worker/engine/ghostty-engine.ts";
import { type GhosttyRuntime, loadGhosttyRuntime } from "../../../packages/host/src/worker/engine/ghostty-runtime.ts";
import type { TerminalListener, TerminalSize } from "../../../packages/host/src/worker/engine/terminal-engine.ts";
import { differences, dumpTerminal } from "./terminal-dump.ts";
import { dumpXterm } from "./xterm-dump.ts";
import { XtermEngine } from "./xterm-engine.ts";
import type { CharacterWidth } from "./xterm-internals.ts";

const HISTORY_LINES = 1000;

/** Opens terminals of both kinds for a test file; all of the engine's share one instance of the module. */
export class Terminals {
  readonly #runtime: GhosttyRuntime = loadGhosttyRuntime();
  readonly #width: CharacterWidth;

  constructor() {
    const { ghostty_unicode_codepoint_width: width } = this.#runtime.exports as unknown as {
      ghostty_unicode_codepoint_width: CharacterWidth;
    };
    this.#width = width;
  }

  /** Memory of the module; it never shrinks. */
  get engineBytes(): number {
    return this.#runtime.exports.memory.buffer.byteLength;
  }

  ghostty(size: TerminalSize, listener: TerminalListener = {}): GhosttyEngine {
    return openGhosttyEngine({ ...size, historyLines: HISTORY_LINES, listener }, this.#runtime);
  }

  /** The reference, with the engine's table of character widths. */
  xterm(size: TerminalSize, listener: TerminalListener = {}): XtermEngine {
    return new XtermEngine({ ...size, historyLines: HISTORY_LINES, listener }, this.#width);
  }
}

/** Differences between two terminals of the worker's engine, over so many rows of history. */
export function compareGhostty(expected: GhosttyEngine, actual: GhosttyEngine, historyRows: number): string[] {
  return differences(
    dumpTerminal(expected.state(HISTORY_LINES), historyRows),
    dumpTerminal(actual.state(HISTORY_LINES), historyRows),
  );
}

export function compareXterm(expected: XtermEngine, actual: XtermEngine, historyRows: number): string[] {
  return differences(dumpXterm(expected, historyRows), dumpXterm(actual, historyRows));
}

export function bytes(text: string): Uint8Array {
  return Buffer.from(text, "utf8");
}
