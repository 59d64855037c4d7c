import type { ProtocolError } from "@pohunek/protocol/wire";
import { encodeFailure, isProtocolError, PROTOCOL_VERSION, protocolError } from "@pohunek/protocol/wire";
import type { SocketCalls } from "../platform/index.ts";
import type { HandedOverStream, PreparedHandOver } from "../worker-api/handed-over-stream.ts";
import { HAND_OVER_INPUT_BYTES } from "../worker-api/handed-over-stream.ts";
import { descriptorOf } from "../worker-api/socket-descriptor.ts";
import { OBSERVATION_SINCE } from "../worker-api/version.ts";
import type { AttachProxyOptions } from "./attach-proxy.ts";
import type { AttachCarrier } from "./attachments.ts";

/** A worker answers within a turn; one that does not is stuck, and its viewer with it. */
const DETACH_MS = 1000;

export interface AttachHandOverOptions extends AttachProxyOptions {
  readonly handOver: PreparedHandOver;
  /** Of `socket`. */
  readonly descriptor: number;
  readonly sockets: Pick<SocketCalls, "sendWithDescriptor">;
}

/** The descriptor of a viewer's socket that can go to the worker; undefined where a proxy has to carry its bytes. */
export function descriptorToHandOver({
  socket,
  rest,
  worker,
}: Pick<AttachProxyOptions, "socket" | "rest" | "worker">): number | undefined {
  const isPossible = rest.length <= HAND_OVER_INPUT_BYTES && worker.version >= OBSERVATION_SINCE;
  return isPossible ? descriptorOf(socket) : undefined;
}

/**
 * Gives one client's socket to the worker: from then on terminal bytes pass no daemon, and the attach outlives it. Until
 * the worker says that it serves the socket, nothing is read from it here and ours stays open to answer a failure on.
 */
export class AttachHandOver implements AttachCarrier {
  readonly #options: AttachHandOverOptions;
  readonly #ended = Promise.withResolvers<void>();
  #isAbandoned = false;
  #stream: HandedOverStream | undefined;
  #isOpen = false;
  #hasEnded = false;

  constructor(options: AttachHandOverOptions) {
    this.#options = options;
    options.socket.pause();
    void this.#open();
  }

  async #open(): Promise<void> {
    const { handOver, rest, descriptor, sockets } = this.#options;
    try {
      const stream = await handOver.give({
        descriptor,
        input: rest,
        send: sockets.sendWithDescriptor,
        onOpen: () => this.#opened(),
        onClosed: (error) => this.#finish(error),
      });
      this.#stream = stream;
      if (this.#isAbandoned) {
        stream.close();
      }
    } catch (cause) {
      this.#finish(isProtocolError(cause) ? cause : protocolError("worker_attach_stream_failed", { cause }));
    }
  }

  #opened(): void {
    this.#isOpen = true;
    this.#options.onOpen();
    // Closes our descriptor only: the worker's duplicate keeps the connection.
    this.#options.socket.terminate();
  }

  /** Nothing is read from the client here. */
  data(): void {}

  /** Nothing is written to the client here. */
  drain(): void {}

  /** The client has ended its half; the worker sees that itself. */
  end(): void {}

  /** Our descriptor is closed: by us, once the worker has its own, or because the client went away before that. */
  closed(): void {
    if (!this.#isOpen) {
      this.#abandon();
    }
  }

  async detach(): Promise<void> {
    this.#abandon();
    await Promise.race([this.#ended.promise, Bun.sleep(DETACH_MS)]);
    this.#finish(undefined);
  }

  #abandon(): void {
    this.#isAbandoned = true;
    this.#stream?.close();
  }

  #finish(error: ProtocolError | undefined): void {
    if (this.#hasEnded) {
      return;
    }
    this.#hasEnded = true;
    const { streamId, socket, onClosed } = this.#options;
    if (!this.#isOpen) {
      if (error !== undefined) {
        socket.write(encodeFailure(PROTOCOL_VERSION, streamId, error));
      }
      socket.end();
    }
    onClosed(error, this.#isOpen);
    this.#ended.resolve();
  }
}
