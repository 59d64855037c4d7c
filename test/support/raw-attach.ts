import type { Socket } from "bun";
import type { Address } from "./raw-client.ts";

/** One attach connection, byte for byte. */
export class RawAttach implements AsyncDisposable {
  readonly #closed = Promise.withResolvers<void>();
  readonly #watchers = new Set<() => void>();
  #chunks: Uint8Array[] = [];
  #socket: Socket<undefined> | undefined;
  #unsent: Uint8Array | undefined;
  #isClosed = false;
  /** Bytes received so far, dropped ones included. */
  receivedBytes = 0;
  /** False: received bytes are counted and dropped. */
  keeps = true;

  /** Connects and sends the prelude, with `input` behind it in the same packet. */
  static async open(address: Address, streamId: string, input = ""): Promise<RawAttach> {
    const attach = new RawAttach();
    attach.#socket = await Bun.connect({
      ...(address as { unix: string }),
      socket: {
        data: (_socket, chunk) => attach.#receive(chunk),
        drain: () => attach.#flush(),
        close: () => attach.#close(),
        error: () => attach.#close(),
      },
    });
    attach.write(`${JSON.stringify({ attach: streamId })}\n${input}`);
    return attach;
  }

  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  get received(): Buffer {
    return Buffer.concat(this.#chunks);
  }

  get text(): string {
    return this.received.toString("utf8");
  }

  write(bytes: string | Uint8Array): void {
    const more = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
    this.#unsent = this.#unsent === undefined ? more : Buffer.concat([this.#unsent, more]);
    this.#flush();
  }

  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  /** Waits until what was received contains `mark`. */
  async until(mark: string, timeoutMs = 15_000): Promise<void> {
    await this.#when(() => this.received.includes(mark), `${JSON.stringify(mark)} on the attach stream`, timeoutMs);
  }

  /** Waits until at least so many bytes were received. */
  async untilBytes(count: number, timeoutMs = 60_000): Promise<void> {
    await this.#when(() => this.receivedBytes >= count, `${count} bytes on the attach stream`, timeoutMs);
  }

  async #when(isTrue: () => boolean, what: string, timeoutMs: number): Promise<void> {
    const { promise, resolve, reject } = Promise.withResolvers<void>();
    const watcher = (): void => {
      if (isTrue()) {
        resolve();
      } else if (this.#isClosed) {
        reject(new Error(`the attach stream ended without ${what}; its end: ${JSON.stringify(this.text.slice(-300))}`));
      }
    };
    const timer = setTimeout(() => {
      reject(new Error(`waited ${timeoutMs} ms for ${what}; its end: ${JSON.stringify(this.text.slice(-300))}`));
    }, timeoutMs);
    this.#watchers.add(watcher);
    watcher();
    try {
      await promise;
    } finally {
      clearTimeout(timer);
      this.#watchers.delete(watcher);
    }
  }

  #receive(chunk: Uint8Array): void {
    this.receivedBytes += chunk.length;
    if (this.keeps) {
      this.#chunks.push(chunk);
    }
    this.#watchers.forEach((watcher) => watcher());
  }

  #flush(): void {
    if (this.#unsent !== undefined && this.#socket !== undefined) {
      const written = Math.max(0, this.#socket.write(this.#unsent));
      this.#unsent = written < this.#unsent.length ? this.#unsent.subarray(written) : undefined;
    }
  }

  #close(): void {
    this.#isClosed = true;
    this.#closed.resolve();
    this.#watchers.forEach((watcher) => watcher());
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket?.end();
    await this.#closed.promise;
  }
}
