interface Reader {
  resolve(chunk: Uint8Array | undefined): void;
  reject(cause: unknown): void;
}

/**
 * Turns a socket that pushes into a stream that is pulled. Transports push what arrives, hold the socket back while
 * `queuedBytes` is above their mark, and let it go on in `onEmpty`.
 */
export class ByteQueue {
  readonly #onEmpty: () => void;
  #chunks: Uint8Array[] = [];
  #reader: Reader | undefined;
  #queuedBytes = 0;
  #isEnded = false;
  #failure: { readonly cause: unknown } | undefined;

  constructor(onEmpty: () => void = () => undefined) {
    this.#onEmpty = onEmpty;
  }

  get queuedBytes(): number {
    return this.#queuedBytes;
  }

  /** Adds bytes that stay unchanged from now on. */
  push(chunk: Uint8Array): void {
    if (this.#isEnded || chunk.length === 0) return;
    const reader = this.#takeReader();
    if (reader !== undefined) {
      reader.resolve(chunk);
      return;
    }
    this.#chunks.push(chunk);
    this.#queuedBytes += chunk.length;
  }

  /** No more bytes will come. What is queued can still be read. */
  end(): void {
    this.#isEnded = true;
    this.#takeReader()?.resolve(undefined);
  }

  /** The stream broke: after what is queued, reading rejects. */
  fail(cause: unknown): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#failure = { cause };
    this.#takeReader()?.reject(cause);
  }

  async read(): Promise<Uint8Array | undefined> {
    const chunk = this.#chunks.shift();
    if (chunk !== undefined) {
      this.#queuedBytes -= chunk.length;
      if (this.#chunks.length === 0) this.#onEmpty();
      return chunk;
    }
    if (this.#failure !== undefined) throw this.#failure.cause;
    if (this.#isEnded) return undefined;
    if (this.#reader !== undefined) throw new Error("a byte stream has one reader at a time");
    return new Promise((resolve, reject) => {
      this.#reader = { resolve, reject };
    });
  }

  #takeReader(): Reader | undefined {
    const reader = this.#reader;
    this.#reader = undefined;
    return reader;
  }
}
