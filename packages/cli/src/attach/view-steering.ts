import { isProtocolError } from "@pohunek/protocol/wire";
import type { ViewChange } from "./view-keys.ts";
import { mergeChanges, readViewKeys } from "./view-keys.ts";

export interface ViewSteeringOptions {
  /** Rows of the terminal. */
  readonly rows: () => number;
  readonly send: (change: ViewChange) => Promise<void>;
  /** The user wants to leave. */
  readonly onLeave: () => void;
}

/** Turns the keys of a user who only views into moves of the picture: one request at a time, those typed meanwhile in one. */
export class ViewSteering {
  readonly #options: ViewSteeringOptions;
  #wanted: ViewChange | undefined;
  #layout: "screen" | "text" = "screen";
  #isSending = false;

  constructor(options: ViewSteeringOptions) {
    this.#options = options;
  }

  /** A new attach begins on the screen: the layout that the user chose has to be asked for again. */
  begin(): void {
    if (this.#layout !== "screen") this.#ask({ layout: this.#layout });
  }

  type(bytes: Uint8Array): void {
    for (const key of readViewKeys(bytes, this.#options.rows())) {
      if (key === "leave") this.#options.onLeave();
      else if (key === "toggle-layout") this.#toggle();
      else this.#ask(key);
    }
  }

  #toggle(): void {
    this.#layout = this.#layout === "screen" ? "text" : "screen";
    this.#ask({ layout: this.#layout });
  }

  #ask(change: ViewChange): void {
    this.#wanted = this.#wanted === undefined ? change : mergeChanges(this.#wanted, change);
    if (!this.#isSending) void this.#send();
  }

  async #send(): Promise<void> {
    this.#isSending = true;
    try {
      for (let change = this.#take(); change !== undefined; change = this.#take()) await this.#options.send(change);
    } catch (error) {
      // The stream has ended, or the daemon restarts: the user sees that nothing moves, and types again.
      if (!isProtocolError(error)) throw error;
    } finally {
      this.#isSending = false;
    }
  }

  #take(): ViewChange | undefined {
    const change = this.#wanted;
    this.#wanted = undefined;
    return change;
  }
}
