import type { AnnouncedEvent } from "@pohunek/protocol";
import type { ProtocolError, StreamId } from "@pohunek/protocol/wire";
import { encodeFailure, isProtocolError, PROTOCOL_VERSION, protocolError } from "@pohunek/protocol/wire";
import type { Socket } from "bun";
import type { Logger } from "../logs/logger.ts";
import { failureFields } from "../logs/logger.ts";
import type { SocketCalls } from "../platform/index.ts";
import { runningWorker } from "../sessions/reachable-worker.ts";
import type { Registry } from "../sessions/registry.ts";
import type { Session } from "../sessions/session.ts";
import type { WorkerClient } from "../worker-api/client.ts";
import type { OpenDataStreamParams } from "../worker-api/operations.ts";
import { VIEWERS_SINCE } from "../worker-api/version.ts";
import type { AdjustViewParams, ViewFacts } from "../worker-api/viewers.ts";
import { AttachFailures } from "./attach-failures.ts";
import type { AttachGrant, AttachGrants } from "./attach-grants.ts";
import { AttachHandOver, descriptorToHandOver } from "./attach-hand-over.ts";
import type { AttachProxyOptions } from "./attach-proxy.ts";
import { AttachProxy } from "./attach-proxy.ts";
import type { OpenStreams, StreamEnder } from "./open-streams.ts";
import type { Origin } from "./origin.ts";
import type { RawStream } from "./peer.ts";
import { PreparedHandOvers } from "./prepared-hand-overs.ts";

export interface AttachmentsOptions {
  readonly registry: Registry;
  readonly announce: (event: AnnouncedEvent) => void;
  readonly log: Logger;
  readonly grants: AttachGrants;
  readonly streams: OpenStreams;
  readonly sockets: Pick<SocketCalls, "sendWithDescriptor">;
}

/** Whoever carries one attach between its client and the worker. */
export interface AttachCarrier extends RawStream, StreamEnder {}

/** A connection that did not become a stream: it is answered and closed. */
const REFUSED: RawStream = {
  data() {
    // Nobody reads the input of a refused attach.
  },
  drain() {
    // An error line always fits in an empty socket buffer.
  },
  end() {
    // It is being closed already.
  },
  closed() {
    // Nothing was opened for it.
  },
};

/** All attach streams of the host, from the grant to the end. */
export class Attachments implements Disposable {
  readonly #options: AttachmentsOptions;
  readonly #grants: AttachGrants;
  readonly #failures = new AttachFailures();
  readonly #streams: OpenStreams;
  readonly #prepared = new PreparedHandOvers();

  constructor(options: AttachmentsOptions) {
    this.#options = options;
    this.#grants = options.grants;
    this.#streams = options.streams;
  }

  /** Grants an attach. Fails when the session does not run, or would be shown inside itself. */
  grant(grant: AttachGrant): StreamId {
    const { worker } = this.#check(grant);
    const streamId = this.#grants.issue(grant);
    this.#prepared.prepare(streamId, worker, openingOf(streamId, grant));
    return streamId;
  }

  /** Opens the stream that a connection's first line names, or answers why not and closes it. */
  open(streamId: StreamId, peer: { socket: Socket<unknown>; origin: Origin; rest: Uint8Array }): RawStream {
    try {
      const grant = this.#grants.redeem(streamId, peer.origin);
      const { session, worker } = this.#check(grant);
      return this.#begin(streamId, { ...peer, grant, session, worker });
    } catch (cause) {
      const error = this.#toProtocolError(streamId, cause);
      peer.socket.write(encodeFailure(PROTOCOL_VERSION, streamId, error));
      peer.socket.end();
      return REFUSED;
    }
  }

  #check({ sessionId, viewerSessionId, opening }: AttachGrant): { session: Session; worker: WorkerClient } {
    const session = this.#options.registry.get(sessionId);
    const worker = runningWorker(session);
    if (opening.mode !== undefined && opening.mode !== "interactive" && worker.version < VIEWERS_SINCE) {
      const message = "the session was started by an older release, which knows interactive clients only";
      throw protocolError("worker_feature_unavailable", { message });
    }
    if (viewerSessionId !== undefined && this.#streams.wouldLoop(viewerSessionId, sessionId)) {
      throw protocolError("attach_self_feedback");
    }
    return { session, worker };
  }

  #begin(
    streamId: StreamId,
    from: { socket: Socket<unknown>; rest: Uint8Array; grant: AttachGrant; session: Session; worker: WorkerClient },
  ): RawStream {
    const { socket, rest, grant, session, worker } = from;
    const payload = { session_id: session.id, stream_id: streamId };
    const carried: AttachProxyOptions = {
      streamId,
      socket,
      rest,
      worker,
      opening: openingOf(streamId, grant),
      onOpen: () => this.#options.announce({ event: "attach_opened", payload }),
      onClosed: (error, wasOpen) => {
        this.#streams.remove(streamId);
        if (error !== undefined) {
          this.#fail(streamId, session, error);
        }
        if (wasOpen) {
          this.#options.announce({ event: "attach_closed", payload });
        }
      },
    };
    const carrier = this.#carry(carried);
    const { viewerSessionId } = grant;
    this.#streams.add(streamId, { sessionId: session.id, carrier, viewerSessionId });
    return carrier;
  }

  #carry(carried: AttachProxyOptions): AttachCarrier {
    const { streamId, worker, opening } = carried;
    const prepared = this.#prepared.take(streamId, worker);
    const descriptor = descriptorToHandOver(carried);
    if (descriptor === undefined) {
      prepared?.[Symbol.dispose]();
      return new AttachProxy(carried);
    }
    const handOver = prepared ?? worker.prepareHandOver(opening);
    return new AttachHandOver({ ...carried, handOver, descriptor, sockets: this.#options.sockets });
  }

  #fail(streamId: StreamId, session: Session, error: ProtocolError): void {
    this.#failures.put(streamId, error.toWire());
    this.#options.log.warn("attach_failed", { session_id: session.id, stream_id: streamId, code: error.code });
  }

  #toProtocolError(streamId: StreamId, cause: unknown): ProtocolError {
    if (isProtocolError(cause)) {
      return cause;
    }
    this.#options.log.error("attach_not_opened", { stream_id: streamId, ...failureFields(cause) });
    return protocolError("internal_error", { cause });
  }

  /**
   * Changes what a viewer of mode `view` sees. Fails with attach_not_found when the session has no such stream, and
   * with worker_invalid_request when it is of another mode.
   */
  async adjustView(session: Session, { stream, ...change }: Partial<AdjustViewParams>): Promise<ViewFacts> {
    const open = stream === undefined ? undefined : this.#streams.find(stream as StreamId);
    if (stream === undefined || open?.sessionId !== session.id) {
      throw protocolError("attach_not_found");
    }
    return await runningWorker(session).adjustView({ stream, ...change });
  }

  /** Ends a stream. Tells whether it was there, or once, why it had broken. */
  async detach(streamId: StreamId): Promise<{ detached: boolean; error?: ReturnType<AttachFailures["take"]> }> {
    const stream = this.#streams.find(streamId);
    await stream?.carrier.detach();
    // A stream that broke in this very moment has left its failure.
    const error = this.#failures.take(streamId);
    return { detached: stream !== undefined && error === undefined, error };
  }

  /** Nobody else will come. Viewers that are attached stay with their workers. */
  [Symbol.dispose](): void {
    this.#prepared[Symbol.dispose]();
  }
}

/** What the worker is told about an attach. */
function openingOf(streamId: StreamId, { opening, viewerSessionId }: AttachGrant): OpenDataStreamParams {
  return { ...opening, stream: streamId, viewer_session: viewerSessionId };
}
