import type { AttachAction, AttachKey } from "./attach-keys.ts";
import { AttachKeys, KEY_HOLD_MS } from "./attach-keys.ts";
import type { TerminalInputSource } from "./terminal-input.ts";
import { TerminalInput } from "./terminal-input.ts";

export interface AttachInputListener {
  /** One of the client's own keys. What is typed after it waits until it is known whom it is for. */
  onAction(action: AttachAction): void;
  onEnd(): void;
}

type Receiver = (bytes: Uint8Array) => void;

/** Typed while nobody takes it (the daemon restarts): so much is kept, in order, and delivered afterwards. */
const MAX_KEPT_BYTES = 65_536;

/** What the user types, on its way to the session, to the menu, or waiting for one of them. */
export class AttachInput {
  readonly #terminal: TerminalInput;
  #keys = new AttachKeys([]);
  readonly #listener: AttachInputListener;
  /** Not looked at yet. */
  #unread: Uint8Array[] = [];
  /** For the session, which is not connected now. */
  #typed: Uint8Array[] = [];
  #typedBytes = 0;
  #session: Receiver | undefined;
  /** Told when there is something to read for the menu. */
  #menu: (() => void) | undefined;
  #isHeld = false;
  #isIgnoring = false;
  #holdTimer: Timer | undefined;

  constructor(source: TerminalInputSource, listener: AttachInputListener) {
    this.#listener = listener;
    const events = { onInput: (bytes: Uint8Array) => this.#take(bytes), onEnd: () => listener.onEnd() };
    this.#terminal = new TerminalInput(source, events);
  }

  /** `own` are the client's keys; nothing is read before they are known. */
  start(own: readonly AttachKey[]): void {
    this.#keys = new AttachKeys(own);
    this.#terminal.resume();
  }

  /** Reads no more, and drops what nobody has got. */
  stop(): void {
    clearTimeout(this.#holdTimer);
    this.#terminal.close();
    this.#isHeld = true;
  }

  /** The session takes no more for now. Keys typed meanwhile stay in the terminal. */
  pause(): void {
    this.#terminal.pause();
  }

  resume(): void {
    this.#terminal.resume();
  }

  /** From now on the session gets what is typed, first what was typed before. */
  connect(session: Receiver): void {
    this.#session = session;
    this.#menu = undefined;
    const typed = this.#typed;
    this.#typed = [];
    this.#typedBytes = 0;
    for (const bytes of typed) session(bytes);
    this.release();
  }

  disconnect(): void {
    this.#session = undefined;
    this.#terminal.resume();
  }

  /** From now on nothing is decoded: a menu reads by itself what it needs, and leaves the rest. */
  holdForMenu(onTyped: () => void): void {
    this.#isHeld = true;
    this.#menu = onTyped;
    if (this.#unread.length > 0) onTyped();
  }

  /** Drops what is typed for a while: it is meant for a menu that does not come. The client's own keys count. */
  ignoreFor(ms: number): void {
    this.#isIgnoring = true;
    setTimeout(() => {
      this.#isIgnoring = false;
    }, ms);
    this.release();
  }

  /** All that waits to be read. */
  takeHeld(): Uint8Array {
    return Buffer.concat(this.#unread.splice(0));
  }

  /** Puts back what was taken and not used. */
  putBack(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#unread.unshift(bytes);
  }

  /** Goes on after one of the client's keys. */
  release(): void {
    this.#isHeld = false;
    const unread = this.#unread;
    this.#unread = [];
    for (const bytes of unread) this.#take(bytes);
  }

  #take(bytes: Uint8Array): void {
    if (!this.#isHeld) {
      this.#decode(bytes);
      return;
    }
    this.#unread.push(bytes);
    this.#menu?.();
  }

  #decode(bytes: Uint8Array): void {
    clearTimeout(this.#holdTimer);
    const { forward, action, rest } = this.#keys.push(bytes, performance.now());
    this.#forward(forward);
    if (this.#keys.isHolding) this.#holdTimer = setTimeout(() => this.#forward(this.#keys.flush()), KEY_HOLD_MS);
    if (action === undefined) return;
    this.#isHeld = true;
    if (rest.length > 0) this.#unread.push(rest);
    this.#listener.onAction(action);
  }

  #forward(bytes: Uint8Array): void {
    if (bytes.length === 0 || this.#isIgnoring) return;
    if (this.#session !== undefined) {
      this.#session(bytes);
      return;
    }
    if (this.#typedBytes + bytes.length > MAX_KEPT_BYTES) return;
    this.#typed.push(bytes);
    this.#typedBytes += bytes.length;
  }
}
