import type { EventSink } from "./event-bus.ts";
import type { OutQueue } from "./out-queue.ts";

/** Events that wait for a slow subscriber. Beyond these bounds the oldest are dropped; it reconciles by listing again. */
const QUEUE_EVENTS = 1024;
const QUEUE_BYTES = 4_194_304;

/** The events of one subscriber on their way to its socket. They are held back until its subscription is acknowledged. */
export class Subscription implements EventSink {
  readonly version: number;
  readonly #out: OutQueue;
  readonly #waiting: Uint8Array[] = [];
  #waitingBytes = 0;
  #isHeld = true;
  #dropped = 0;

  constructor(version: number, out: OutQueue) {
    this.version = version;
    this.#out = out;
  }

  get dropped(): number {
    return this.#dropped;
  }

  deliver(line: Uint8Array): void {
    this.#waiting.push(line);
    this.#waitingBytes += line.length;
    this.flush();
    while (this.#waiting.length > QUEUE_EVENTS || this.#waitingBytes > QUEUE_BYTES) {
      this.#waitingBytes -= this.#waiting.shift()?.length ?? 0;
      this.#dropped += 1;
    }
  }

  /** The acknowledgement is written: events may follow. */
  release(): void {
    this.#isHeld = false;
    this.flush();
  }

  /** Hands on what the socket takes now. */
  flush(): void {
    while (!this.#isHeld && this.#out.pendingBytes === 0 && this.#waiting.length > 0) {
      const line = this.#waiting.shift();
      if (line !== undefined) {
        this.#waitingBytes -= line.length;
        this.#out.write(line);
      }
    }
  }
}
