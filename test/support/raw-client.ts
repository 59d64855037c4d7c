import { LineDecoder } from "@pohunek/protocol/wire";
import type { Socket } from "bun";

/** Where a daemon listens. */
export type Address = { readonly unix: string } | { readonly hostname: string; readonly port: number };

export interface WireAnswer {
  readonly v: number;
  readonly id: string;
  readonly ok?: unknown;
  readonly err?: { readonly class: string; readonly code: string; readonly msg: string; readonly recover?: string };
}

export type WireEvent = Readonly<Record<string, unknown>> & { readonly event: string };

const ANSWER_MS = 15_000;

/**
 * A client that knows nothing but lines: for requests that a proper client would not send, and to see exactly what comes
 * back. Lines are handed out in the order of their arrival.
 */
export class RawClient implements AsyncDisposable {
  readonly #decoder = new LineDecoder(8 * 1024 * 1024);
  readonly #lines: string[] = [];
  readonly #wanted: PromiseWithResolvers<string | undefined>[] = [];
  readonly #closed = Promise.withResolvers<void>();
  #socket: Socket<undefined> | undefined;
  #unsent: Uint8Array | undefined;
  #isClosed = false;
  #lastId = 0;

  static async connect(address: Address): Promise<RawClient> {
    const client = new RawClient();
    const halfOpen = { allowHalfOpen: true };
    client.#socket = await Bun.connect({
      ...(address as { unix: string }),
      ...halfOpen,
      socket: {
        data: (_socket, chunk) => client.#receive(chunk),
        drain: () => client.#flush(),
        end: (socket) => void socket.end(),
        close: () => client.#close(),
        error: () => client.#close(),
      },
    });
    return client;
  }

  /** Settles when the daemon has closed the connection. */
  get closed(): Promise<void> {
    return this.#closed.promise;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** Sends bytes as they are. */
  send(bytes: string | Uint8Array): void {
    const more = typeof bytes === "string" ? new TextEncoder().encode(bytes) : bytes;
    this.#unsent = this.#unsent === undefined ? more : Buffer.concat([this.#unsent, more]);
    this.#flush();
  }

  sendLine(value: unknown): void {
    this.send(`${JSON.stringify(value)}\n`);
  }

  /** Ends our half of the connection. */
  end(): void {
    this.#socket?.shutdown();
  }

  /** Stops reading, as a client that hangs. */
  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  #flush(): void {
    if (this.#unsent !== undefined && this.#socket !== undefined) {
      const written = Math.max(0, this.#socket.write(this.#unsent));
      this.#unsent = written < this.#unsent.length ? this.#unsent.subarray(written) : undefined;
    }
  }

  #receive(chunk: Uint8Array): void {
    for (const line of this.#decoder.push(chunk)) {
      const text = new TextDecoder().decode(line);
      const waiting = this.#wanted.shift();
      if (waiting === undefined) {
        this.#lines.push(text);
      } else {
        waiting.resolve(text);
      }
    }
  }

  #close(): void {
    this.#isClosed = true;
    this.#closed.resolve();
    this.#wanted.splice(0).forEach((waiting) => waiting.resolve(undefined));
  }

  /** The next line, or undefined when the connection ended before one came. */
  async nextLine(timeoutMs = ANSWER_MS): Promise<string | undefined> {
    const line = this.#lines.shift();
    if (line !== undefined || this.#isClosed) {
      return line;
    }
    const waiting = Promise.withResolvers<string | undefined>();
    this.#wanted.push(waiting);
    const timer = setTimeout(() => waiting.reject(new Error(`no line came in ${timeoutMs} ms`)), timeoutMs);
    try {
      return await waiting.promise;
    } finally {
      clearTimeout(timer);
    }
  }

  /** The next line as an answer. */
  async nextAnswer(timeoutMs?: number): Promise<WireAnswer> {
    const line = await this.nextLine(timeoutMs);
    if (line === undefined) {
      throw new Error("the connection ended before an answer came");
    }
    return JSON.parse(line) as WireAnswer;
  }

  /** Sends a request and waits for the next line, which must be its answer. */
  async ask(method: string, params?: unknown, more: Readonly<Record<string, unknown>> = {}): Promise<WireAnswer> {
    this.#lastId += 1;
    const id = `t-${this.#lastId}`;
    this.sendLine({ v: { minimum: 3, maximum: 4 }, id, method, params, ...more });
    const answer = await this.nextAnswer();
    if (answer.id !== id && answer.id !== "invalid-request") {
      throw new Error(`the answer to ${id} has id ${answer.id}`);
    }
    return answer;
  }

  /** The result of a request that must succeed. */
  async call<Result>(method: string, params?: unknown, more?: Readonly<Record<string, unknown>>): Promise<Result> {
    const { ok, err } = await this.ask(method, params, more);
    if (err !== undefined) {
      throw new Error(`${method} failed: ${err.code}: ${err.msg}`);
    }
    return ok as Result;
  }

  /** The code of a request that must fail. */
  async refusal(method: string, params?: unknown, more?: Readonly<Record<string, unknown>>): Promise<string> {
    const { err } = await this.ask(method, params, more);
    if (err === undefined) {
      throw new Error(`${method} succeeded`);
    }
    return err.code;
  }

  /** The next event that `isWanted` accepts; those before it are dropped. */
  async event(isWanted: (event: WireEvent) => boolean, timeoutMs = ANSWER_MS): Promise<WireEvent> {
    const deadline = performance.now() + timeoutMs;
    for (;;) {
      const line = await this.nextLine(Math.max(1, deadline - performance.now()));
      if (line === undefined) {
        throw new Error("the connection ended before the event came");
      }
      const event = JSON.parse(line) as WireEvent;
      if (isWanted(event)) {
        return event;
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket?.end();
    await this.#closed.promise;
  }
}
