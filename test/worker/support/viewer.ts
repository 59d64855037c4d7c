import type { ProtocolError } from "@pohunek/protocol/wire";
import type { WorkerClient } from "../../../packages/host/src/worker-api/client.ts";
import type { StreamSync } from "../../../packages/host/src/worker-api/frames.ts";
import type { ExitOutcome } from "../../../packages/host/src/worker-api/inspection.ts";
import type { OpenDataStreamParams } from "../../../packages/host/src/worker-api/operations.ts";
import type { WorkerStream } from "../../../packages/host/src/worker-api/stream.ts";
import { until } from "../../support/index.ts";

export interface ViewerOptions extends OpenDataStreamParams {
  /** Keep the bytes, not only their count. Default true. */
  readonly keeps?: boolean;
}

/** An attached viewer that records what it is shown. */
export class Viewer implements Disposable {
  readonly syncs: StreamSync[] = [];
  readonly #pieces: Buffer[] = [];
  readonly #closed = Promise.withResolvers<ProtocolError | undefined>();
  /** Bytes since the last sync, its repaint included. */
  bytesSinceSync = 0;
  totalBytes = 0;
  exit: ExitOutcome | undefined;
  #stream: WorkerStream | undefined;

  static async attach(client: WorkerClient, options: ViewerOptions = {}): Promise<Viewer> {
    const { keeps = true, ...params } = options;
    const viewer = new Viewer();
    viewer.#stream = await client.attach({
      ...params,
      listener: {
        sync: (sync) => {
          viewer.syncs.push(sync);
          viewer.bytesSinceSync = 0;
        },
        output: (bytes) => {
          viewer.totalBytes += bytes.length;
          viewer.bytesSinceSync += bytes.length;
          if (keeps) {
            viewer.#pieces.push(Buffer.from(bytes));
          }
        },
        exit: (exit) => {
          viewer.exit = exit;
        },
        closed: (error) => viewer.#closed.resolve(error),
      },
    });
    return viewer;
  }

  get stream(): WorkerStream {
    if (!this.#stream) {
      throw new Error("not attached");
    }
    return this.#stream;
  }

  get closed(): Promise<ProtocolError | undefined> {
    return this.#closed.promise;
  }

  get bytes(): Buffer {
    return Buffer.concat(this.#pieces);
  }

  get text(): string {
    return this.bytes.toString("utf8");
  }

  type(text: string): void {
    this.stream.write(Buffer.from(text));
  }

  async sees(text: string, timeoutMs = 10_000): Promise<void> {
    await until(`the viewer to see ${JSON.stringify(text)}`, () => this.text.includes(text), timeoutMs);
  }

  async isSynced(): Promise<void> {
    await until("the viewer to be painted", () => this.syncs.length > 0 && this.bytesSinceSync > 0);
  }

  [Symbol.dispose](): void {
    this.#stream?.[Symbol.dispose]();
  }
}
