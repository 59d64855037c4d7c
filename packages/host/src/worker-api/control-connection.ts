import type { ProtocolError } from "@pohunek/protocol/wire";
import { encodeUtf8, isRecord, LineDecoder, protocolError } from "@pohunek/protocol/wire";
import type { Socket } from "bun";
import { connectUnix } from "./connect-unix.ts";
import type { WorkerEvent } from "./events.ts";
import { WORKER_LIMITS } from "./limits.ts";
import { LineWriter } from "./line-writer.ts";
import type { OperationName, OperationParams, OperationResult } from "./operations.ts";
import { SilenceWatch } from "./silence-watch.ts";
import { errorFromBody, workerError, workerSilent } from "./worker-error.ts";

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
  #silence: SilenceWatch | undefined;
  readonly #awaitedElsewhere = new Set<{ readonly onSilent: (error: ProtocolError) => void }>();
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
        close: () => connection.#lose(lost("The worker closed the connection.")),
        error: (_socket, error) => connection.#lose(lost("The connection to the worker broke.", error)),
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
    this.#silence?.asked();
    return promise;
  }

  /** From now on a worker that does not answer for `answerMs` loses this connection. */
  watchSilence(answerMs: number): void {
    this.#silence ??= new SilenceWatch({
      answerMs,
      isWaiting: () => this.#pending.size + this.#awaitedElsewhere.size > 0,
      ask: () => this.#askForSign(),
      onSilent: () => this.drop(),
    });
  }

  /** Asks a worker that has said nothing for so long whether it is there. */
  askAfter(quietMs: number): void {
    this.#silence?.askAfter(quietMs);
  }

  /** Until it is disposed of, the worker owes something that comes another way: it is watched as for an answer. */
  awaitElsewhere(onSilent: (error: ProtocolError) => void): Disposable {
    const listener = { onSilent };
    this.#awaitedElsewhere.add(listener);
    this.#silence?.asked();
    return { [Symbol.dispose]: () => this.#awaitedElsewhere.delete(listener) };
  }

  /** The worker does not answer: all that was asked of it fails. */
  drop(): void {
    const silent = workerSilent();
    this.#lose(silent);
    for (const { onSilent } of this.#awaitedElsewhere) {
      onSilent(silent);
    }
    this.#awaitedElsewhere.clear();
    // What was not sent by now never will be.
    this.#socket?.terminate();
  }

  #askForSign(): void {
    this.call("inspect", {}).catch(() => undefined); // Only that it is answered counts.
  }

  close(): void {
    this.#isClosing = true;
    this.#socket?.end();
  }

  #receive(chunk: Uint8Array): void {
    this.#silence?.heard();
    try {
      for (const line of this.#decoder.push(chunk)) {
        this.#dispatch(JSON.parse(new TextDecoder().decode(line)));
      }
    } catch (cause) {
      this.#lose(lost("The worker sent something that is not a control line.", cause));
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

  #lose(failure: ProtocolError): void {
    const wasClosing = this.#isClosing;
    this.#isClosing = true;
    this.#silence?.[Symbol.dispose]();
    for (const { name, reject } of this.#pending.values()) {
      reject(name === "write_plan" ? outcomeUnknown(failure) : failure);
    }
    this.#pending.clear();
    this.#closed.resolve(wasClosing ? undefined : failure);
  }
}

function lost(reason: string, cause?: unknown): ProtocolError {
  return workerError("worker_connect_failed", reason, { cause });
}

/** A plan that was sent may have been written: only the worker knew. */
function outcomeUnknown(failure: ProtocolError): ProtocolError {
  const { message, recover, cause } = failure;
  return protocolError("worker_write_outcome_unknown", {
    message,
    cause,
    ...(recover === undefined ? {} : { recover }),
  });
}
