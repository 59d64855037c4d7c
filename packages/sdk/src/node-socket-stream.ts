import type { NetConnectOpts, Socket } from "node:net";
import { createConnection } from "node:net";
import { ByteQueue } from "./byte-queue.ts";
import type { ByteStream } from "./transport.ts";

/** Above this many unread bytes the socket is not read, so that the sender feels a slow reader. */
const PAUSE_ABOVE_BYTES = 262_144;

/** How long closing waits for a peer that does not take what was written; a living one takes it at once. */
const FLUSH_MS = 1_000;

/** A `node:net` socket as a pulled stream. */
export class SocketStream implements ByteStream {
  readonly #socket: Socket;
  readonly #queue: ByteQueue;
  readonly #closed: Promise<void>;

  private constructor(socket: Socket) {
    this.#socket = socket;
    this.#queue = new ByteQueue(() => socket.resume());
    this.#closed = new Promise((resolve) => {
      socket.once("close", () => {
        this.#queue.end();
        resolve();
      });
    });
    socket.on("data", (chunk: Uint8Array) => {
      this.#queue.push(chunk);
      if (this.#queue.queuedBytes > PAUSE_ABOVE_BYTES) socket.pause();
    });
    socket.once("end", () => this.#queue.end());
    socket.on("error", (cause) => this.#queue.fail(cause));
  }

  static async connect(options: NetConnectOpts, signal: AbortSignal): Promise<SocketStream> {
    signal.throwIfAborted();
    const socket = createConnection(options);
    return new Promise((resolve, reject) => {
      const onAbort = (): void => void socket.destroy(signal.reason as Error);
      signal.addEventListener("abort", onAbort, { once: true });
      socket.once("error", reject);
      socket.once("connect", () => {
        signal.removeEventListener("abort", onAbort);
        socket.off("error", reject);
        resolve(new SocketStream(socket));
      });
    });
  }

  async read(): Promise<Uint8Array | undefined> {
    return this.#queue.read();
  }

  async write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#socket.write(bytes, (cause) => (cause == null ? resolve() : reject(cause)));
    });
  }

  async close(): Promise<void> {
    // A reader that waits is not kept waiting for a peer that does not take what was written.
    this.#queue.end();
    this.#socket.destroySoon();
    const timer = setTimeout(() => this.#socket.destroy(), FLUSH_MS);
    await this.#closed;
    clearTimeout(timer);
  }
}
