import { WORKER_LIMITS } from "./limits.ts";
import { workerError } from "./worker-error.ts";

/**
 * The data connection of an attach. The daemon's first line is `{"open":"<token>"}` and LF; from then on both sides send
 * frames: u8 kind, u32 big-endian payload length, payload.
 */
export const FRAME = {
  /** Raw bytes of the program, in order, from the offset that the last `sync` named. */
  output: 1,
  /** Raw bytes for the program (to the worker). */
  input: 2,
  /** JSON ExitOutcome: the program ended and all of its output was sent before. */
  exit: 3,
  /** JSON WorkerErrorBody: the stream ends because of this. */
  error: 4,
  /** Empty: the stream ended in order. */
  close: 5,
  /** Version 2: bytes that make any terminal show the session's state; several frames make one repaint. */
  repaint: 6,
  /** Version 1: retained raw output; several frames make one replay. */
  replay: 7,
  /** JSON StreamSync: a repaint or replay follows, because the stream began or because this reader fell behind. */
  sync: 8,
} as const;

export type FrameKind = (typeof FRAME)[keyof typeof FRAME];

export interface StreamSync {
  readonly reason: "attached" | "fell_behind" | "screen_left";
  /** The first `output` byte after the repaint or replay is this one. */
  readonly output_offset: number;
  /** Bytes of output that this reader will not get; 0 for `attached`. */
  readonly skipped_bytes: number;
  readonly cols: number;
  readonly rows: number;
}

export const FRAME_HEADER_BYTES = 5;

/** Kinds whose payload is handed on piece by piece, as it arrives. */
const BYTE_KINDS: ReadonlySet<number> = new Set([FRAME.output, FRAME.input, FRAME.repaint, FRAME.replay]);
const MESSAGE_KINDS: ReadonlySet<number> = new Set([FRAME.exit, FRAME.error, FRAME.close, FRAME.sync]);

export function writeFrameHeader(target: Uint8Array, kind: FrameKind, payloadBytes: number): void {
  target[0] = kind;
  target[1] = payloadBytes >>> 24;
  target[2] = payloadBytes >>> 16;
  target[3] = payloadBytes >>> 8;
  target[4] = payloadBytes;
}

export function encodeFrame(kind: FrameKind, payload: Uint8Array): Uint8Array {
  const frame = new Uint8Array(FRAME_HEADER_BYTES + payload.length);
  writeFrameHeader(frame, kind, payload.length);
  frame.set(payload, FRAME_HEADER_BYTES);
  return frame;
}

export function encodeMessageFrame(kind: FrameKind, message: unknown): Uint8Array {
  return encodeFrame(kind, new TextEncoder().encode(JSON.stringify(message)));
}

export interface FrameSink {
  /** A piece of the payload of a byte frame; `bytes` is only valid during the call. */
  bytes(kind: FrameKind, bytes: Uint8Array): void;
  /** A whole message frame. */
  message(kind: FrameKind, payload: Uint8Array): void;
}

/** Takes a frame stream apart without keeping payload bytes. Throws worker_invalid_request on what is no frame. */
export class FrameDecoder {
  readonly #sink: FrameSink;
  readonly #header = new Uint8Array(FRAME_HEADER_BYTES);
  #headerFill = 0;
  #kind: FrameKind = FRAME.close;
  #remaining = 0;
  #message: Uint8Array | undefined;

  constructor(sink: FrameSink) {
    this.#sink = sink;
  }

  push(chunk: Uint8Array): void {
    let at = 0;
    while (at < chunk.length) {
      if (this.#headerFill < FRAME_HEADER_BYTES) {
        at = this.#takeHeader(chunk, at);
      } else {
        const end = Math.min(chunk.length, at + this.#remaining);
        this.#takePayload(chunk.subarray(at, end));
        at = end;
      }
    }
  }

  #takeHeader(chunk: Uint8Array, from: number): number {
    let at = from;
    while (at < chunk.length && this.#headerFill < FRAME_HEADER_BYTES) {
      this.#header[this.#headerFill] = chunk[at] ?? 0;
      this.#headerFill += 1;
      at += 1;
    }
    if (this.#headerFill === FRAME_HEADER_BYTES) {
      this.#startFrame();
    }
    return at;
  }

  #startFrame(): void {
    const [kind = 0] = this.#header;
    const length = new DataView(this.#header.buffer).getUint32(1);
    const isMessage = MESSAGE_KINDS.has(kind);
    if ((!isMessage && !BYTE_KINDS.has(kind)) || length > WORKER_LIMITS.framePayloadBytes) {
      throw workerError("worker_invalid_request", "The data stream holds something that is not a frame.");
    }
    this.#kind = kind as FrameKind;
    this.#remaining = length;
    this.#message = isMessage ? new Uint8Array(length) : undefined;
    if (length === 0) {
      this.#endFrame();
    }
  }

  #takePayload(piece: Uint8Array): void {
    if (this.#message) {
      this.#message.set(piece, this.#message.length - this.#remaining);
    } else {
      this.#sink.bytes(this.#kind, piece);
    }
    this.#remaining -= piece.length;
    if (this.#remaining === 0) {
      this.#endFrame();
    }
  }

  #endFrame(): void {
    const message = this.#message;
    this.#headerFill = 0;
    this.#message = undefined;
    if (message) {
      this.#sink.message(this.#kind, message);
    }
  }
}
