import type { AnnouncedEvent } from "@pohunek/protocol";
import type { SessionId, StreamId } from "@pohunek/protocol/wire";
import type { ViewersListener } from "../sessions/worker-watch.ts";
import type { ViewerFacts } from "../worker-api/viewers.ts";
import { ViewerGraph } from "./viewer-graph.ts";

/** Whoever can end one attach stream. */
export interface StreamEnder {
  /** Settles when the stream has ended. */
  detach(): Promise<void>;
}

export interface OpenStream {
  readonly sessionId: SessionId;
  /** The session in which the client itself runs, when it does. */
  readonly viewerSessionId?: string;
  readonly carrier: StreamEnder;
}

export interface OpenStreamsOptions {
  readonly announce: (event: AnnouncedEvent) => void;
  /** Ends a stream that only its worker knows how to end. */
  readonly closeStream: (sessionId: SessionId, streamId: StreamId) => Promise<void>;
  /** False for the ids that another daemon gave. */
  readonly isOwn: (streamId: StreamId) => boolean;
}

/**
 * The attach streams that are open: those that this daemon opened, and those that were handed to their workers by a daemon
 * before it. A worker tells of the latter when it is found again, and when one of them has ended.
 */
export class OpenStreams implements ViewersListener {
  readonly #options: OpenStreamsOptions;
  readonly #graph = new ViewerGraph();
  readonly #own = new Map<StreamId, OpenStream>();
  readonly #adopted = new Map<StreamId, OpenStream>();

  constructor(options: OpenStreamsOptions) {
    this.#options = options;
  }

  get count(): number {
    return this.#own.size + this.#adopted.size;
  }

  add(streamId: StreamId, stream: OpenStream): void {
    this.#own.set(streamId, stream);
    this.#draw(streamId, stream);
  }

  remove(streamId: StreamId): void {
    this.#own.delete(streamId);
    this.#graph.remove(streamId);
  }

  find(streamId: StreamId): OpenStream | undefined {
    return this.#own.get(streamId) ?? this.#adopted.get(streamId);
  }

  /** True when a client inside session `viewer` would show that session to itself by attaching to `target`. */
  wouldLoop(viewer: string, target: string): boolean {
    return this.#graph.wouldLoop(viewer, target);
  }

  found(sessionId: SessionId, viewers: readonly ViewerFacts[]): void {
    this.left(sessionId, viewers);
    for (const { stream, viewer_session: viewerSessionId } of viewers) {
      const streamId = stream as StreamId;
      if (this.#options.isOwn(streamId) || this.#adopted.has(streamId)) {
        continue;
      }
      const carrier = { detach: () => this.#end(sessionId, streamId) };
      const adopted: OpenStream = { sessionId, carrier, ...(viewerSessionId === undefined ? {} : { viewerSessionId }) };
      this.#adopted.set(streamId, adopted);
      this.#draw(streamId, adopted);
    }
  }

  left(sessionId: SessionId, viewers: readonly ViewerFacts[]): void {
    for (const [streamId, adopted] of this.#adopted) {
      if (adopted.sessionId === sessionId && !viewers.some(({ stream }) => stream === streamId)) {
        this.#forget(streamId, adopted);
      }
    }
  }

  async #end(sessionId: SessionId, streamId: StreamId): Promise<void> {
    await this.#options.closeStream(sessionId, streamId);
    const adopted = this.#adopted.get(streamId);
    if (adopted !== undefined) {
      this.#forget(streamId, adopted);
    }
  }

  #draw(streamId: StreamId, { viewerSessionId, sessionId }: OpenStream): void {
    if (viewerSessionId !== undefined) {
      this.#graph.add(streamId, viewerSessionId, sessionId);
    }
  }

  #forget(streamId: StreamId, { sessionId }: OpenStream): void {
    this.#adopted.delete(streamId);
    this.#graph.remove(streamId);
    this.#options.announce({ event: "attach_closed", payload: { session_id: sessionId, stream_id: streamId } });
  }
}
