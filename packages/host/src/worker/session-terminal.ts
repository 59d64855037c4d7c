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

interface Opened {
  readonly view: TerminalView;
  readonly feed: TerminalFeed;
}

/**
 * The terminal state of a session, opened when it is needed: it takes longer to load than a program takes to start, and
 * the two can be done side by side.
 */
export class SessionTerminal {
  readonly #options: SessionTerminalOptions;
  #opened: Opened | undefined;

  constructor(options: SessionTerminalOptions) {
    this.#options = options;
  }

  /** Nothing was printed, and nobody looked. */
  get isUntouched(): boolean {
    return !this.#opened && this.#options.ring.endOffset === 0;
  }

  /**
   * What `look` finds in the state after all output so far. When the state breaks meanwhile, it is replaced and `look` is
   * called again with the fresh one, so that who comes then is shown that instead of nothing. Nothing of the view may be used later.
   */
  read<Found>(look: (view: TerminalView) => Found): Found {
    const { feed } = this.#open();
    this.#guard(() => feed.catchUp());
    return this.#look(look);
  }

  /** The modes, without the cost of a look at the screen: output that waits to be fed is plain and changes none. */
  get modes(): TerminalModes | undefined {
    return this.#opened && this.#look(({ engine }) => engine.modes);
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
      this.read(({ engine }) => engine.resize(cols, rows));
    }
  }

  #open(): Opened {
    this.#opened ??= this.#openFrom(this.#options.ring.startOffset);
    return this.#opened;
  }

  #openFrom(from: number): Opened {
    const { ring, historyLines, open } = this.#options;
    const view = open();
    return { view, feed: new TerminalFeed({ ring, view, historyLines, from }) };
  }

  #look<Found>(look: (view: TerminalView) => Found): Found {
    let found: { readonly it: Found } | undefined;
    this.#guard(() => {
      found = { it: look(this.#open().view) };
    });
    return found === undefined ? look(this.#open().view) : found.it;
  }

  /** An engine that trapped can't be trusted any more. The session goes on with a fresh one; the ring has every byte. */
  #guard(use: () => void): void {
    try {
      use();
    } catch (cause) {
      this.#options.onFault(cause);
      this.#opened = this.#openFrom(this.#opened?.feed.fedTo ?? this.#options.ring.endOffset);
    }
  }
}
