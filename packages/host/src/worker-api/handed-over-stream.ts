import type { ProtocolError } from "@pohunek/protocol/wire";
import { encodeUtf8 } from "@pohunek/protocol/wire";
import type { Socket } from "bun";
import { connectUnix } from "./connect-unix.ts";
import type { FrameKind } from "./frames.ts";
import { encodeFrame, FRAME, FrameDecoder } from "./frames.ts";
import { WORKER_LIMITS } from "./limits.ts";
import { errorFromBody, workerError } from "./worker-error.ts";

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
  readonly #handOver: HandOver;
  readonly #decoder: FrameDecoder;
  #socket: Socket<undefined> | undefined;
  #failure: ProtocolError | undefined;
  #isEnded = false;
  #isClosed = false;

  private constructor(handOver: HandOver) {
    this.#handOver = handOver;
    this.#decoder = new FrameDecoder({
      bytes: () => undefined,
      message: (kind, payload) => this.#message(kind, payload),
    });
  }

  static async open(path: string, token: string, handOver: HandOver): Promise<HandedOverStream> {
    const stream = new HandedOverStream(handOver);
    const socket = await connectUnix(path, {
      connectMs: WORKER_LIMITS.connectMs,
      handlers: {
        data: (_socket, chunk) => stream.#receive(chunk),
        drain: () => undefined,
        close: () => stream.#close(undefined),
        error: (_socket, cause) =>
          stream.#close(workerError("worker_attach_stream_failed", "The attach stream broke.", { cause })),
      },
    });
    stream.#socket = socket;
    const { descriptor, input, send } = handOver;
    const line = encodeUtf8(`${JSON.stringify({ open: token })}\n`);
    const first = input.length === 0 ? line : Buffer.concat([line, encodeFrame(FRAME.input, input)]);
    // Bun gives the descriptor of a socket, though its types do not say so.
    const { fd } = socket as unknown as { fd: number };
    if (!send(fd, first, descriptor)) {
      socket.end();
      throw workerError("worker_attach_stream_failed", "The worker takes nothing.");
    }
    return stream;
  }

  /** Asks the worker to end this attach; `onClosed` follows. */
  close(): void {
    this.#socket?.write(encodeFrame(FRAME.close, NOTHING));
  }

  /** Stops listening; the viewer stays with the worker. */
  [Symbol.dispose](): void {
    this.#isEnded = true;
    this.#socket?.end();
  }

  #receive(chunk: Uint8Array): void {
    try {
      this.#decoder.push(chunk);
    } catch (cause) {
      this.#failure = workerError("worker_attach_stream_failed", "The worker sent a malformed frame.", { cause });
      this.#socket?.end();
    }
  }

  #message(kind: FrameKind, payload: Uint8Array): void {
    if (kind === FRAME.sync) {
      this.#handOver.onOpen();
      return;
    }
    this.#isEnded = true;
    if (kind === FRAME.error) {
      this.#failure = errorFromBody(JSON.parse(new TextDecoder().decode(payload)));
    }
  }

  #close(error: ProtocolError | undefined): void {
    if (this.#isClosed) {
      return;
    }
    this.#isClosed = true;
    const cut = workerError("worker_attach_stream_failed", "The worker went away.");
    this.#handOver.onClosed(this.#failure ?? error ?? (this.#isEnded ? undefined : cut));
  }
}
