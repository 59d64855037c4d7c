import type { Socket } from "bun";

/**
 * Writes whole lines to a socket that may take less than it is offered. What it doesn't take waits here; the caller
 * bounds that by `pendingBytes`.
 */
export class LineWriter {
  readonly #socket: Pick<Socket<unknown>, "write">;
  #pending: Uint8Array[] = [];
  #pendingBytes = 0;

  constructor(socket: Pick<Socket<unknown>, "write">) {
    this.#socket = socket;
  }

  get pendingBytes(): number {
    return this.#pendingBytes;
  }

  write(bytes: Uint8Array): void {
    if (this.#pendingBytes > 0) {
      this.#keep(bytes);
      return;
    }
    const written = Math.max(0, this.#socket.write(bytes));
    if (written < bytes.length) {
      this.#keep(bytes.subarray(written));
    }
  }

  #keep(bytes: Uint8Array): void {
    this.#pending.push(bytes);
    this.#pendingBytes += bytes.length;
  }

  /** Call when the socket says that it drains. */
  drain(): void {
    while (this.#pending.length > 0) {
      const [first] = this.#pending;
      if (!first) {
        return;
      }
      const written = Math.max(0, this.#socket.write(first));
      this.#pendingBytes -= written;
      if (written < first.length) {
        this.#pending[0] = first.subarray(written);
        return;
      }
      this.#pending.shift();
    }
  }
}
