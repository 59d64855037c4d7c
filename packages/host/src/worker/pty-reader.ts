import type { PtyCalls, PtyPair, PtyReader } from "../platform/index.ts";
import { WOULD_BLOCK } from "../platform/index.ts";
import type { DescriptorWatch, WatchedDescriptor } from "./descriptor-watch.ts";
import type { OutputRing } from "./output-ring.ts";

export interface PtyReaderOptions {
  readonly pty: PtyCalls;
  readonly pair: PtyPair;
  readonly ring: OutputRing;
  readonly watch: DescriptorWatch;
  /** New output, already in the ring. */
  readonly onOutput: (bytes: Uint8Array) => void;
  /** Everything the program wrote has been announced. Called once. */
  readonly onEnd: () => void;
}

/** Read in one turn, so that viewers and requests get theirs in a flood; an attach takes several turns, of about 1 ms each. */
const TURN_BYTES = 32_768;
/** As much as the kernel gives at once. Where that came, more is on its way: a signal for each piece would cost too much. */
const FLOOD_BYTES = 4_095;
/** After the program's exit no more than this is read: what is left then comes from others that hold the terminal. */
const LAST_OUTPUT_BYTES = 1_048_576;

/**
 * Moves output from a PTY straight into the ring. Reads never wait; that there is something to read is announced by a
 * signal, as for the worker's sockets; in a flood it is looked for in every turn instead. Not reading is the back-pressure
 * that the program sees.
 */
export class PtyOutputReader implements WatchedDescriptor {
  readonly fd: number;
  readonly wantsWrite = false;
  readonly #options: PtyReaderOptions;
  readonly #now: PtyReader;
  #isPaused = false;
  #isFlooded = false;
  #hasEnded = false;

  constructor(options: PtyReaderOptions) {
    this.fd = options.pair.master;
    this.#options = options;
    this.#now = options.pty.openReader(options.pair.master);
  }

  start(): void {
    this.#options.watch.add(this);
  }

  get hasEnded(): boolean {
    return this.#hasEnded;
  }

  get wantsRead(): boolean {
    return !this.#isFlooded && this.#canRead;
  }

  get #canRead(): boolean {
    return !this.#isPaused && !this.#hasEnded;
  }

  pause(): void {
    this.#isPaused = true;
  }

  resume(): void {
    if (this.#isPaused) {
      this.#isPaused = false;
      this.look();
    }
  }

  readable(): boolean {
    this.look();
    return false;
  }

  /** Nothing is written through this one. */
  writable(): void {}

  /** Takes what is there already, without waiting for its announcement. */
  look(): void {
    if (this.wantsRead && this.#take(TURN_BYTES) >= FLOOD_BYTES && this.#canRead) {
      this.#isFlooded = true;
      this.#options.watch.announce(this, false);
      this.#readOn();
    }
  }

  /** Reads in later turns, so that others get theirs, until a turn has nothing to read. */
  #readOn(): void {
    setImmediate(() => {
      let goesOn = true;
      try {
        goesOn = this.#canRead && this.#take(TURN_BYTES) > 0;
      } finally {
        // Also when somebody behind the output failed: the program must not stand still for that.
        if (goesOn) {
          this.#readOn();
        } else {
          this.#endFlood();
        }
      }
    });
  }

  #endFlood(): void {
    this.#isFlooded = false;
    if (!this.#hasEnded) {
      this.#options.watch.announce(this, true);
      // What came since the last look has not announced itself.
      this.look();
    }
  }

  /**
   * The program has ended. What it wrote before is still in the kernel: read until nothing is left, whether paused or not,
   * since it is bounded by the kernel's buffer. A read that finds nothing has made the kernel hand over all it had.
   */
  drain(): void {
    if (!this.#hasEnded) {
      this.#take(LAST_OUTPUT_BYTES);
      this.#end();
    }
  }

  /** Returns how much there was, up to about `mostBytes`. */
  #take(mostBytes: number): number {
    const { ring, onOutput } = this.#options;
    let taken = 0;
    while (taken < mostBytes) {
      const tail = ring.tail();
      const from = ring.tailFill;
      const bytes = this.#now.readNow(tail, from);
      if (bytes === WOULD_BLOCK) {
        break;
      }
      if (bytes <= 0) {
        // We hold the slave, so this can only mean that the terminal was hung up.
        this.#end();
        break;
      }
      onOutput(ring.commit(bytes));
      taken += bytes;
      if (from + bytes < tail.length) {
        break;
      }
    }
    return taken;
  }

  #end(): void {
    if (!this.#hasEnded) {
      this.#hasEnded = true;
      this.#options.watch.remove(this);
      this.#options.onEnd();
    }
  }
}
