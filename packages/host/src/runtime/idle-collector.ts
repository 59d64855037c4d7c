/**
 * Gives memory back when work has paused, and now and then when it never does. The runtime would do it by a timer that
 * never rests (see WORKER_ENVIRONMENT), or on its own only when the garbage has grown to tens of megabytes.
 */
export class IdleCollector implements Disposable {
  readonly #collect: () => void;
  #outputBytes = 0;
  #garbageBytes = 0;
  #quiet: ReturnType<typeof setTimeout> | undefined;
  #latest: ReturnType<typeof setTimeout> | undefined;
  #isDue = false;

  constructor(collect: () => void) {
    this.#collect = collect;
  }

  /** Output passed through. It leaves little behind. */
  noteOutput(bytes: number): void {
    this.#outputBytes += bytes;
    this.#schedule();
  }

  /** About so much was made that nobody needs any more. */
  noteGarbage(bytes: number): void {
    this.#garbageBytes += bytes;
    this.#schedule();
  }

  /** An attach or an answer of so many bytes was made. */
  noteAnswer(bytes: number): void {
    this.noteGarbage(ANSWER_GARBAGE.bytes + bytes * ANSWER_GARBAGE.timesItsSize);
  }

  #schedule(): void {
    if (this.#isDue) {
      return;
    }
    if (this.#reaches(DUE)) {
      this.#isDue = true;
      clearTimeout(this.#quiet);
      this.#quiet = setTimeout(() => this.#run(), 0);
    } else if (this.#quiet) {
      this.#quiet.refresh();
    } else if (this.#reaches(WORTH)) {
      this.#quiet = setTimeout(() => this.#run(), QUIET_MS);
      this.#latest = setTimeout(() => this.#run(), LATEST_MS);
    }
  }

  #reaches({ outputBytes, garbageBytes }: Amount): boolean {
    return this.#outputBytes >= outputBytes || this.#garbageBytes >= garbageBytes;
  }

  #run(): void {
    this[Symbol.dispose]();
    this.#isDue = false;
    this.#outputBytes = 0;
    this.#garbageBytes = 0;
    this.#collect();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#quiet);
    clearTimeout(this.#latest);
    this.#quiet = undefined;
    this.#latest = undefined;
  }
}

interface Amount {
  readonly outputBytes: number;
  readonly garbageBytes: number;
}

/** A collection takes about 5 ms; this much output takes about as long to read. */
export const WORTH: Amount = { outputBytes: 1_048_576, garbageBytes: 524_288 };
/** No pause is waited for: a flood of a second, or some fifteen looks at the screen. */
export const DUE: Amount = { outputBytes: 67_108_864, garbageBytes: 3_145_728 };
/** Measured: a screen of 10 KB leaves 150 KB behind, a repaint of 110 KB 700 KB, output of 100 KB 500 KB. */
const ANSWER_GARBAGE = { bytes: 131_072, timesItsSize: 5 };
/** Long enough not to fall between two screens of the same command. */
export const QUIET_MS = 1_500;
/** A program that prints a little all the time is never quiet. */
export const LATEST_MS = 10_000;
