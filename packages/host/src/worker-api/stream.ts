import type { ProtocolError } from "@pohunek/protocol/wire";
import { encodeUtf8 } from "@pohunek/protocol/wire";
import { DataConnection } from "./data-connection.ts";
import type { StreamSync } from "./frames.ts";
import { encodeFrame, FRAME } from "./frames.ts";
import type { ExitOutcome } from "./inspection.ts";
import { WORKER_LIMITS } from "./limits.ts";

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
  readonly #connection: DataConnection;

  private constructor(connection: DataConnection) {
    this.#connection = connection;
  }

  static async open(path: string, token: string, listener: WorkerStreamListener): Promise<WorkerStream> {
    const connection = await DataConnection.open(path, {
      bytes: (bytes) => listener.output(bytes),
      message: (kind, value) => {
        if (kind === FRAME.sync) {
          listener.sync?.(value as StreamSync);
        } else if (kind === FRAME.exit) {
          listener.exit?.(value as ExitOutcome);
        }
      },
      drain: () => listener.drain?.(),
      closed: (error) => listener.closed(error),
    });
    connection.write(encodeUtf8(`${JSON.stringify({ open: token })}\n`));
    return new WorkerStream(connection);
  }

  /** Sends input. False: it is held back here, so wait for `drain` before offering more. */
  write(input: Uint8Array): boolean {
    let hasLeft = true;
    for (let at = 0; at < input.length; at += WORKER_LIMITS.framePayloadBytes) {
      const piece = input.subarray(at, at + WORKER_LIMITS.framePayloadBytes);
      hasLeft = this.#connection.write(encodeFrame(FRAME.input, piece));
    }
    return hasLeft;
  }

  /** Stops taking output: the worker notices through the socket. */
  pause(): void {
    this.#connection.socket.pause();
  }

  resume(): void {
    this.#connection.socket.resume();
  }

  /** Ends this attach only. */
  [Symbol.dispose](): void {
    this.#connection.end();
  }
}
