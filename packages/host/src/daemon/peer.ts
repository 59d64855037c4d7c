import type { StreamId } from "@pohunek/protocol/wire";
import {
  ConnectionVersion,
  isProtocolError,
  LineDecoder,
  parseAttachPrelude,
  parseRequestEnvelope,
} from "@pohunek/protocol/wire";
import type { Socket } from "bun";
import type { Dispatcher } from "./dispatcher.ts";
import type { EventBus } from "./event-bus.ts";
import type { Origin } from "./origin.ts";
import { OutQueue } from "./out-queue.ts";
import { Subscription } from "./subscription.ts";

/** The part of a connection that becomes raw once its first line asked for that. */
export interface RawStream {
  data(bytes: Uint8Array): void;
  drain(): void;
  /** The other side has ended its half, or is to be sent away. */
  end(): void;
  /** The connection is gone. */
  closed(): void;
}

export interface PeerOptions {
  readonly socket: Socket<unknown>;
  readonly origin: Origin;
  readonly dispatcher: Dispatcher;
  readonly events: EventBus;
  /** Takes over a connection whose first line redeems an attach. */
  readonly openAttach: (
    streamId: StreamId,
    peer: { socket: Socket<unknown>; origin: Origin; rest: Uint8Array },
  ) => RawStream;
}

const LINE_FEED = 0x0a;
/** Requests that were read and wait for their turn. With more, the socket is not read until they are answered. */
const WAITING_REQUESTS = 64;

/**
 * One connection, whatever listener accepted it. Requests are answered one at a time and in order; the next one starts
 * when the answer before it has left. The connection may turn into a subscription or, by its first line, into an attach.
 */
export class Peer {
  readonly #options: PeerOptions;
  readonly #out: OutQueue;
  readonly #version = new ConnectionVersion();
  readonly #decoder = new LineDecoder();
  readonly #closing = new AbortController();
  readonly #waiting: Uint8Array[] = [];
  #isFirstLine = true;
  #isBusy = false;
  #isPaused = false;
  #hasEnded = false;
  #raw: RawStream | undefined;
  #granted: { readonly streamId: StreamId; readonly early: Uint8Array[] } | undefined;
  #subscription: Subscription | undefined;
  #subscribed: Disposable | undefined;

  constructor(options: PeerOptions) {
    this.#options = options;
    this.#out = new OutQueue(options.socket);
  }

  get origin(): Origin {
    return this.#options.origin;
  }

  data(chunk: Uint8Array): void {
    if (this.#raw !== undefined) {
      this.#raw.data(chunk);
    } else if (this.#granted !== undefined) {
      this.#granted.early.push(chunk.slice());
    } else if (this.#subscription === undefined && !this.#hasEnded) {
      this.#takeLines(chunk);
    }
  }

  drain(): void {
    if (this.#raw !== undefined) {
      this.#raw.drain();
      return;
    }
    this.#out.drain();
    this.#subscription?.flush();
  }

  /** The other side sends no more: what it asked is still answered. */
  end(): void {
    this.#hasEnded = true;
    this.#raw?.end();
    if (this.#raw === undefined && !this.#isBusy) {
      this.#options.socket.end();
    }
  }

  closed(): void {
    this.#hasEnded = true;
    this.#closing.abort();
    this.#subscribed?.[Symbol.dispose]();
    this.#out.close();
    this.#raw?.closed();
  }

  /** Ends the connection from this side. */
  close(): void {
    this.#raw?.end();
    this.#options.socket.end();
  }

  #takeLines(chunk: Uint8Array): void {
    try {
      const rest = this.#isFirstLine ? this.#takeFirstLine(chunk) : chunk;
      if (rest !== undefined && this.#raw === undefined) {
        for (const line of this.#decoder.push(rest)) {
          this.#waiting.push(line);
        }
      }
    } catch (cause) {
      if (!isProtocolError(cause, "framing")) {
        throw cause;
      }
      // A line above the ceiling: nothing after it can be trusted, so the connection ends.
      this.#hasEnded = true;
      this.#options.socket.end();
    }
    this.#throttle();
    if (!this.#isBusy && this.#waiting.length > 0) {
      this.#isBusy = true;
      void this.#answerAll();
    }
  }

  /** Looks whether the first line turns the connection into an attach. Returns the bytes after it, if they are lines. */
  #takeFirstLine(chunk: Uint8Array): Uint8Array | undefined {
    const end = chunk.indexOf(LINE_FEED);
    if (end === -1) {
      return chunk;
    }
    const [line = chunk] = this.#decoder.push(chunk.subarray(0, end + 1));
    this.#isFirstLine = false;
    const rest = chunk.subarray(end + 1);
    const streamId = parseAttachPrelude(line);
    if (streamId === undefined) {
      this.#waiting.push(line);
      return rest;
    }
    const { socket, origin, openAttach } = this.#options;
    this.#raw = openAttach(streamId, { socket, origin, rest });
    return undefined;
  }

  #throttle(): void {
    const isFull = this.#waiting.length > WAITING_REQUESTS;
    if (isFull !== this.#isPaused) {
      this.#isPaused = isFull;
      if (isFull) {
        this.#options.socket.pause();
      } else {
        this.#options.socket.resume();
      }
    }
  }

  async #answerAll(): Promise<void> {
    for (let line = this.#waiting.shift(); line !== undefined; line = this.#waiting.shift()) {
      this.#throttle();
      await this.#answer(line);
      await this.#out.whenEmpty();
      if (this.#granted !== undefined) {
        this.#upgrade(this.#granted);
        return;
      }
      if (this.#subscription !== undefined || this.#closing.signal.aborted) {
        this.#waiting.length = 0;
      }
    }
    this.#isBusy = false;
    this.#throttle();
    if (this.#hasEnded && this.#subscription === undefined) {
      this.#options.socket.end();
    }
  }

  async #answer(line: Uint8Array): Promise<void> {
    const answer = await this.#options.dispatcher.answer(parseRequestEnvelope(line), {
      origin: this.#options.origin,
      version: this.#version,
      signal: this.#closing.signal,
      subscribe: () => this.#subscribe(),
      becomeStream: (streamId) => this.#becomeStream(streamId),
    });
    this.#out.write(answer);
    this.#subscription?.release();
  }

  /** Bytes that came with the request are lines, and would have to be input: then the connection stays what it is. */
  #becomeStream(streamId: StreamId): boolean {
    const isClean = this.#waiting.length === 0 && this.#decoder.pendingBytes === 0 && !this.#hasEnded;
    this.#granted = isClean ? { streamId, early: [] } : undefined;
    return isClean;
  }

  #upgrade({ streamId, early }: { readonly streamId: StreamId; readonly early: readonly Uint8Array[] }): void {
    if (this.#closing.signal.aborted) {
      return;
    }
    const { socket, origin, openAttach } = this.#options;
    this.#raw = openAttach(streamId, { socket, origin, rest: Buffer.concat(early) });
    if (this.#hasEnded) {
      this.#raw.end();
    }
  }

  /** From now on the connection carries events. They start after the answer that acknowledges this. */
  #subscribe(): void {
    this.#subscription = new Subscription(this.#version.current, this.#out);
    this.#subscribed = this.#options.events.subscribe(this.#subscription);
  }
}
