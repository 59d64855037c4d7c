import { constants } from "node:os";
import type { PtyCalls, PtyPair } from "../platform/index.ts";
import { WOULD_BLOCK } from "../platform/index.ts";
import { WORKER_LIMITS } from "../worker-api/limits.ts";

export interface InputQueueOptions {
  readonly pty: PtyCalls;
  readonly pair: PtyPair;
  /** The queue became shorter: whoever was told to wait may go on. */
  readonly onSpace: () => void;
}

interface QueuedBytes {
  readonly kind: "bytes";
  bytes: Uint8Array;
  /** Called when the last byte is written, or when it is certain that it never will be. */
  readonly done?: (outcome: InputOutcome) => void;
}

interface QueuedPause {
  readonly kind: "pause";
  readonly ms: number;
}

export type InputOutcome = "written" | "discarded";

/** Bytes offered to the PTY in one call. The kernel's input buffer takes no more than about 64 KB. */
const WRITE_BYTES = 65_536;
/** First wait for a program that does not read, then doubled up to the second: no spinning, and no lag a person sees. */
const BACK_OFF_MS = { first: 1, most: 50 };

/**
 * Input on its way to the program, in the order of arrival. A program that does not read makes it longer, never the worker
 * slower. Plans and raw input share the one order, so nothing gets between the two halves of a plan.
 */
export class InputQueue implements Disposable {
  readonly #options: InputQueueOptions;
  #entries: (QueuedBytes | QueuedPause)[] = [];
  #bytes = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #backOffMs = BACK_OFF_MS.first;
  #isClosed = false;

  constructor(options: InputQueueOptions) {
    this.#options = options;
  }

  get bytes(): number {
    return this.#bytes;
  }

  /** No more should be offered until `onSpace`. */
  get isFull(): boolean {
    return this.#bytes >= WORKER_LIMITS.inputQueueBytes;
  }

  /** Input as typed. The bytes are kept only if they can't be written now. */
  writeRaw(bytes: Uint8Array): void {
    if (!this.#isClosed && !this.#interrupt(bytes)) {
      this.#queueRaw(bytes);
    }
  }

  #queueRaw(bytes: Uint8Array): void {
    if (bytes.length > 0) {
      this.#entries.push({ kind: "bytes", bytes });
      this.#bytes += bytes.length;
      this.#advance();
      this.#keepOwnCopy(bytes);
    }
  }

  /** Fragments with the silence after each; resolves when the last byte is taken by the PTY. */
  writePlan(fragments: readonly { readonly bytes: Uint8Array; readonly delayMs: number }[]): Promise<InputOutcome> {
    const { promise, resolve } = Promise.withResolvers<InputOutcome>();
    if (this.#isClosed) {
      return Promise.resolve("discarded");
    }
    for (const [index, { bytes, delayMs }] of fragments.entries()) {
      const isLast = index === fragments.length - 1;
      this.#entries.push({ kind: "bytes", bytes, ...(isLast ? { done: resolve } : {}) });
      this.#bytes += bytes.length;
      if (delayMs > 0 && !isLast) {
        this.#entries.push({ kind: "pause", ms: delayMs });
      }
    }
    this.#advance();
    return promise;
  }

  /** Output moved: a program that prints has probably also read. */
  retry(): void {
    if (this.#timer && this.#entries[0]?.kind === "bytes") {
      this.#stopTimer();
      this.#advance();
    }
  }

  /** The program is gone: what is left will never be written. */
  [Symbol.dispose](): void {
    this.#isClosed = true;
    this.#stopTimer();
    this.#discard();
  }

  #advance(): void {
    while (!this.#timer) {
      const [entry] = this.#entries;
      if (!entry) {
        return;
      }
      if (entry.kind === "pause") {
        this.#wait(entry.ms);
      } else {
        this.#write(entry);
      }
    }
  }

  #write(entry: QueuedBytes): void {
    const { pty, pair, onSpace } = this.#options;
    const wasFull = this.isFull;
    const written = pty.writeNow(pair.master, entry.bytes.subarray(0, WRITE_BYTES));
    if (written === WOULD_BLOCK || (written === 0 && entry.bytes.length > 0)) {
      this.#wait(this.#backOffMs);
      this.#backOffMs = Math.min(this.#backOffMs * 2, BACK_OFF_MS.most);
      return;
    }
    pty.settleInput(pair.slave);
    this.#backOffMs = BACK_OFF_MS.first;
    this.#bytes -= written;
    entry.bytes = entry.bytes.subarray(written);
    if (entry.bytes.length === 0) {
      this.#entries.shift();
      entry.done?.("written");
    }
    if (wasFull && !this.isFull) {
      onSpace();
    }
  }

  #wait(ms: number): void {
    this.#timer = setTimeout(() => {
      this.#timer = undefined;
      if (this.#entries[0]?.kind === "pause") {
        this.#entries.shift();
      }
      this.#advance();
    }, ms);
  }

  #stopTimer(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  /** The caller's memory is only lent. */
  #keepOwnCopy(lent: Uint8Array): void {
    const last = this.#entries.at(-1);
    if (last?.kind === "bytes" && last.bytes.buffer === lent.buffer) {
      last.bytes = last.bytes.slice();
    }
  }

  /**
   * The kernel acts on Ctrl-C when it gets the byte, ahead of what the program has not read. Behind a queue that is stuck
   * it would never get it. So do here what the kernel does there: drop pending input and signal the foreground group.
   */
  #interrupt(bytes: Uint8Array): boolean {
    const isStuck = this.#bytes > 0;
    const signalAt = isStuck ? this.#findSignal(bytes) : undefined;
    if (!signalAt) {
      return false;
    }
    const { pty, pair } = this.#options;
    if (signalAt.keepsInput) {
      this.#queueRaw(bytes.subarray(0, signalAt.index));
    } else {
      this.#stopTimer();
      this.#discard();
      pty.flushInput(pair.slave);
    }
    pty.signalForeground(pair.master, signalAt.signal);
    this.writeRaw(bytes.subarray(signalAt.index + 1));
    return true;
  }

  #findSignal(bytes: Uint8Array): { index: number; signal: number; keepsInput: boolean } | undefined {
    const { pty, pair } = this.#options;
    const line = pty.lineDiscipline(pair.master);
    if (!line.hasSignals) {
      return undefined;
    }
    const signals = new Map([
      [line.interruptByte, constants.signals.SIGINT],
      [line.quitByte, constants.signals.SIGQUIT],
      [line.suspendByte, constants.signals.SIGTSTP],
    ]);
    // 0 stands for "none" in a control character.
    const index = bytes.findIndex((byte) => byte !== 0 && signals.has(byte));
    const signal = signals.get(bytes[index] ?? 0);
    return signal === undefined ? undefined : { index, signal, keepsInput: line.keepsInputOnSignal };
  }

  #discard(): void {
    const entries = this.#entries;
    this.#entries = [];
    this.#bytes = 0;
    this.#backOffMs = BACK_OFF_MS.first;
    for (const entry of entries) {
      if (entry.kind === "bytes") {
        entry.done?.("discarded");
      }
    }
    this.#options.onSpace();
  }
}
