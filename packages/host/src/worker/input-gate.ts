import { PASTE_END, PASTE_START } from "@pohunek/protocol/wire";
import { InputScanner } from "./input-scanner.ts";

/** How long others wait for one that is in the middle of something. */
export interface GateLimits {
  /** Of a paste of which nothing comes any more. */
  readonly pasteStallMs: number;
  /** Of an escape sequence, whose bytes come together. A lone Escape key looks like the start of one. */
  readonly sequenceStallMs: number;
  /** Of a paste that goes on and on. */
  readonly turnMs: number;
  readonly turnBytes: number;
  /** Input of one client that waits here; then it is not read any more. */
  readonly heldBytes: number;
}

export const GATE_LIMITS: GateLimits = {
  pasteStallMs: 500,
  sequenceStallMs: 100,
  turnMs: 5_000,
  turnBytes: 8_388_608,
  heldBytes: 65_536,
};

const NOTHING = new Uint8Array(0);

export interface InputGateOptions {
  /** Passes bytes on to the program. They are only lent. */
  readonly write: (bytes: Uint8Array) => void;
  /** Some of what was held back has left. */
  readonly onRoom: () => void;
  readonly limits?: GateLimits;
}

interface Waiting {
  readonly passage: Passage | undefined;
  readonly bytes: number;
  readonly pass: () => void;
}

/**
 * Where the input of all clients becomes one: while one of them is in the middle of a paste or of an escape sequence, the
 * others wait, in the order of their arrival. One that stays there too long loses its turn: a paste is closed for it, so that
 * what the others type is not taken for a part of it, and opened again when its rest comes. Nothing runs while nobody waits.
 */
export class InputGate implements Disposable {
  readonly #options: InputGateOptions;
  readonly #limits: GateLimits;
  #waiting: Waiting[] = [];
  #turn: { readonly passage: Passage; readonly startMs: number; lastMs: number; bytes: number } | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: InputGateOptions) {
    this.#options = options;
    this.#limits = options.limits ?? GATE_LIMITS;
  }

  /** A way through for one client; `onTyped` is called when keys of it, or a paste, pass. */
  enter(onTyped: () => void): Passage {
    return new Passage({
      pass: (passage, bytes) => this.#arrive(passage, bytes),
      leave: (passage) => this.#leave(passage),
      isFull: (passage) => this.#heldBytes(passage) >= this.#limits.heldBytes,
      onTyped,
    });
  }

  /** Does something to the input that must not get into the middle of what a client sends, as soon as it can't. */
  admit<Result>(action: () => Promise<Result>): Promise<Result> {
    if (!this.#turn && this.#waiting.length === 0) {
      return action();
    }
    const { promise, resolve } = Promise.withResolvers<Result>();
    this.#wait({ passage: undefined, bytes: 0, pass: () => resolve(action()) });
    return promise;
  }

  #arrive(passage: Passage, bytes: Uint8Array): void {
    const isBehind = this.#waiting.some((waiting) => waiting.passage === passage);
    if (isBehind || (this.#turn && this.#turn.passage !== passage)) {
      const own = bytes.slice();
      this.#wait({ passage, bytes: own.length, pass: () => this.#forward(passage, own) });
      return;
    }
    this.#forward(passage, bytes);
    this.#serve();
  }

  #forward(passage: Passage, bytes: Uint8Array): void {
    const start = passage.isReopened() ? PASTE_START : NOTHING;
    const passed = passage.scan(bytes);
    // Before the writing, which takes output, for which the terminal may have something to say to the program at once.
    this.#takeTurn(passage, bytes.length);
    const all = start.length === 0 ? passed : Buffer.concat([start, passed]);
    if (all.length > 0) {
      this.#options.write(all);
    }
  }

  #takeTurn(passage: Passage, bytes: number): void {
    if (!passage.isInside) {
      this.#turn = undefined;
      return;
    }
    const nowMs = performance.now();
    this.#turn ??= { passage, startMs: nowMs, lastMs: nowMs, bytes: 0 };
    this.#turn.lastMs = nowMs;
    this.#turn.bytes += bytes;
  }

  #wait(waiting: Waiting): void {
    this.#waiting.push(waiting);
    this.#serve();
  }

  /** Lets through what may pass now. */
  #serve(): void {
    const hadWaiting = this.#waiting.length > 0;
    for (;;) {
      if (this.#turn && this.#waiting.length > 0 && this.#isTurnOver()) {
        this.#endTurn();
      }
      const { passage } = this.#turn ?? {};
      const next = this.#waiting.findIndex((waiting) => passage === undefined || waiting.passage === passage);
      const [waiting] = next === -1 ? [] : this.#waiting.splice(next, 1);
      if (!waiting) {
        break;
      }
      waiting.pass();
      this.#closeIfGone(waiting.passage);
    }
    this.#schedule();
    if (hadWaiting) {
      this.#options.onRoom();
    }
  }

  #isTurnOver(): boolean {
    const turn = this.#turn;
    return turn !== undefined && (turn.bytes > this.#limits.turnBytes || this.#turnEndMs(turn) <= performance.now());
  }

  #turnEndMs({ passage, startMs, lastMs }: { passage: Passage; startMs: number; lastMs: number }): number {
    const { pasteStallMs, sequenceStallMs, turnMs } = this.#limits;
    return Math.min(startMs + turnMs, lastMs + (passage.isPasting ? pasteStallMs : sequenceStallMs));
  }

  #endTurn(): void {
    const turn = this.#turn;
    this.#turn = undefined;
    if (turn?.passage.breakPaste()) {
      this.#options.write(PASTE_END);
    }
  }

  #schedule(): void {
    clearTimeout(this.#timer);
    const waitMs = this.#turn && this.#waiting.length > 0 ? this.#turnEndMs(this.#turn) - performance.now() : undefined;
    this.#timer = waitMs === undefined ? undefined : setTimeout(() => this.#serve(), Math.max(1, Math.ceil(waitMs)));
  }

  #leave(passage: Passage): void {
    this.#closeIfGone(passage);
    this.#serve();
  }

  /** What a client that has gone had begun is closed, once all that it sent has passed. */
  #closeIfGone(passage: Passage | undefined): void {
    if (passage?.hasLeft && this.#turn?.passage === passage && this.#heldBytes(passage) === 0) {
      this.#endTurn();
    }
  }

  #heldBytes(passage: Passage): number {
    return this.#waiting.reduce((sum, waiting) => sum + (waiting.passage === passage ? waiting.bytes : 0), 0);
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#waiting = [];
  }
}

interface PassageOptions {
  readonly pass: (passage: Passage, bytes: Uint8Array) => void;
  readonly leave: (passage: Passage) => void;
  readonly isFull: (passage: Passage) => boolean;
  readonly onTyped: () => void;
}

/** One client's way through the gate. */
export class Passage {
  readonly #options: PassageOptions;
  readonly #scanner = new InputScanner();
  #isBroken = false;
  #hasLeft = false;

  constructor(options: PassageOptions) {
    this.#options = options;
  }

  /** So much waits that no more should be offered. */
  get isFull(): boolean {
    return this.#options.isFull(this);
  }

  get hasLeft(): boolean {
    return this.#hasLeft;
  }

  get isInside(): boolean {
    return this.#scanner.isInside;
  }

  get isPasting(): boolean {
    return this.#scanner.isPasting;
  }

  /** The bytes are only lent. */
  pass(bytes: Uint8Array): void {
    this.#options.pass(this, bytes);
  }

  /** The client is gone; what it sent still passes. */
  leave(): void {
    this.#hasLeft = true;
    this.#options.leave(this);
  }

  scan(bytes: Uint8Array): Uint8Array {
    const passed = this.#scanner.push(bytes);
    if (this.#scanner.hasTyped) {
      this.#options.onTyped();
    }
    return passed;
  }

  /** The client loses its turn; true when the program has to be told the end of a paste. */
  breakPaste(): boolean {
    this.#isBroken = this.#scanner.isPasting;
    return this.#isBroken;
  }

  /** True once, when the rest of a paste comes that was broken off. */
  isReopened(): boolean {
    const wasBroken = this.#isBroken;
    this.#isBroken = false;
    return wasBroken;
  }
}
