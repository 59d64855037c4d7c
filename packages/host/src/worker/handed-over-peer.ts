import type { ProtocolError } from "@pohunek/protocol/wire";
import { isProtocolError } from "@pohunek/protocol/wire";
import type { StreamSync } from "../worker-api/frames.ts";
import { encodeFrame, encodeMessageFrame, FRAME, FrameDecoder } from "../worker-api/frames.ts";
import { errorBody, workerError } from "../worker-api/worker-error.ts";
import type { ByteSink, RawStreamListener } from "./attach-stream.ts";
import { streamFailed } from "./attach-stream.ts";
import type { AttachGrant } from "./attach-streams.ts";
import { AttachedViewer } from "./attached-viewer.ts";
import type { DataTokens } from "./data-tokens.ts";
import type { StreamPeer, ViewerSocket } from "./server.ts";
import type { WorkerSession } from "./worker-session.ts";

export interface HandedOverPeerOptions {
  /** The daemon, which is told how the attach begins and ends. */
  readonly daemon: ByteSink;
  readonly viewer: ViewerSocket;
  readonly session: WorkerSession;
  readonly tokens: DataTokens<AttachGrant>;
}

/**
 * An attach whose viewer's own socket was handed to us: terminal bytes go between it and the PTY without passing the
 * daemon. The daemon's connection stays for facts: `sync` when the stream has begun, `close` or `error` when it ended, and
 * from the daemon `close` to end it. When that connection just breaks, the daemon has died, and the viewer stays.
 */
export class HandedOverPeer implements StreamPeer {
  readonly #options: HandedOverPeerOptions;
  readonly #decoder: FrameDecoder;
  #viewer: AttachedViewer | undefined;
  #failure: ProtocolError | undefined;
  #isDaemonThere = true;

  constructor(options: HandedOverPeerOptions) {
    this.#options = options;
    this.#decoder = new FrameDecoder({
      // Input that the daemon had read before it let the socket go.
      bytes: (kind, bytes) => {
        if (kind === FRAME.input) {
          this.#viewer?.take(bytes);
        }
      },
      message: (kind) => {
        if (kind === FRAME.close) {
          this.#viewer?.end();
        }
      },
    });
  }

  open(token: string): void {
    const { viewer, session, tokens } = this.#options;
    let grant: AttachGrant;
    try {
      grant = tokens.redeem(token);
    } catch (cause) {
      viewer.close();
      if (!isProtocolError(cause)) {
        throw cause;
      }
      this.#tell(encodeMessageFrame(FRAME.error, errorBody(cause)));
      this.#options.daemon.end();
      return;
    }
    const connection = viewer.serve({
      receive: (bytes) => this.#viewer?.take(bytes),
      drain: () => this.#viewer?.drained(),
      closed: () => this.#viewerClosed(),
    });
    const raw: RawStreamListener = {
      sync: (sync) => this.#noteSync(sync),
      failed: (error) => {
        this.#failure = error;
      },
    };
    try {
      this.#viewer = new AttachedViewer({ session, connection, grant, raw });
    } catch (cause) {
      this.#failure = streamFailed(cause);
      connection.end();
      throw cause;
    }
  }

  receive(bytes: Uint8Array): void {
    try {
      this.#decoder.push(bytes);
    } catch (cause) {
      const message = "The stream holds something that is no frame.";
      this.#viewer?.fail(workerError("worker_invalid_request", message, { cause }));
    }
  }

  /** The daemon gets a few short frames, which its socket always takes. */
  drain(): void {}

  /** The daemon's connection is gone. */
  closed(): void {
    this.#isDaemonThere = false;
  }

  /** The daemon keeps the socket until it hears this, so that it can answer a failure on it. */
  #noteSync(sync: StreamSync): void {
    if (sync.reason === "attached") {
      this.#tell(encodeMessageFrame(FRAME.sync, sync));
    }
  }

  #viewerClosed(): void {
    const { daemon } = this.#options;
    this.#viewer?.leave();
    const failure = this.#failure;
    this.#tell(failure ? encodeMessageFrame(FRAME.error, errorBody(failure)) : encodeFrame(FRAME.close, NOTHING));
    if (this.#isDaemonThere) {
      daemon.end();
    }
  }

  #tell(frame: Uint8Array): void {
    if (this.#isDaemonThere) {
      this.#options.daemon.write(frame);
    }
  }
}

const NOTHING = new Uint8Array(0);
