import type { ProtocolError } from "@pohunek/protocol/wire";
import type { Socket } from "bun";
import { connectUnix } from "./connect-unix.ts";
import type { FrameKind } from "./frames.ts";
import { FRAME, FrameDecoder } from "./frames.ts";
import { WORKER_LIMITS } from "./limits.ts";
import { LineWriter } from "./line-writer.ts";
import { errorFromBody, workerError } from "./worker-error.ts";

export interface DataListener {
  /** A piece of a byte frame; valid only during the call. */
  bytes(bytes: Uint8Array): void;
  /** A message frame that does not end the stream. */
  message(kind: FrameKind, value: unknown): void;
  /** All that was written has left. */
  drain(): void;
  /** Called once, last. `error` is absent when the stream ended in order. */
  closed(error: ProtocolError | undefined): void;
}

/** The connection of one attach on the daemon's side: takes frames apart, and tells once how it ended. */
export class DataConnection {
  readonly #listener: DataListener;
  readonly #decoder: FrameDecoder;
  #socket: Socket<undefined> | undefined;
  #writer: LineWriter | undefined;
  #failure: ProtocolError | undefined;
  #isEnded = false;
  #isClosed = false;

  private constructor(listener: DataListener) {
    this.#listener = listener;
    this.#decoder = new FrameDecoder({
      bytes: (_kind, bytes) => listener.bytes(bytes),
      message: (kind, payload) => this.#message(kind, payload),
    });
  }

  /** Fails with worker_connect_failed. The caller writes the first line. */
  static async open(path: string, listener: DataListener): Promise<DataConnection> {
    const connection = new DataConnection(listener);
    connection.#socket = await connectUnix(path, {
      connectMs: WORKER_LIMITS.connectMs,
      handlers: {
        data: (_socket, chunk) => connection.#receive(chunk),
        drain: () => connection.#drain(),
        close: () => connection.#close(undefined),
        error: (_socket, cause) =>
          connection.#close(workerError("worker_attach_stream_failed", "The attach stream broke.", { cause })),
      },
    });
    connection.#writer = new LineWriter(connection.#socket);
    return connection;
  }

  /** Sends bytes. False: some are held back here, so wait for `drain` before offering more. */
  write(bytes: Uint8Array): boolean {
    this.#writer?.write(bytes);
    return this.#writer?.pendingBytes === 0;
  }

  get socket(): Socket<undefined> {
    if (this.#socket === undefined) {
      throw new Error("a data connection is used before it is open");
    }
    return this.#socket;
  }

  /** Ends it from this side, in order. */
  end(): void {
    this.#isEnded = true;
    this.#socket?.end();
  }

  #drain(): void {
    this.#writer?.drain();
    if (this.#writer?.pendingBytes === 0) {
      this.#listener.drain();
    }
  }

  #receive(chunk: Uint8Array): void {
    try {
      this.#decoder.push(chunk);
    } catch (cause) {
      this.#failure = workerError("worker_attach_stream_failed", "The worker sent a malformed frame.", { cause });
      this.#socket?.end();
    }
  }

  #message(kind: FrameKind, payload: Uint8Array): void {
    const value: unknown = payload.length === 0 ? undefined : JSON.parse(new TextDecoder().decode(payload));
    if (kind === FRAME.error) {
      this.#failure = errorFromBody(value);
    }
    if (kind === FRAME.error || kind === FRAME.close) {
      this.#isEnded = true;
    } else {
      this.#listener.message(kind, value);
    }
  }

  #close(error: ProtocolError | undefined): void {
    if (this.#isClosed) {
      return;
    }
    this.#isClosed = true;
    const cut = workerError("worker_attach_stream_failed", "The worker went away.");
    this.#listener.closed(this.#failure ?? error ?? (this.#isEnded ? undefined : cut));
  }
}
