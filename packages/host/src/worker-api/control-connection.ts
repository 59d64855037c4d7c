import type { ProtocolError } from "@pohunek/protocol/wire";
import { encodeUtf8, isRecord, LineDecoder } from "@pohunek/protocol/wire";
import type { Socket } from "bun";
import { connectUnix } from "./connect-unix.ts";
import type { WorkerEvent } from "./events.ts";
import { WORKER_LIMITS } from "./limits.ts";
import { LineWriter } from "./line-writer.ts";
import type { OperationName, OperationParams, OperationResult } from "./operations.ts";
import { errorFromBody, workerError } from "./worker-error.ts";

export interface ControlConnectionOptions {
  readonly connectMs: number;
  readonly signal?: AbortSignal;
  readonly onEvent?: (event: WorkerEvent) => void;
}

interface PendingCall {
  readonly name: OperationName;
  readonly resolve: (value: unknown) => void;
  readonly reject: (error: ProtocolError) => void;
}

/** One NDJSON connection to a worker: requests by id, events in between. */
export class ControlConnection {
  readonly #pending = new Map<number, PendingCall>();
  readonly #decoder = new LineDecoder(WORKER_LIMITS.controlLineBytes);
  readonly #onEvent: ((event: WorkerEvent) => void) | undefined;
  readonly #closed = Promise.withResolvers<ProtocolError | undefined>();
  #socket: Socket<undefined> | undefined;
  #writer: LineWriter | undefined;
  #lastId = 0;
  #isClosing = false;

  private constructor(onEvent: ((event: WorkerEvent) => void) | undefined) {
    this.#onEvent = onEvent;
  }

  static async open(path: string, options: ControlConnectionOptions): Promise<ControlConnection> {
    const connection = new ControlConnection(options.onEvent);
    const socket = await connectUnix(path, {
      connectMs: options.connectMs,
      ...(options.signal ? { signal: options.signal } : {}),
      handlers: {
        data: (_socket, chunk) => connection.#receive(chunk),
        drain: () => connection.#writer?.drain(),
        close: () => connection.#lose("The worker closed the connection."),
        error: (_socket, error) => connection.#lose("The connection to the worker broke.", error),
      },
    });
    connection.#socket = socket;
    connection.#writer = new LineWriter(socket);
    return connection;
  }

  get closed(): Promise<ProtocolError | undefined> {
    return this.#closed.promise;
  }

  call<Name extends OperationName>(name: Name, params: OperationParams<Name>): Promise<OperationResult<Name>> {
    const { promise, resolve, reject } = Promise.withResolvers<OperationResult<Name>>();
    if (this.#isClosing || !this.#writer) {
      reject(workerError("worker_connect_failed", "The connection to the worker is closed."));
      return promise;
    }
    this.#lastId += 1;
    this.#pending.set(this.#lastId, { name, resolve: resolve as (value: unknown) => void, reject });
    this.#writer.write(encodeUtf8(`${JSON.stringify({ id: this.#lastId, op: name, params })}\n`));
    return promise;
  }

  close(): void {
    this.#isClosing = true;
    this.#socket?.end();
  }

  #receive(chunk: Uint8Array): void {
    try {
      for (const line of this.#decoder.push(chunk)) {
        this.#dispatch(JSON.parse(new TextDecoder().decode(line)));
      }
    } catch (cause) {
      this.#lose("The worker sent something that is not a control line.", cause);
      this.#socket?.end();
    }
  }

  #dispatch(message: unknown): void {
    if (!isRecord(message)) {
      throw new SyntaxError("A control line is an object.");
    }
    if (typeof message["event"] === "string") {
      this.#onEvent?.(message as unknown as WorkerEvent);
      return;
    }
    const call = this.#pending.get(message["id"] as number);
    if (!call) {
      return;
    }
    this.#pending.delete(message["id"] as number);
    if (message["error"] === undefined) {
      call.resolve(message["ok"]);
    } else {
      call.reject(errorFromBody(message["error"]));
    }
  }

  #lose(reason: string, cause?: unknown): void {
    const wasClosing = this.#isClosing;
    this.#isClosing = true;
    for (const { name, reject } of this.#pending.values()) {
      // A plan that was sent may have been written: only the worker knew.
      const code = name === "write_plan" ? "worker_write_outcome_unknown" : "worker_connect_failed";
      reject(workerError(code, reason, { cause }));
    }
    this.#pending.clear();
    this.#closed.resolve(wasClosing ? undefined : workerError("worker_connect_failed", reason, { cause }));
  }
}
