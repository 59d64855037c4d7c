/** The part of a socket that matters here: it takes a piece, and says how much of it. */
interface ByteSink {
  write(bytes: Uint8Array): number;
}

/**
 * Bytes on their way to a socket that may take less than it is offered. What it does not take waits here, in order; who
 * writes bounds that by looking at `pendingBytes` and waiting for `whenEmpty`.
 */
export class OutQueue {
  readonly #socket: ByteSink;
  readonly #pending: Uint8Array[] = [];
  #pendingBytes = 0;
  #emptied: PromiseWithResolvers<void> | undefined;
  #isClosed = false;

  constructor(socket: ByteSink) {
    this.#socket = socket;
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  write(bytes: Uint8Array): void {
    if (this.#isClosed || bytes.length === 0) {
      return;
    }
    const written = this.#pendingBytes === 0 ? Math.max(0, this.#socket.write(bytes)) : 0;
    if (written < bytes.length) {
      // A copy: the caller's bytes may be a view of memory that is only its own during the call.
      this.#pending.push(bytes.slice(written));
      this.#pendingBytes += bytes.length - written;
    }
  }

  /** Resolves when nothing waits any more, or the socket is gone. */
  async whenEmpty(): Promise<void> {
    if (this.#pendingBytes > 0 && !this.#isClosed) {
      this.#emptied ??= Promise.withResolvers();
      await this.#emptied.promise;
    }
  }

  /** Call when the socket says that it drains. */
  drain(): void {
    for (let first = this.#pending[0]; first !== undefined; first = this.#pending[0]) {
      const written = Math.max(0, this.#socket.write(first));
      this.#pendingBytes -= written;
      if (written < first.length) {
        this.#pending[0] = first.subarray(written);
        return;
      }
      this.#pending.shift();
    }
    this.#settle();
  }

  /** The socket is gone: what waited is lost, and nothing more is taken. */
  close(): void {
    this.#isClosed = true;
    this.#pending.length = 0;
    this.#pendingBytes = 0;
    this.#settle();
  }

  #settle(): void {
    this.#emptied?.resolve();
    this.#emptied = undefined;
  }
}
