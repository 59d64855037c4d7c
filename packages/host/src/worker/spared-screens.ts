import type { AttachStream } from "./attach-stream.ts";
import { ScreenLeaveWatch } from "./screen-leave-watch.ts";
import type { SessionRuntime } from "./session-runtime.ts";

/** What one viewer's terminal has of the session. */
export interface ViewerScreens {
  /** Its main screen is still its user's: it was given the alternate one alone. */
  sparesMain: boolean;
}

/** A program that leaves the alternate screen because it ends has ended by then. */
const END_MS = 100;

/**
 * Viewers whose main screen is still their user's. When the program leaves the alternate screen, what it prints next must
 * not mix with the user's lines: they get a repaint instead, which makes room first. A main screen on which nothing was
 * ever printed is not worth that while the program may just be ending.
 */
export class SparedScreens implements Disposable {
  readonly #runtime: SessionRuntime;
  readonly #viewers = new Map<AttachStream, ViewerScreens>();
  #watch: ScreenLeaveWatch | undefined;
  #endTimer: ReturnType<typeof setTimeout> | undefined;

  constructor(runtime: SessionRuntime) {
    this.#runtime = runtime;
  }

  add(stream: AttachStream, screens: ViewerScreens): void {
    if (!screens.sparesMain) {
      return;
    }
    this.#watch ??= new ScreenLeaveWatch(this.#runtime.ring);
    this.#viewers.set(stream, screens);
  }

  delete(stream: AttachStream): void {
    this.#viewers.delete(stream);
  }

  /** Output was added to the ring; nothing of it was sent yet. */
  takeOutput(): void {
    if (this.#viewers.size === 0) {
      return;
    }
    const isLeaving = this.#endTimer !== undefined;
    if (this.#watch?.look() !== true && !isLeaving) {
      return;
    }
    if (!this.#isMainBlank) {
      this.#leave();
      return;
    }
    for (const [stream, screens] of this.#viewers) {
      if (screens.sparesMain) {
        stream.skipOutput();
      }
    }
    this.#endTimer ??= setTimeout(() => this.#leave(), END_MS);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#endTimer);
  }

  get #isMainBlank(): boolean {
    return this.#runtime.read(
      ({ engine }) =>
        !engine.alternateScreen && engine.historyRows === 0 && engine.visibleLines().every((line) => line === ""),
    );
  }

  #leave(): void {
    clearTimeout(this.#endTimer);
    this.#endTimer = undefined;
    for (const [stream, screens] of this.#viewers) {
      // One that was repainted for another reason may have the main screen already.
      if (screens.sparesMain) {
        stream.leaveScreen();
      }
      if (!screens.sparesMain) {
        this.#viewers.delete(stream);
      }
    }
    if (this.#viewers.size === 0) {
      this.#watch = undefined;
    }
  }
}
