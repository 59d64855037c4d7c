import type { LibraryCalls } from "./libc.ts";
import { loadLibraryCalls } from "./libc.ts";
import { RawMode } from "./raw-mode.ts";

export interface TerminalSize {
  readonly cols: number;
  readonly rows: number;
}

const INPUT = 0;
const OUTPUT = 1;
const ERRORS = 2;

/** The terminal that this program was started on, where its descriptors are one. */
export class LocalTerminal {
  readonly #isTerminal = new Map<number, boolean>();
  #loaded: LibraryCalls | undefined;

  get isInput(): boolean {
    return this.#isAt(INPUT);
  }

  get isOutput(): boolean {
    return this.#isAt(OUTPUT);
  }

  get isErrors(): boolean {
    return this.#isAt(ERRORS);
  }

  /** The terminal's size now, or undefined when output is no terminal or it does not know. */
  size(): TerminalSize | undefined {
    const size = new Uint16Array(4);
    const [rows = 0, cols = 0] = this.calls.getWindowSize(OUTPUT, size) === 0 ? size : [];
    return rows > 0 && cols > 0 ? { cols, rows } : undefined;
  }

  rawMode(): RawMode {
    return new RawMode(this.calls, INPUT);
  }

  get calls(): LibraryCalls {
    this.#loaded ??= loadLibraryCalls();
    return this.#loaded;
  }

  #isAt(fd: number): boolean {
    let isTerminal = this.#isTerminal.get(fd);
    if (isTerminal === undefined) {
      isTerminal = this.calls.isatty(fd) === 1;
      this.#isTerminal.set(fd, isTerminal);
    }
    return isTerminal;
  }
}
