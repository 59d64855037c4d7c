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
  /** As it was opened. */
  readonly bare: TerminalView;
  /** The same, replaced when it breaks. */
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
    if (this.isUntouched) {
      return;
    }
    const { engine } = this.view;
    this.#guard(() => engine.resize(cols, rows));
    const { engine: present } = this.#open().view;
    if (present !== engine) {
      // Opened in the old size.
      present.resize(cols, rows);
    }
  }

  #open(): Opened {
    this.#opened ??= this.#openFrom(this.#options.ring.startOffset);
    return this.#opened;
  }

  #openFrom(from: number): Opened {
    const { ring, historyLines, open } = this.#options;
    const bare = open();
    const view = this.#guardView(bare);
    return { bare, view, feed: new TerminalFeed({ ring, view, historyLines, from }) };
  }

  /** A viewer that comes while the state breaks is shown the fresh one, instead of nothing. */
  #guardView(view: TerminalView): TerminalView {
    const orAnew = <Picture>(show: (view: TerminalView) => Picture): Picture => {
      let picture: { readonly made: Picture } | undefined;
      this.#guard(() => {
        picture = { made: show(view) };
      });
      return picture === undefined ? show(this.#open().bare) : picture.made;
    };
    return {
      ...view,
      repaint: (request) => orAnew((shown) => shown.repaint(request)),
      look: () => orAnew((shown) => shown.look()),
    };
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
