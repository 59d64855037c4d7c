import type { ProtocolError } from "@pohunek/protocol/wire";
import type { WindowSize } from "../platform/index.ts";
import type { StreamSync } from "../worker-api/frames.ts";
import { encodeFrame, encodeMessageFrame, FRAME, FRAME_HEADER_BYTES, writeFrameHeader } from "../worker-api/frames.ts";
import type { ExitOutcome } from "../worker-api/inspection.ts";
import { WORKER_LIMITS } from "../worker-api/limits.ts";
import { errorBody, workerError } from "../worker-api/worker-error.ts";
import { CHARACTER_BYTES, firstCharacterBytes, unfinishedBytes } from "./character-border.ts";
import type { FlowReader } from "./flow-control.ts";
import type { OutputRing } from "./output-ring.ts";

/** The part of a socket that a stream needs: `write` may take less than it is given. */
export interface ByteSink {
  write(bytes: Uint8Array): number;
  end(): void;
}

/** How a stream begins, or begins again: bytes that bring a terminal to a known state, then output. */
export interface StreamOpening {
  readonly kind: typeof FRAME.repaint | typeof FRAME.replay;
  readonly bytes: Uint8Array;
  /** First byte of the ring to send; what lies before `outputOffset` is part of the replay. */
  readonly fromOffset: number;
  /** First live byte. */
  readonly outputOffset: number;
  /** Output from `fromOffset` to before this is the beginning of a character, which comes when it is whole. */
  readonly heldTo?: number;
  readonly cols: number;
  readonly rows: number;
}

export interface AttachStreamOptions {
  readonly sink: ByteSink;
  readonly ring: OutputRing;
  /** Frames are put together here, header and payload, for one write each; shared by all streams. */
  readonly scratch: Uint8Array;
  /** Makes the opening at this moment, for a stream that begins or one that fell behind. */
  readonly open: (reason: StreamSync["reason"]) => StreamOpening;
  /**
   * The sink is the viewer's own socket: it gets terminal bytes and nothing else, straight from the ring. Absent: frames.
   */
  readonly raw?: RawStreamListener;
  /** The stream could not go on and ends with an error. */
  readonly onFailure: (cause: unknown) => void;
  /** Somebody else writes to the sink for now, see `park`. */
  readonly isParked?: boolean;
}

/** What frames would say, for a sink that takes none. */
export interface RawStreamListener {
  sync(sync: StreamSync): void;
  failed(error: ProtocolError): void;
}

/**
 * An opening by a repaint of the state at `endOffset`. It ends with the bytes of what is unfinished there: those of a
 * character are left out and come again with the rest of it.
 */
export function openByRepaint(repaint: Uint8Array, at: WindowSize & { readonly endOffset: number }): StreamOpening {
  const { endOffset, cols, rows } = at;
  const held = unfinishedBytes(repaint);
  const bytes = repaint.subarray(0, repaint.length - held);
  const offset = endOffset - held;
  return { kind: FRAME.repaint, bytes, fromOffset: offset, outputOffset: offset, heldTo: endOffset, cols, rows };
}

/** What a viewer is told that could not be served. */
export function streamFailed(cause: unknown): ProtocolError {
  return workerError("worker_attach_stream_failed", "The terminal can't be shown.", { cause });
}

/** More than a socket takes at once. */
const RAW_WRITE_BYTES = 262_144;
export const SCRATCH_BYTES = FRAME_HEADER_BYTES + WORKER_LIMITS.framePayloadBytes;

/**
 * One viewer: an offset into the ring. What its socket does not take of a frame waits here, at most that frame and an
 * opening; all other output waits in the ring.
 */
export class AttachStream implements FlowReader {
  readonly #options: AttachStreamOptions;
  #pending: Uint8Array[] = [];
  #offset = 0;
  /** Output before this offset is told as replay. */
  #liveFrom = 0;
  #heldTo = 0;
  #takenBytes = 0;
  #isLoose = false;
  /** A part of the repaint for a viewer that fell behind still waits for the socket. */
  #isCatchingUp = false;
  #isParked = false;
  /** What was printed since is not for this viewer as it is: its program left the only screen that the viewer was given. */
  #hasLeftScreen = false;
  #exit: ExitOutcome | undefined;
  #phase: "open" | "ending" | "ended" = "open";

  constructor(options: AttachStreamOptions) {
    this.#options = options;
    if (options.isParked === true) {
      this.#isParked = true;
      this.skipOutput();
    } else {
      this.#open("attached");
    }
  }

  get lagBytes(): number {
    return this.#options.ring.endOffset - this.#offset;
  }

  get takenBytes(): number {
    return this.#takenBytes;
  }

  get isLoose(): boolean {
    return this.#isLoose || this.#isCatchingUp || this.#isParked;
  }

  /** Writes as much as the socket takes. Call after output and when the socket drains. Never throws, for the other streams' sake. */
  pump(): void {
    try {
      this.#pump();
    } catch (cause) {
      this.#break(cause);
    }
  }

  #pump(): void {
    while (this.#phase !== "ended" && !this.#isParked && this.#flushPending()) {
      if (this.#phase === "ending") {
        this.#phase = "ended";
        this.#options.sink.end();
      } else if (this.#isLoose || this.#offset < this.#options.ring.startOffset) {
        this.#isLoose = false;
        this.#hasLeftScreen = false;
        this.#isCatchingUp = true;
        this.#open("fell_behind");
      } else if (this.#hasLeftScreen) {
        this.#hasLeftScreen = false;
        this.#open("screen_left");
      } else if (this.lagBytes > 0) {
        if (this.#offset < this.#heldTo ? !this.#releaseCharacter() : !this.#writeOutput()) {
          return;
        }
      } else if (this.#exit) {
        this.#endWith([encodeMessageFrame(FRAME.exit, this.#exit), encodeMessageFrame(FRAME.close, {})]);
      } else {
        return;
      }
    }
  }

  /** Stops following the output; the next time the socket takes something, the stream starts again with a repaint. */
  cutLoose(): void {
    this.#isLoose = true;
  }

  /** Leaves the sink to somebody else, who has to write first what is returned: the rest of what was begun. */
  park(): Uint8Array[] {
    this.#isParked = true;
    return this.#pending.splice(0);
  }

  /** Takes the sink again, with what is left of the other's writing, and begins again with a repaint. */
  unpark(rest: readonly Uint8Array[]): void {
    this.#isParked = false;
    this.#isLoose = true;
    this.#pending = [...rest];
  }

  /** Nothing of the output so far is for this viewer. */
  skipOutput(): void {
    this.#offset = this.#options.ring.endOffset;
  }

  /** Begins again with the present state instead of going on with the output since. */
  leaveScreen(): void {
    this.#hasLeftScreen = true;
    this.pump();
  }

  /** The program ended: after its last output the viewer gets the outcome, then the stream ends. */
  finish(exit: ExitOutcome): void {
    this.#exit = exit;
    this.pump();
  }

  fail(error: ProtocolError): void {
    this.#options.raw?.failed(error);
    this.#endWith([encodeMessageFrame(FRAME.error, errorBody(error))]);
    this.pump();
  }

  #break(cause: unknown): void {
    this.#options.onFailure(cause);
    if (this.#phase === "open") {
      this.fail(streamFailed(cause));
    } else {
      // Not even the error can be written.
      this.#phase = "ended";
      this.#options.sink.end();
    }
  }

  #open(reason: StreamSync["reason"]): void {
    const opening = this.#options.open(reason);
    const skipped = reason === "attached" ? 0 : Math.max(0, opening.fromOffset - this.#offset);
    const { cols, rows, outputOffset } = opening;
    const sync: StreamSync = { reason, output_offset: outputOffset, skipped_bytes: skipped, cols, rows };
    this.#offset = opening.fromOffset;
    this.#liveFrom = outputOffset;
    this.#heldTo = opening.heldTo ?? 0;
    const { raw } = this.#options;
    if (raw) {
      raw.sync(sync);
      this.#pending.push(opening.bytes);
      return;
    }
    this.#pending.push(encodeMessageFrame(FRAME.sync, sync));
    for (let at = 0; at < opening.bytes.length; at += WORKER_LIMITS.framePayloadBytes) {
      const piece = opening.bytes.subarray(at, at + WORKER_LIMITS.framePayloadBytes);
      const header = new Uint8Array(FRAME_HEADER_BYTES);
      writeFrameHeader(header, opening.kind, piece.length);
      this.#pending.push(header, piece);
    }
  }

  /** Sends the character that the repaint left out, in one piece: viewers that take it in two may lose it. False: it is not whole. */
  #releaseCharacter(): boolean {
    const { ring, raw } = this.#options;
    const bytes = new Uint8Array(CHARACTER_BYTES);
    const count = ring.copy(this.#offset, bytes);
    const length = firstCharacterBytes(bytes.subarray(0, count)) || (this.#exit ? count : 0);
    const character = bytes.subarray(0, length);
    if (length > 0) {
      this.#offset += length;
      this.#heldTo = 0;
      this.#pending.push(raw ? character : encodeFrame(FRAME.output, character));
    }
    return length > 0;
  }

  /** False: the sink is full. */
  #writeOutput(): boolean {
    if (!this.#options.raw) {
      return this.#writeFrame();
    }
    const bytes = this.#options.ring.view(this.#offset, RAW_WRITE_BYTES);
    const written = this.#write(bytes);
    this.#offset += written;
    return written === bytes.length;
  }

  #writeFrame(): boolean {
    const isReplay = this.#offset < this.#liveFrom;
    const most = isReplay ? this.#liveFrom - this.#offset : WORKER_LIMITS.framePayloadBytes;
    const payload = this.#options.ring.view(this.#offset, Math.min(most, WORKER_LIMITS.framePayloadBytes));
    const frame = this.#options.scratch.subarray(0, FRAME_HEADER_BYTES + payload.length);
    writeFrameHeader(frame, isReplay ? FRAME.replay : FRAME.output, payload.length);
    frame.set(payload, FRAME_HEADER_BYTES);
    this.#offset += payload.length;
    const written = this.#write(frame);
    if (written < frame.length) {
      this.#pending.push(frame.slice(written));
    }
    return written === frame.length;
  }

  /** True when nothing is pending any more. */
  #flushPending(): boolean {
    for (let first = this.#pending[0]; first; first = this.#pending[0]) {
      const written = this.#write(first);
      if (written < first.length) {
        this.#pending[0] = first.subarray(written);
        return false;
      }
      this.#pending.shift();
    }
    this.#isCatchingUp = false;
    return true;
  }

  #endWith(frames: readonly Uint8Array[]): void {
    if (this.#phase === "open") {
      if (!this.#options.raw) {
        this.#pending.push(...frames);
      }
      this.#phase = "ending";
    }
  }

  #write(bytes: Uint8Array): number {
    const written = Math.max(0, this.#options.sink.write(bytes));
    this.#takenBytes += written;
    return written;
  }
}
