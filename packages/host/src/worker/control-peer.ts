import type { ProtocolError } from "@pohunek/protocol/wire";
import { decodeUtf8, encodeUtf8, isProtocolError, LineDecoder } from "@pohunek/protocol/wire";
import type { WorkerEvent } from "../worker-api/events.ts";
import { WORKER_LIMITS } from "../worker-api/limits.ts";
import { LineWriter } from "../worker-api/line-writer.ts";
import type { OperationRequest } from "../worker-api/operations.ts";
import { parseRequest, requestId } from "../worker-api/parse-request.ts";
import { errorBody, workerError } from "../worker-api/worker-error.ts";
import type { ByteSink } from "./attach-stream.ts";

/** Answers one operation of one connection. */
export type PerformOperation = (peer: ControlPeer, request: OperationRequest) => Promise<unknown>;

export interface ControlPeerOptions {
  readonly sink: ByteSink;
  readonly perform: PerformOperation;
  /** A failure that is no coded refusal: a bug, to be logged. */
  readonly onBug: (cause: unknown) => void;
}

/** Answers that a peer does not take. The largest single one is about 1 MB; a peer that lets more pile up is broken. */
const UNTAKEN_BYTES = 8_388_608;

/** One control connection on the worker's side: lines in, answers and events out. */
export class ControlPeer {
  /** Negotiated version; undefined before. */
  version: number | undefined;
  readonly #options: ControlPeerOptions;
  readonly #decoder = new LineDecoder(WORKER_LIMITS.controlLineBytes);
  readonly #writer: LineWriter;
  #isClosed = false;

  constructor(options: ControlPeerOptions) {
    this.#options = options;
    this.#writer = new LineWriter(options.sink);
  }

  receive(chunk: Uint8Array): void {
    try {
      for (const line of this.#decoder.push(chunk)) {
        this.#take(line);
      }
    } catch (cause) {
      // A line above the limit: what follows can't be told apart any more.
      const message = "A control line is too long.";
      this.#refuse(undefined, workerError("worker_invalid_request", message, { cause }));
      this.close();
    }
  }

  drain(): void {
    this.#writer.drain();
  }

  emit(event: WorkerEvent): void {
    this.#send(event);
  }

  close(): void {
    if (!this.#isClosed) {
      this.#isClosed = true;
      this.#options.sink.end();
    }
  }

  #take(line: Uint8Array): void {
    let value: unknown;
    try {
      value = JSON.parse(decodeUtf8(line) ?? "");
    } catch {
      // Not JSON, or not UTF-8: refused below like any other malformed request.
    }
    try {
      const request = parseRequest(value);
      void this.#answer(request);
    } catch (cause) {
      this.#refuse(requestId(value), this.#asCoded(cause));
    }
  }

  async #answer(request: OperationRequest): Promise<void> {
    try {
      const ok = await this.#options.perform(this, request);
      this.#send({ id: request.id, ok });
    } catch (cause) {
      this.#refuse(request.id, this.#asCoded(cause));
    }
  }

  #asCoded(cause: unknown): ProtocolError {
    if (isProtocolError(cause)) {
      return cause;
    }
    this.#options.onBug(cause);
    return workerError("worker_runtime_fault", "The worker failed at this operation.");
  }

  #refuse(id: number | undefined, error: ProtocolError): void {
    this.#send({ id: id ?? 0, error: errorBody(error) });
  }

  #send(message: object): void {
    if (this.#isClosed) {
      return;
    }
    this.#writer.write(encodeUtf8(`${JSON.stringify(message)}\n`));
    if (this.#writer.pendingBytes > UNTAKEN_BYTES) {
      this.close();
    }
  }
}
