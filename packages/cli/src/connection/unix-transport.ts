import type { ByteStream, Transport } from "@pohunek/sdk";
import { ByteQueue } from "@pohunek/sdk";
import type { Socket } from "bun";

/** Above this many unread bytes the socket is not read, so that the daemon feels a slow terminal. */
const PAUSE_ABOVE_BYTES = 262_144;

interface Outgoing {
  readonly bytes: Uint8Array;
  readonly resolve: () => void;
  readonly reject: (cause: unknown) => void;
}

/** The daemon of this machine, by the path of its socket. `Bun.connect` is loaded already, `node:net` would cost 13 ms. */
export function unixTransport(path: string): Transport {
  return {
    host: undefined,
    connect: (_purpose, signal) => connectUnix(path, signal),
  };
}

async function connectUnix(path: string, signal: AbortSignal): Promise<ByteStream> {
  signal.throwIfAborted();
  const stream = new UnixStream();
  const socket = await Bun.connect({
    unix: path,
    socket: {
      data: (_socket, bytes) => stream.take(bytes),
      drain: () => stream.drain(),
      end: () => stream.ended(),
      close: () => stream.ended(),
      error: (_socket, cause) => stream.broken(cause),
    },
  });
  stream.attachTo(socket);
  if (signal.aborted) await stream.close();
  signal.throwIfAborted();
  return stream;
}

/** A `Bun.connect` socket as the pulled stream that the SDK reads. */
class UnixStream implements ByteStream {
  readonly #incoming = new ByteQueue(() => this.#socket?.resume());
  readonly #outgoing: Outgoing[] = [];
  #socket: Socket | undefined;
  #isClosing = false;
  #isEnded = false;

  attachTo(socket: Socket): void {
    this.#socket = socket;
  }

  async read(): Promise<Uint8Array | undefined> {
    return this.#incoming.read();
  }

  write(bytes: Uint8Array): Promise<void> {
    return new Promise((resolve, reject) => {
      if (this.#isEnded || this.#isClosing) {
        reject(new Error("the connection is closed"));
        return;
      }
      this.#outgoing.push({ bytes, resolve, reject });
      if (this.#outgoing.length === 1) this.drain();
    });
  }

  async close(): Promise<void> {
    this.#isClosing = true;
    this.#incoming.end();
    if (this.#outgoing.length === 0) this.#socket?.end();
  }

  take(bytes: Uint8Array): void {
    if (this.#isClosing) return;
    this.#incoming.push(bytes);
    if (this.#incoming.queuedBytes > PAUSE_ABOVE_BYTES) this.#socket?.pause();
  }

  drain(): void {
    for (let next = this.#outgoing[0]; next !== undefined; next = this.#outgoing[0]) {
      const sent = Math.max(0, this.#socket?.write(next.bytes) ?? 0);
      if (sent < next.bytes.length) {
        this.#outgoing[0] = { ...next, bytes: next.bytes.subarray(sent) };
        return;
      }
      this.#outgoing.shift();
      next.resolve();
    }
    if (this.#isClosing) this.#socket?.end();
  }

  ended(): void {
    this.#finish(new Error("the connection is closed"));
    this.#incoming.end();
  }

  broken(cause: Error): void {
    this.#incoming.fail(cause);
    this.#finish(cause);
  }

  #finish(cause: Error): void {
    this.#isEnded = true;
    this.#socket?.end();
    for (const { reject } of this.#outgoing.splice(0)) reject(cause);
  }
}
