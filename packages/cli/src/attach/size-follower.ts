import { isProtocolError } from "@pohunek/protocol/wire";
import type { TerminalSize } from "../terminal/local-terminal.ts";
import type { LocalScreen } from "./local-screen.ts";

export interface SizeFollowerOptions {
  readonly screen: LocalScreen;
  readonly send: (size: TerminalSize) => Promise<void>;
}

/** A daemon that restarts takes no sizes; the newest one is offered again at this pace, and so often. */
const RETRY_MS = 500;
const MAX_TRIES = 40;

/** Tells the session a new size: once for each real change, and only the newest when several come at once. */
export class SizeFollower implements Disposable {
  readonly #options: SizeFollowerOptions;
  #isSending = false;
  #isStopped = false;

  constructor(options: SizeFollowerOptions) {
    this.#options = options;
  }

  async follow(): Promise<void> {
    if (this.#isSending) return;
    this.#isSending = true;
    try {
      while (!this.#isStopped && this.#options.screen.refreshSize()) await this.#deliver();
    } finally {
      this.#isSending = false;
    }
  }

  [Symbol.dispose](): void {
    this.#isStopped = true;
  }

  async #deliver(): Promise<void> {
    const { screen, send } = this.#options;
    for (let tries = 0; tries < MAX_TRIES && !this.#isStopped; tries += 1) {
      try {
        await send(screen.size);
        return;
      } catch (error) {
        if (!isProtocolError(error)) throw error;
        // A session that has ended, or refuses: the end of the stream tells the user.
        if (!error.isRetryable) return;
      }
      await Bun.sleep(RETRY_MS);
      screen.refreshSize();
    }
  }
}
