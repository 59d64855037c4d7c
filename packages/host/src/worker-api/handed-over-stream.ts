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

/** Fits into the first message to a new socket, whatever the machine's buffers are. */
export const HAND_OVER_INPUT_BYTES = 16_384;

const NOTHING = new Uint8Array(0);

/** An attach that the worker serves on the viewer's own socket. What is left here is to hear of its end, or to ask for it. */
export class HandedOverStream implements Disposable {
  readonly #connection: DataConnection;

  private constructor(connection: DataConnection) {
    this.#connection = connection;
  }

  static async open(path: string, token: string, handOver: HandOver): Promise<HandedOverStream> {
    const { descriptor, input, send } = handOver;
    const connection = await DataConnection.open(path, {
      bytes: () => undefined,
      message: (kind) => {
        if (kind === FRAME.sync) {
          handOver.onOpen();
        }
      },
      drain: () => undefined,
      closed: (error) => handOver.onClosed(error),
    });
    const line = encodeUtf8(`${JSON.stringify({ open: token })}\n`);
    const first = input.length === 0 ? line : Buffer.concat([line, encodeFrame(FRAME.input, input)]);
    const fd = descriptorOf(connection.socket);
    if (fd === undefined || !send(fd, first, descriptor)) {
      connection.end();
      throw workerError("worker_attach_stream_failed", "The worker takes nothing.");
    }
    return new HandedOverStream(connection);
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
