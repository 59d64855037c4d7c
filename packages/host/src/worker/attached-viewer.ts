import type { ProtocolError } from "@pohunek/protocol/wire";
import type { AttachStream, ByteSink, RawStreamListener } from "./attach-stream.ts";
import type { AttachGrant } from "./attach-streams.ts";
import type { WorkerSession } from "./worker-session.ts";

/** The connection of a viewer. */
export interface ViewerConnection extends ByteSink {
  /** Stops reading what it sends. */
  pause(): void;
  resume(): void;
}

export interface AttachedViewerOptions {
  readonly session: WorkerSession;
  readonly connection: ViewerConnection;
  readonly grant: AttachGrant;
  /** The connection is the viewer's own socket, see AttachStream. */
  readonly raw?: RawStreamListener;
}

/** One attached client, from its first picture to its leaving: output to it, input from it. */
export class AttachedViewer {
  readonly #options: AttachedViewerOptions;
  readonly #stream: AttachStream;
  #isPaused = false;

  constructor(options: AttachedViewerOptions) {
    const { session, connection, grant, raw } = options;
    this.#options = options;
    if (grant.cols !== undefined || grant.rows !== undefined) {
      session.resize(grant.cols ?? 0, grant.rows ?? 0);
    }
    session.viewers.join(this);
    this.#stream = session.streams.open(connection, grant, raw);
    session.announcer.note("attached");
  }

  get grant(): AttachGrant {
    return this.#options.grant;
  }

  /** Input from the viewer; the bytes are only lent. */
  take(bytes: Uint8Array): void {
    const { runtime } = this.#options.session;
    if (runtime.exit || bytes.length === 0) {
      return;
    }
    runtime.type(bytes);
    if (runtime.input.isFull && !this.#isPaused) {
      this.#isPaused = true;
      this.#options.connection.pause();
    }
  }

  /** There may be room for input again. */
  resumeInput(): void {
    if (this.#isPaused) {
      this.#isPaused = false;
      this.#options.connection.resume();
    }
  }

  /** The connection takes bytes again. */
  drained(): void {
    this.#options.session.streams.drained(this.#stream);
  }

  fail(error: ProtocolError): void {
    this.#stream.fail(error);
  }

  /** Sends the viewer away. */
  end(): void {
    this.#options.connection.end();
  }

  /** The viewer's connection is closed. */
  leave(): void {
    const { session } = this.#options;
    session.streams.close(this.#stream);
    session.viewers.leave(this);
    session.announcer.note("attached");
  }
}
