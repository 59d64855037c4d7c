export interface FocusReportOptions {
  /** Whether the program wants to be told (mode 1004) and reads the terminal itself. */
  readonly isWanted: () => boolean;
  readonly hasViewer: () => boolean;
  readonly foregroundGroup: () => number | undefined;
  /** To the program. */
  readonly write: (bytes: Uint8Array) => void;
}

/** A client that attaches anew at once is not worth a word, and a program that starts sets its modes in this time. */
const SETTLE_MS = 100;
const ESC = 0x1b;
const GAINED = Buffer.from("\x1b[I", "latin1");
const LOST = Buffer.from("\x1b[O", "latin1");

/**
 * Tells the program that its terminal has lost the focus while nobody looks at it, and that it has it again when somebody
 * does: agents ring only in the background. While somebody is attached, that terminal reports by itself.
 */
export class FocusReport implements Disposable {
  readonly #options: FocusReportOptions;
  /** Process group that was told of the loss. */
  #told: number | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: FocusReportOptions) {
    this.#options = options;
  }

  /** The program printed something, which may have changed its modes. */
  noteOutput(bytes: Uint8Array): void {
    if (this.#timer === undefined && !this.#options.hasViewer() && bytes.includes(ESC)) {
      this.#tellLater();
    }
  }

  /** A viewer came or left. */
  noteViewers(): void {
    if (!this.#options.hasViewer()) {
      this.#tellLater();
      return;
    }
    this.#stop();
    const { isWanted, foregroundGroup, write } = this.#options;
    if (this.#told !== undefined && this.#told === foregroundGroup() && isWanted()) {
      write(GAINED);
    }
    this.#told = undefined;
  }

  [Symbol.dispose](): void {
    this.#stop();
  }

  #tellLater(): void {
    this.#timer ??= setTimeout(() => this.#tellLoss(), SETTLE_MS);
  }

  #tellLoss(): void {
    this.#timer = undefined;
    const { isWanted, foregroundGroup, hasViewer, write } = this.#options;
    if (hasViewer()) return;
    const group = isWanted() ? foregroundGroup() : undefined;
    if (group !== undefined && group !== this.#told) {
      write(LOST);
    }
    this.#told = group;
  }

  #stop(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}
