import type { StreamId } from "@pohunek/protocol/wire";
import type { WorkerClient } from "../worker-api/client.ts";
import type { PreparedHandOver } from "../worker-api/handed-over-stream.ts";
import type { OpenDataStreamParams } from "../worker-api/operations.ts";
import { OBSERVATION_SINCE } from "../worker-api/version.ts";

/** A viewer that was granted an attach comes at once; half the life of the worker's token is waited for it. */
const FRESH_MS = 5_000;
/** Each holds a descriptor. Viewers beyond these wait a moment longer. */
const MOST = 16;

interface Waiting {
  readonly worker: WorkerClient;
  readonly handOver: PreparedHandOver;
  readonly timer: ReturnType<typeof setTimeout>;
}

/** What an attach needs of its worker, asked for when the attach is granted, so that it is there when the viewer comes. */
export class PreparedHandOvers implements Disposable {
  readonly #waiting = new Map<StreamId, Waiting>();
  readonly #freshMs: number;

  constructor(freshMs = FRESH_MS) {
    this.#freshMs = freshMs;
  }

  prepare(streamId: StreamId, worker: WorkerClient, opening: OpenDataStreamParams): void {
    if (worker.version < OBSERVATION_SINCE || this.#waiting.size >= MOST) {
      return;
    }
    const timer = setTimeout(() => this.take(streamId, worker)?.[Symbol.dispose](), this.#freshMs);
    this.#waiting.set(streamId, { worker, handOver: worker.prepareHandOver(opening), timer });
  }

  /** The one that was prepared for this stream, unless its worker has been replaced or connected to anew since. */
  take(streamId: StreamId, worker: WorkerClient): PreparedHandOver | undefined {
    const waiting = this.#waiting.get(streamId);
    if (waiting === undefined) {
      return undefined;
    }
    this.#waiting.delete(streamId);
    clearTimeout(waiting.timer);
    if (waiting.worker === worker) {
      return waiting.handOver;
    }
    waiting.handOver[Symbol.dispose]();
    return undefined;
  }

  [Symbol.dispose](): void {
    for (const { handOver, timer } of this.#waiting.values()) {
      clearTimeout(timer);
      handOver[Symbol.dispose]();
    }
    this.#waiting.clear();
  }
}
