import { isProtocolError } from "@pohunek/protocol/wire";
import { encodeMessageFrame, FRAME, FrameDecoder } from "../worker-api/frames.ts";
import { errorBody, workerError } from "../worker-api/worker-error.ts";
import { streamFailed } from "./attach-stream.ts";
import type { AttachGrant } from "./attach-streams.ts";
import type { ViewerConnection } from "./attached-viewer.ts";
import { AttachedViewer } from "./attached-viewer.ts";
import type { DataTokens } from "./data-tokens.ts";
import type { StreamPeer } from "./server.ts";
import type { WorkerSession } from "./worker-session.ts";

export interface DataPeerOptions {
  readonly connection: ViewerConnection;
  readonly session: WorkerSession;
  readonly tokens: DataTokens<AttachGrant>;
}

/** An attach whose bytes go through the daemon, in frames. */
export class DataPeer implements StreamPeer {
  readonly #options: DataPeerOptions;
  readonly #decoder: FrameDecoder;
  #viewer: AttachedViewer | undefined;

  constructor(options: DataPeerOptions) {
    this.#options = options;
    this.#decoder = new FrameDecoder({
      bytes: (kind, bytes) => {
        if (kind === FRAME.input) {
          this.#viewer?.take(bytes);
        }
      },
      // A viewer says nothing else that matters: it closes by ending the connection.
      message: () => undefined,
    });
  }

  /** Redeems the token of the first line and starts the stream, or tells why not and ends. */
  open(token: string): void {
    const { connection, session, tokens } = this.#options;
    try {
      this.#viewer = new AttachedViewer({ session, connection, grant: tokens.redeem(token) });
    } catch (cause) {
      const error = isProtocolError(cause) ? cause : streamFailed(cause);
      connection.write(encodeMessageFrame(FRAME.error, errorBody(error)));
      connection.end();
      if (error !== cause) {
        throw cause;
      }
    }
  }

  receive(chunk: Uint8Array): void {
    if (!this.#viewer) {
      return;
    }
    try {
      this.#decoder.push(chunk);
    } catch (cause) {
      this.#viewer.fail(
        workerError("worker_invalid_request", "The stream holds something that is no frame.", { cause }),
      );
    }
  }

  drain(): void {
    this.#viewer?.drained();
  }

  closed(): void {
    this.#viewer?.leave();
  }
}
