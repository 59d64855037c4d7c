import type { ProtocolError } from "@pohunek/protocol/wire";
import { encodeUtf8 } from "@pohunek/protocol/wire";
import type { Socket } from "bun";
import { connectUnix } from "./connect-unix.ts";
import type { FrameKind, StreamSync } from "./frames.ts";
import { encodeFrame, FRAME, FrameDecoder } from "./frames.ts";
import type { ExitOutcome } from "./inspection.ts";
import { WORKER_LIMITS } from "./limits.ts";
import { LineWriter } from "./line-writer.ts";
import { errorFromBody, workerError } from "./worker-error.ts";

/** Called synchronously as frames arrive. Byte arrays are only valid during the call. */
export interface WorkerStreamListener {
  /** A repaint (version 2) or replay (version 1) follows as `output` calls, then live output. */
  sync?(sync: StreamSync): void;
  /** Terminal bytes for the viewer: repaint, replay and live output in one order. */
  output(bytes: Uint8Array): void;
  /** The program ended; all output was delivered before. */
  exit?(exit: ExitOutcome): void;
  /** Input that was held back has left: `write` may go on. */
  drain?(): void;
  /** Called once, last. `error` is absent when the stream ended in order. */
  closed(error: ProtocolError | undefined): void;
}

/** One attach: terminal bytes out, raw input in. Pausing it is the back-pressure that the worker sees. */
export class WorkerStream implements Disposable {
  readonly #listener: WorkerStreamListener;
  readonly #decoder: FrameDecoder;
  #socket: Socket<undefined> | undefined;
  #writer: LineWriter | undefined;
  #failure: ProtocolError | undefined;
  #isEnded = false;
  #isClosed = false;

  private constructor(listener: WorkerStreamListener) {
    this.#listener = listener;
    this.#decoder = new FrameDecoder({
      bytes: (_kind, bytes) => listener.output(bytes),
      message: (kind, payload) => this.#message(kind, payload),
    });
  }

  static async open(path: string, token: string, listener: WorkerStreamListener): Promise<WorkerStream> {
    const stream = new WorkerStream(listener);
    const socket = await connectUnix(path, {
      connectMs: WORKER_LIMITS.connectMs,
      handlers: {
        data: (_socket, chunk) => stream.#receive(chunk),
        drain: () => stream.#drain(),
        close: () => stream.#close(undefined),
        error: (_socket, cause) =>
          stream.#close(workerError("worker_attach_stream_failed", "The attach stream broke.", { cause })),
      },
    });
    stream.#socket = socket;
    stream.#writer = new LineWriter(socket);
    stream.#writer.write(encodeUtf8(`${JSON.stringify({ open: token })}\n`));
    return stream;
  }

  /** Sends input. False: it is held back here, so wait for `drain` before offering more. */
  write(input: Uint8Array): boolean {
    for (let at = 0; at < input.length; at += WORKER_LIMITS.framePayloadBytes) {
      this.#writer?.write(encodeFrame(FRAME.input, input.subarray(at, at + WORKER_LIMITS.framePayloadBytes)));
    }
    return (this.#writer?.pendingBytes ?? 0) === 0;
  }

  /** Stops taking output: the worker notices through the socket. */
  pause(): void {
    this.#socket?.pause();
  }

  resume(): void {
    this.#socket?.resume();
  }

  /** Ends this attach only. */
  [Symbol.dispose](): void {
    this.#isEnded = true;
    this.#socket?.end();
  }

  #drain(): void {
    this.#writer?.drain();
    if (this.#writer?.pendingBytes === 0) {
      this.#listener.drain?.();
    }
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
    const value: unknown = payload.length === 0 ? undefined : JSON.parse(new TextDecoder().decode(payload));
    if (kind === FRAME.sync) {
      this.#listener.sync?.(value as StreamSync);
    } else if (kind === FRAME.exit) {
      this.#listener.exit?.(value as ExitOutcome);
    } else {
      this.#isEnded = true;
      this.#failure = kind === FRAME.error ? errorFromBody(value) : undefined;
    }
  }

  #close(error: ProtocolError | undefined): void {
    if (this.#isClosed) {
      return;
    }
    this.#isClosed = true;
    const cut = workerError("worker_attach_stream_failed", "The worker went away.");
    this.#listener.closed(this.#failure ?? error ?? (this.#isEnded ? undefined : cut));
  }
}
