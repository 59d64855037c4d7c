import { PASTE_START, PasteFollower } from "@pohunek/protocol/wire";
import type { Reading } from "./terminal-answer.ts";
import { readTerminalInput } from "./terminal-answer.ts";

export interface AnswerFilterOptions {
  /** Input that is none of the terminal's answers; the bytes are only lent. */
  readonly deliver: (bytes: Uint8Array) => void;
  /** Whether the program has asked for the position of late and this viewer has not answered; if so, now it has. */
  readonly takePositionQuestion: () => boolean;
  /**
   * The viewer lets no query through to its terminal. A lone ESC is its Escape key then, and is not kept back.
   */
  readonly isNeverAsked: boolean;
  /** The content of the viewer's clipboard; the bytes are only lent. */
  readonly deliverClipboard: (answer: Uint8Array) => void;
}

/**
 * How long the beginning of an answer that may also be a key is kept back: an Escape key pressed alone comes so much later.
 * Longer than the two halves of an answer are apart, shorter than a person notices.
 */
const KEY_HOLD_MS = 30;
/** What can't be a key is waited for this long, and then dropped. */
const ANSWER_HOLD_MS = 2_000;
/** An answer whose ESC was taken for a key is still known as one. */
const LATE_REST_MS = 1_000;

const ESC = 0x1b;
/** What follows the ESC of an answer. */
const SECOND_BYTES: readonly (number | undefined)[] = [0x5b, 0x5d, 0x50, 0x5f];
const NOTHING = new Uint8Array(0);

/**
 * Takes the answers of a viewer's terminal out of what it sends: the program has got its answer from the worker already. They
 * may come at any time and cut anywhere. Keys, the mouse, focus and pastes pass.
 */
export class AnswerFilter implements Disposable {
  readonly #options: AnswerFilterOptions;
  #held: Uint8Array = NOTHING;
  /** What is held can't be a key. */
  #isCertain = false;
  /** The first held byte has been delivered. */
  #isFirstDelivered = false;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #escapeDeliveredMs = Number.NEGATIVE_INFINITY;
  readonly #paste = new PasteFollower();

  constructor(options: AnswerFilterOptions) {
    this.#options = options;
  }

  take(chunk: Uint8Array): void {
    if (this.#held.length === 0 && !this.#paste.isInside && chunk.indexOf(ESC) === -1 && !this.#mayBeRest(chunk)) {
      this.#options.deliver(chunk);
      return;
    }
    this.#takeSlowly(chunk);
  }

  /** The viewer is gone: what may have been a key was one. */
  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#release(this.#isCertain);
  }

  #mayBeRest(chunk: Uint8Array): boolean {
    return SECOND_BYTES.includes(chunk[0]) && performance.now() - this.#escapeDeliveredMs < LATE_REST_MS;
  }

  #takeSlowly(chunk: Uint8Array): void {
    this.#paste.noteInput(performance.now());
    clearTimeout(this.#timer);
    if (this.#held.length === 0 && this.#mayBeRest(chunk)) {
      this.#held = Uint8Array.of(ESC);
      this.#isFirstDelivered = true;
    }
    const bytes = this.#held.length === 0 ? chunk : Buffer.concat([this.#held, chunk]);
    this.#held = NOTHING;
    this.#split(bytes);
  }

  #split(bytes: Uint8Array): void {
    const isFirstDelivered = this.#isFirstDelivered;
    this.#isFirstDelivered = false;
    this.#escapeDeliveredMs = Number.NEGATIVE_INFINITY;
    let from = isFirstDelivered ? 1 : 0;
    let at = this.#paste.isInside ? this.#paste.skip(bytes, 0) : 0;
    for (at = indexOfEscape(bytes, at); at < bytes.length; at = indexOfEscape(bytes, at)) {
      const reading = readTerminalInput(bytes, at);
      if (reading.type === "unfinished") {
        this.#deliver(bytes.subarray(from, at));
        this.#hold(bytes.slice(at), { isCertain: reading.isCertain, isFirstDelivered: isFirstDelivered && at === 0 });
        return;
      }
      const end = at + reading.length;
      if (!this.#isAnswer(reading)) {
        const isPaste = Buffer.compare(PASTE_START, bytes.subarray(at, end)) === 0;
        at = isPaste ? this.#paste.begin(bytes, end) : end;
        continue;
      }
      this.#deliver(bytes.subarray(from, at));
      if (reading.about === "clipboard") {
        this.#options.deliverClipboard(bytes.subarray(at, end));
      }
      at = end;
      from = end;
    }
    this.#deliver(bytes.subarray(from));
  }

  #isAnswer(reading: Exclude<Reading, { type: "unfinished" }>): reading is Extract<Reading, { type: "answer" }> {
    if (reading.type === "other") return false;
    // Counted, so that no more keys are taken for answers than there were questions.
    const isAsked = reading.about === "position" && this.#options.takePositionQuestion();
    return isAsked || !reading.isMaybeKey;
  }

  #hold(bytes: Uint8Array, { isCertain, isFirstDelivered }: { isCertain: boolean; isFirstDelivered: boolean }): void {
    if (isFirstDelivered && !isCertain) {
      // A key after the Escape key is not kept back a second time.
      this.#deliver(bytes.subarray(1));
      return;
    }
    this.#held = bytes;
    this.#isCertain = isCertain;
    this.#isFirstDelivered = isFirstDelivered;
    if (bytes.length === 1 && this.#options.isNeverAsked) {
      this.#release(false);
      return;
    }
    this.#timer = setTimeout(() => this.#release(isCertain), isCertain ? ANSWER_HOLD_MS : KEY_HOLD_MS);
  }

  #release(isCertain: boolean): void {
    const held = this.#held;
    this.#held = NOTHING;
    this.#isFirstDelivered = false;
    if (isCertain) return;
    if (held.length === 1) this.#escapeDeliveredMs = performance.now();
    this.#deliver(held);
  }

  #deliver(bytes: Uint8Array): void {
    if (bytes.length > 0) this.#options.deliver(bytes);
  }
}

function indexOfEscape(bytes: Uint8Array, from: number): number {
  const found = bytes.indexOf(ESC, from);
  return found === -1 ? bytes.length : found;
}
