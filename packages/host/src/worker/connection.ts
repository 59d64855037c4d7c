import type { SocketCalls } from "../platform/index.ts";
import { isSystemError, WOULD_BLOCK } from "../platform/index.ts";
import type { ByteSink } from "./attach-stream.ts";
import type { DescriptorWatch, WatchedDescriptor } from "./descriptor-watch.ts";

/** Called synchronously; byte arrays are only valid during the call. */
export interface ConnectionListener {
  receive(bytes: Uint8Array): void;
  /** The socket takes something again, after it took less than it was offered. */
  drain(): void;
  closed(): void;
}

export interface ConnectionOptions {
  readonly fd: number;
  readonly sockets: SocketCalls;
  readonly watch: DescriptorWatch;
  /** Memory that all connections read into. */
  readonly memory: Uint8Array;
  readonly listen: (connection: Connection) => ConnectionListener;
}

/** Of 64 KiB each, which is what a socket holds at most, several times over. */
const DISCARDED_PIECES = 16;

/** One accepted connection. */
export class Connection implements WatchedDescriptor, ByteSink {
  readonly fd: number;
  readonly #options: ConnectionOptions;
  readonly #listener: ConnectionListener;
  #wantsRead = true;
  #wantsWrite = false;
  #isOpen = true;
  #isBeginning = true;
  #descriptor: number | undefined;

  constructor(options: ConnectionOptions) {
    this.fd = options.fd;
    this.#options = options;
    this.#listener = options.listen(this);
    options.watch.add(this);
  }

  get wantsRead(): boolean {
    return this.#wantsRead;
  }

  get wantsWrite(): boolean {
    return this.#wantsWrite;
  }

  /** A descriptor that came with the first bytes, for the caller to own. Later ones are not looked for. */
  takeDescriptor(): number | undefined {
    const descriptor = this.#descriptor;
    this.#isBeginning = false;
    this.#descriptor = undefined;
    return descriptor;
  }

  /** Returns how much was taken; after less than all of it `drain` follows. */
  write(bytes: Uint8Array): number {
    if (!this.#isOpen || this.#wantsWrite) {
      return 0;
    }
    try {
      const sent = Math.max(0, this.#options.sockets.send(this.fd, bytes));
      this.#wantsWrite = sent < bytes.length;
      return sent;
    } catch (cause) {
      if (!isSystemError(cause)) {
        throw cause;
      }
      // EPIPE, ECONNRESET: the other side is gone. Whoever writes is in the middle of something, so it ends in a later turn.
      setImmediate(() => this.end());
      return 0;
    }
  }

  /** Stops reading: the other side notices when its socket is full. */
  pause(): void {
    this.#wantsRead = false;
  }

  resume(): void {
    this.#wantsRead = true;
    this.#options.watch.schedule();
  }

  end(): void {
    if (this.#isOpen) {
      this.#isOpen = false;
      this.#options.watch.remove(this);
      this.#discardInput();
      this.#options.sockets.close(this.fd);
      if (this.#descriptor !== undefined) {
        this.#options.sockets.close(this.#descriptor);
      }
      this.#listener.closed();
    }
  }

  readable(): boolean {
    const { memory } = this.#options;
    try {
      const got = this.#receive(memory);
      if (got === 0) {
        this.end();
        return false;
      }
      if (got === WOULD_BLOCK) {
        return false;
      }
      // A message with a descriptor ends a read, and more may be behind it; else what comes after a short one signals.
      const mayBeMore = got === memory.length || this.#isBeginning || this.#descriptor !== undefined;
      this.#listener.receive(memory.subarray(0, got));
      return mayBeMore && this.#isOpen && this.#wantsRead;
    } catch (cause) {
      this.#lose(cause);
      return false;
    }
  }

  /** A socket that is closed with unread bytes is reset, and the other side may lose what it has not read yet. */
  #discardInput(): void {
    const { sockets, memory } = this.#options;
    try {
      for (let pieces = 0; pieces < DISCARDED_PIECES && sockets.receive(this.fd, memory) > 0; pieces++);
    } catch (cause) {
      if (!isSystemError(cause)) {
        throw cause;
      }
      // ECONNRESET and the like: nothing to save.
    }
  }

  #receive(memory: Uint8Array): number {
    const { sockets } = this.#options;
    if (!this.#isBeginning || this.#descriptor !== undefined) {
      return sockets.receive(this.fd, memory);
    }
    const { bytes, descriptor } = sockets.receiveWithDescriptor(this.fd, memory);
    this.#descriptor = descriptor;
    return bytes;
  }

  writable(): void {
    this.#wantsWrite = false;
    this.#listener.drain();
  }

  /** ECONNRESET, EPIPE and the like: the other side is gone. Anything else is a bug and goes on. */
  #lose(cause: unknown): void {
    this.end();
    if (!isSystemError(cause)) {
      throw cause;
    }
  }
}
