import type { ByteStream, Transport } from "@pohunek/sdk";
import { ByteQueue } from "@pohunek/sdk";
import type { Socket } from "bun";

/** Above this many unread bytes the socket is not read, so that the daemon feels a slow terminal. */
const PAUSE_ABOVE_BYTES = 262_144;

const SENT = Promise.resolve();

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
    if (this.#isEnded || this.#isClosing) return Promise.reject(new Error("the connection is closed"));
    const sent = this.#outgoing.length > 0 ? 0 : this.#send(bytes);
    // A typed key, nearly always.
    if (sent === bytes.length) return SENT;
    return new Promise((resolve, reject) => {
      this.#outgoing.push({ bytes: bytes.subarray(sent), resolve, reject });
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
      const sent = this.#send(next.bytes);
      if (sent < next.bytes.length) {
        this.#outgoing[0] = { ...next, bytes: next.bytes.subarray(sent) };
        return;
      }
      this.#outgoing.shift();
      next.resolve();
    }
    if (this.#isClosing) this.#socket?.end();
  }

  #send(bytes: Uint8Array): number {
    return Math.max(0, this.#socket?.write(bytes) ?? 0);
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
