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
  readonly plan?: QueuedPlan;
}

interface QueuedPause {
  readonly kind: "pause";
  readonly ms: number;
  readonly plan: QueuedPlan;
}

/** Where a plan waits until somebody says whether it goes on. */
interface QueuedHold extends PlanHold {
  readonly kind: "hold";
  readonly plan: QueuedPlan;
}

/** A plan of which something is still to be written. */
interface QueuedPlan {
  written: number;
  timer?: ReturnType<typeof setTimeout>;
  readonly settle: (outcome: InputOutcome) => void;
}

export interface PlanLimits {
  /** By `performance.now()`: what is not written by then is dropped. The silences of the plan come on top. */
  readonly endsAt?: number;
  /** Stop before the last fragment until somebody says whether to write it. */
  readonly hold?: PlanHold;
}

export interface PlanHold {
  /** A plan of which nothing is said for so long is withdrawn. */
  readonly ms: number;
  /** All but the last fragment is written, and the silence is over. `settle` counts once. */
  readonly onHeld: (settle: (isSubmitted: boolean) => void) => void;
}

/**
 * `late`: the program did not read in time, and the rest was dropped. `discarded`: an interrupt or the program's end dropped
 * it, with what the kernel still held. `withdrawn`: it was held, and the rest was not wanted any more.
 */
export interface InputOutcome {
  readonly kind: "written" | "late" | "discarded" | "withdrawn";
  readonly writtenBytes: number;
}

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
  #entries: (QueuedBytes | QueuedPause | QueuedHold)[] = [];
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

  /** Fragments with the silence after each; resolves when the last byte is taken by the PTY, or never will be. */
  writePlan(
    fragments: readonly { readonly bytes: Uint8Array; readonly delayMs: number }[],
    { endsAt = Number.POSITIVE_INFINITY, hold }: PlanLimits = {},
  ): Promise<InputOutcome> {
    const { promise, resolve } = Promise.withResolvers<InputOutcome>();
    const leftMs = endsAt - performance.now();
    if (this.#isClosed || leftMs <= 0) {
      return Promise.resolve({ kind: this.#isClosed ? "discarded" : "late", writtenBytes: 0 });
    }
    const plan: QueuedPlan = { written: 0, settle: resolve };
    let silenceMs = hold?.ms ?? 0;
    for (const [index, { bytes, delayMs }] of fragments.entries()) {
      if (hold && index === fragments.length - 1) {
        this.#entries.push({ kind: "hold", plan, ...hold });
      }
      this.#entries.push({ kind: "bytes", bytes, plan });
      this.#bytes += bytes.length;
      if (delayMs > 0 && index < fragments.length - 1) {
        this.#entries.push({ kind: "pause", ms: delayMs, plan });
        silenceMs += delayMs;
      }
    }
    if (leftMs !== Number.POSITIVE_INFINITY) {
      plan.timer = setTimeout(() => this.#drop(plan, "late"), leftMs + silenceMs);
    }
    this.#advance();
    return promise;
  }

  /** Takes what is left of a plan out of the line, so that it is not written when nobody expects it any more. */
  #drop(plan: QueuedPlan, kind: "late" | "withdrawn"): void {
    const wasFull = this.isFull;
    const isFirst = this.#entries[0]?.plan === plan;
    for (const entry of this.#entries) {
      this.#bytes -= entry.plan === plan && entry.kind === "bytes" ? entry.bytes.length : 0;
    }
    this.#entries = this.#entries.filter((entry) => entry.plan !== plan);
    settle(plan, kind);
    if (isFirst) {
      this.#stopTimer();
      this.#advance();
    }
    if (wasFull && !this.isFull) {
      this.#options.onSpace();
    }
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
      } else if (entry.kind === "hold") {
        this.#hold(entry);
      } else {
        this.#write(entry);
      }
    }
  }

  /** What is behind it in the line waits as well: nothing gets between the halves of a plan. */
  #hold(entry: QueuedHold): void {
    const settleHold = (isSubmitted: boolean): void => {
      if (this.#entries[0] !== entry) {
        return;
      }
      if (!isSubmitted) {
        this.#drop(entry.plan, "withdrawn");
        return;
      }
      this.#stopTimer();
      this.#entries.shift();
      this.#advance();
    };
    this.#timer = setTimeout(() => settleHold(false), entry.ms);
    entry.onHeld(settleHold);
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
    const { plan } = entry;
    if (plan) {
      plan.written += written;
    }
    if (entry.bytes.length === 0) {
      this.#entries.shift();
      if (plan && this.#entries[0]?.plan !== plan) {
        settle(plan, "written");
      }
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
    for (const plan of new Set(entries.map((entry) => entry.plan))) {
      if (plan) {
        settle(plan, "discarded");
      }
    }
    this.#options.onSpace();
  }
}

function settle(plan: QueuedPlan, kind: InputOutcome["kind"]): void {
  clearTimeout(plan.timer);
  plan.settle({ kind, writtenBytes: plan.written });
}
