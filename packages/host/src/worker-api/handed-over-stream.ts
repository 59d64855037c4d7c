import type { ProtocolError } from "@pohunek/protocol/wire";
import { encodeUtf8 } from "@pohunek/protocol/wire";
import { DataConnection } from "./data-connection.ts";
import { encodeFrame, FRAME } from "./frames.ts";
import { descriptorOf } from "./socket-descriptor.ts";
import { workerError } from "./worker-error.ts";

export interface HandOver {
  /** The viewer's socket; the worker gets a duplicate. */
  readonly descriptor: number;
  /** Input that was read from the viewer already, at most `HAND_OVER_INPUT_BYTES`. */
  readonly input: Uint8Array;
  /** `sendWithDescriptor` of the platform. */
  readonly send: (fd: number, bytes: Uint8Array, descriptor: number) => boolean;
  /** The worker serves the viewer: our own descriptor is of no use any more. */
  readonly onOpen: () => void;
  /** Called once, last. `error` is absent when the attach ended in order. */
  readonly onClosed: (error: ProtocolError | undefined) => void;
}

/** Has the worker watched as for an answer until disposed of, and tells when it does not answer. */
type AwaitElsewhere = (onSilent: (error: ProtocolError) => void) => Disposable;

/** Fits into the first message to a new socket, whatever the machine's buffers are. */
export const HAND_OVER_INPUT_BYTES = 16_384;

const NOTHING = new Uint8Array(0);

/** An attach that the worker serves on the viewer's own socket. What is left here is to hear of its end, or to ask for it. */
export class HandedOverStream implements Disposable {
  readonly #connection: DataConnection;

  constructor(connection: DataConnection) {
    this.#connection = connection;
  }

  /** Asks the worker to end this attach; `onClosed` follows. */
  close(): void {
    this.#connection.write(encodeFrame(FRAME.close, NOTHING));
  }

  /** Stops listening; the viewer stays with the worker. */
  [Symbol.dispose](): void {
    this.#connection.end();
  }
}

/**
 * A hand-over that waits for its viewer: the worker's token and a connection to the worker, both asked for while the viewer
 * is still on its way. Used once, or disposed of.
 */
export class PreparedHandOver implements Disposable {
  readonly #token: Promise<string>;
  readonly #connection: Promise<DataConnection>;
  readonly #awaitElsewhere: AwaitElsewhere;
  #handOver: HandOver | undefined;
  #awaited: Disposable | undefined;

  constructor(path: string, token: Promise<string>, awaitElsewhere: AwaitElsewhere) {
    this.#token = token;
    this.#awaitElsewhere = awaitElsewhere;
    this.#connection = DataConnection.open(path, {
      bytes: () => undefined,
      message: (kind) => {
        if (kind === FRAME.sync) {
          this.#awaited?.[Symbol.dispose]();
          this.#handOver?.onOpen();
        }
      },
      drain: () => undefined,
      closed: (error) => {
        this.#awaited?.[Symbol.dispose]();
        this.#handOver?.onClosed(error);
      },
    });
    // Whoever uses this is told; nobody has to.
    this.#token.catch(() => undefined);
    this.#connection.catch(() => undefined);
  }

  /** Gives the viewer to the worker. Fails with worker_connect_failed or worker_attach_stream_failed. */
  async give(handOver: HandOver): Promise<HandedOverStream> {
    try {
      const [token, connection] = await Promise.all([this.#token, this.#connection]);
      this.#handOver = handOver;
      sendViewer(connection, token, handOver);
      // A worker may fall silent between its token and the first picture as well.
      this.#awaited = this.#awaitElsewhere((error) => {
        this[Symbol.dispose]();
        handOver.onClosed(error);
      });
      return new HandedOverStream(connection);
    } catch (cause) {
      this[Symbol.dispose]();
      throw cause;
    }
  }

  /** Nobody came for it. */
  [Symbol.dispose](): void {
    this.#connection.then(
      (connection) => connection.end(),
      () => undefined,
    );
  }
}

function sendViewer(connection: DataConnection, token: string, { descriptor, input, send }: HandOver): void {
  const line = encodeUtf8(`${JSON.stringify({ open: token })}\n`);
  const first = input.length === 0 ? line : Buffer.concat([line, encodeFrame(FRAME.input, input)]);
  const fd = descriptorOf(connection.socket);
  if (fd === undefined || !send(fd, first, descriptor)) {
    throw workerError("worker_attach_stream_failed", "The worker takes nothing.");
  }
}
