import type { TerminalModes } from "./engine/terminal-engine.ts";
import type { OutputRing } from "./output-ring.ts";
import { isPlain, TerminalFeed } from "./terminal-feed.ts";
import type { TerminalView } from "./terminal-view.ts";

export interface SessionTerminalOptions {
  readonly ring: OutputRing;
  readonly historyLines: number;
  /** Opens a terminal state of the session's present size. */
  readonly open: () => TerminalView;
  /** The state broke and was replaced by a fresh one. */
  readonly onFault: (cause: unknown) => void;
}

/**
 * The terminal state of a session, opened when it is needed: it takes longer to load than a program takes to start, and
 * the two can be done side by side.
 */
export class SessionTerminal {
  readonly #options: SessionTerminalOptions;
  #opened: { readonly view: TerminalView; readonly feed: TerminalFeed } | undefined;

  constructor(options: SessionTerminalOptions) {
    this.#options = options;
  }

  /** Nothing was printed, and nobody looked. */
  get isUntouched(): boolean {
    return !this.#opened && this.#options.ring.endOffset === 0;
  }

  /** The state after all output so far. */
  get view(): TerminalView {
    const { feed } = this.#open();
    this.#guard(() => feed.catchUp());
    return this.#open().view;
  }

  /** The modes, without the cost of a look at the screen: output that waits to be fed is plain and changes none. */
  get modes(): TerminalModes | undefined {
    return this.#opened?.view.engine.modes;
  }

  /** `bytes` were just added to the ring. */
  take(bytes: Uint8Array): void {
    // A query wants its answer at once; text can wait until the state is there.
    if (this.#opened || !isPlain(bytes)) {
      const { feed } = this.#open();
      this.#guard(() => feed.take(bytes));
    }
  }

  resize(cols: number, rows: number): void {
    if (!this.isUntouched) {
      this.view.engine.resize(cols, rows);
    }
  }

  #open(): { readonly view: TerminalView; readonly feed: TerminalFeed } {
    this.#opened ??= this.#openFrom(this.#options.ring.startOffset);
    return this.#opened;
  }

  #openFrom(from: number): { readonly view: TerminalView; readonly feed: TerminalFeed } {
    const { ring, historyLines, open } = this.#options;
    const view = open();
    return { view, feed: new TerminalFeed({ ring, view, historyLines, from }) };
  }

  /** An engine that trapped can't be trusted any more. The session goes on with a fresh one; the ring has every byte. */
  #guard(feed: () => void): void {
    try {
      feed();
    } catch (cause) {
      this.#options.onFault(cause);
      this.#opened = this.#openFrom(this.#opened?.feed.fedTo ?? this.#options.ring.endOffset);
    }
  }
}
