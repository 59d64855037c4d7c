import type { ProtocolError, StreamId } from "@pohunek/protocol/wire";
import { encodeFailure, isProtocolError, PROTOCOL_VERSION, protocolError } from "@pohunek/protocol/wire";
import type { Socket } from "bun";
import type { WorkerClient } from "../worker-api/client.ts";
import type { OpenDataStreamParams } from "../worker-api/operations.ts";
import type { WorkerStream } from "../worker-api/stream.ts";
import { OBSERVATION_SINCE } from "../worker-api/version.ts";
import type { AttachCarrier } from "./attachments.ts";
import { OutQueue } from "./out-queue.ts";

export interface AttachProxyOptions {
  readonly streamId: StreamId;
  readonly socket: Socket<unknown>;
  /** Client bytes that came behind the prelude: they are input already. */
  readonly rest: Uint8Array;
  readonly worker: WorkerClient;
  readonly opening: OpenDataStreamParams;
  /** The worker's stream is open. */
  readonly onOpen: () => void;
  /** Called once, last; `wasOpen` when `onOpen` was called before. */
  readonly onClosed: (error: ProtocolError | undefined, wasOpen: boolean) => void;
}

/** Input of the client that waits for the worker's stream to open; then the client is not read until it has. */
const EARLY_INPUT_BYTES = 65_536;
/** Shown before a replay by a worker that can't repaint: never empty, and never mistaken for an error response. */
const BLANK_SCREEN = new TextEncoder().encode("\x1b[m\x1b[H\x1b[2J");

/**
 * Carries raw bytes between one client and one worker. Nothing is copied or kept but what a full socket did not take; the
 * side that can't go on is answered by not reading the other one.
 */
export class AttachProxy implements AttachCarrier {
  readonly #options: AttachProxyOptions;
  readonly #out: OutQueue;
  #early: Uint8Array[] = [];
  #earlyBytes = 0;
  #stream: WorkerStream | undefined;
  #isStreamPaused = false;
  #hasEnded = false;
  #hasOutput = false;

  constructor(options: AttachProxyOptions) {
    this.#options = options;
    this.#out = new OutQueue(options.socket);
    this.data(options.rest);
    void this.#open();
  }

  async #open(): Promise<void> {
    const { worker, opening, onOpen } = this.#options;
    try {
      if (worker.version < OBSERVATION_SINCE) {
        this.#output(BLANK_SCREEN);
      }
      const stream = await worker.attach({
        ...opening,
        listener: {
          output: (bytes) => this.#output(bytes),
          drain: () => this.#options.socket.resume(),
          closed: (error) => this.#finish(error),
        },
      });
      if (this.#hasEnded) {
        stream[Symbol.dispose]();
        return;
      }
      this.#stream = stream;
      onOpen();
      const early = this.#early;
      this.#early = [];
      early.forEach((bytes) => this.data(bytes));
      this.#options.socket.resume();
    } catch (cause) {
      this.#finish(isProtocolError(cause) ? cause : protocolError("worker_attach_stream_failed", { cause }));
    }
  }

  /** Input of the client. */
  data(bytes: Uint8Array): void {
    if (this.#hasEnded || bytes.length === 0) {
      return;
    }
    if (this.#stream === undefined) {
      this.#early.push(bytes);
      this.#earlyBytes += bytes.length;
      if (this.#earlyBytes > EARLY_INPUT_BYTES) {
        this.#options.socket.pause();
      }
      return;
    }
    if (!this.#stream.write(bytes)) {
      this.#options.socket.pause();
    }
  }

  #output(bytes: Uint8Array): void {
    this.#hasOutput = true;
    this.#out.write(bytes);
    if (this.#out.pendingBytes > 0 && !this.#isStreamPaused) {
      this.#isStreamPaused = true;
      this.#stream?.pause();
    }
  }

  /** The client takes bytes again. */
  drain(): void {
    this.#out.drain();
    if (this.#out.pendingBytes === 0 && this.#isStreamPaused) {
      this.#isStreamPaused = false;
      this.#stream?.resume();
    }
  }

  /** The client has gone, or is sent away: only this attach ends. */
  end(): void {
    this.#finish(undefined);
  }

  async detach(): Promise<void> {
    this.#finish(undefined);
  }

  closed(): void {
    this.#out.close();
    this.#finish(undefined);
  }

  #finish(error: ProtocolError | undefined): void {
    if (this.#hasEnded) {
      return;
    }
    this.#hasEnded = true;
    const { streamId, socket, onClosed } = this.#options;
    this.#stream?.[Symbol.dispose]();
    if (error !== undefined && !this.#hasOutput) {
      this.#out.write(encodeFailure(PROTOCOL_VERSION, streamId, error));
    }
    // What a slow client has not taken yet is still its own; the socket closes behind it.
    void this.#out.whenEmpty().then(() => socket.end());
    onClosed(error, this.#stream !== undefined);
  }
}
