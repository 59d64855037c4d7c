import { isProtocolError } from "@pohunek/protocol/wire";
import { encodeMessageFrame, FRAME, FrameDecoder } from "../worker-api/frames.ts";
import { errorBody, workerError } from "../worker-api/worker-error.ts";
import type { AttachStream, ByteSink } from "./attach-stream.ts";
import type { AttachGrant } from "./attach-streams.ts";
import type { DataTokens } from "./data-tokens.ts";
import type { StreamPeer } from "./server.ts";
import type { WorkerSession } from "./worker-session.ts";

export interface DataPeerOptions {
  readonly sink: ByteSink & { pause(): void; resume(): void };
  readonly session: WorkerSession;
  readonly tokens: DataTokens<AttachGrant>;
}

/** One attach connection on the worker's side. */
export class DataPeer implements StreamPeer {
  readonly #options: DataPeerOptions;
  readonly #decoder: FrameDecoder;
  #stream: AttachStream | undefined;
  #isPaused = false;

  constructor(options: DataPeerOptions) {
    this.#options = options;
    this.#decoder = new FrameDecoder({
      bytes: (kind, bytes) => {
        if (kind === FRAME.input) {
          this.#type(bytes);
        }
      },
      // A viewer says nothing else that matters: it closes by ending the connection.
      message: () => undefined,
    });
  }

  /** Redeems the token of the first line and starts the stream, or tells why not and ends. */
  open(token: string): void {
    const { sink, session, tokens } = this.#options;
    try {
      const grant = tokens.redeem(token);
      if (grant.cols !== undefined || grant.rows !== undefined) {
        session.resize(grant.cols ?? 0, grant.rows ?? 0);
      }
      this.#stream = session.streams.open(sink, grant);
      session.announcer.note("attached");
    } catch (cause) {
      if (!isProtocolError(cause)) {
        throw cause;
      }
      sink.write(encodeMessageFrame(FRAME.error, errorBody(cause)));
      sink.end();
    }
  }

  receive(chunk: Uint8Array): void {
    if (!this.#stream) {
      return;
    }
    try {
      this.#decoder.push(chunk);
    } catch (cause) {
      this.#stream.fail(
        workerError("worker_invalid_request", "The stream holds something that is no frame.", { cause }),
      );
    }
  }

  drain(): void {
    if (this.#stream) {
      this.#options.session.streams.drained(this.#stream);
    }
  }

  /** The input queue has room again. */
  resumeInput(): void {
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#options.sink.resume();
    }
  }

  closed(): void {
    if (this.#stream) {
      this.#options.session.streams.close(this.#stream);
      this.#options.session.announcer.note("attached");
    }
  }

  #type(bytes: Uint8Array): void {
    const { runtime } = this.#options.session;
    if (runtime.exit) {
      return;
    }
    runtime.type(bytes);
    if (runtime.input.isFull && !this.#isPaused) {
      this.#isPaused = true;
      this.#options.sink.pause();
    }
  }
}
