import type { StreamSync } from "../worker-api/frames.ts";
import { FRAME } from "../worker-api/frames.ts";
import type { ExitOutcome } from "../worker-api/inspection.ts";
import type { OpenDataStreamParams } from "../worker-api/operations.ts";
import { OBSERVATION_SINCE } from "../worker-api/version.ts";
import type { ByteSink, RawStreamListener, StreamOpening } from "./attach-stream.ts";
import { AttachStream, openByRepaint, SCRATCH_BYTES } from "./attach-stream.ts";
import type { FlowLimits } from "./flow-control.ts";
import { FLOW_LIMITS, FlowControl } from "./flow-control.ts";
import { PictureStreams } from "./picture-streams.ts";
import type { SessionRuntime } from "./session-runtime.ts";
import type { ViewerScreens } from "./spared-screens.ts";
import { SparedScreens } from "./spared-screens.ts";

/** What a data token stands for. */
export interface AttachGrant extends OpenDataStreamParams {
  /** Protocol version of the control connection that asked for it. */
  readonly version: number;
}

export interface AttachStreamsOptions {
  readonly runtime: SessionRuntime;
  /** How many bytes a repaint has. */
  readonly onRepaint: (bytes: number) => void;
  /** One viewer could not be served and was sent away. */
  readonly onFailure: (cause: unknown) => void;
}

export interface OpenOptions {
  readonly raw?: RawStreamListener;
  /** The stream begins when it is unparked. */
  readonly isParked?: boolean;
}

/** Clears a terminal whatever its state, before a replay of output that starts in the middle. */
const RESET = new TextEncoder().encode("\x1bc");
const LINE_FEED = 0x0a;
/** A version 1 viewer that fell behind gets this much again; more would make it fall behind again. */
const REPLAY_BEHIND_BYTES = 65_536;

/** The viewers of a session, and how far they may hold its program back. */
export class AttachStreams implements Disposable {
  /** The viewers that get pictures instead of the output. */
  readonly pictures: PictureStreams;
  readonly #runtime: SessionRuntime;
  readonly #options: AttachStreamsOptions;
  readonly #streams = new Set<AttachStream>();
  readonly #spared: SparedScreens;
  readonly #flow: FlowControl<AttachStream>;
  readonly #scratch = new Uint8Array(SCRATCH_BYTES);
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: AttachStreamsOptions) {
    const { runtime, onFailure } = options;
    this.#runtime = runtime;
    this.#options = options;
    this.pictures = new PictureStreams({ runtime, onFailure });
    this.#spared = new SparedScreens(runtime);
    this.#flow = new FlowControl(flowLimitsFor(runtime.ring.capacity));
  }

  /** Starts a viewer with the present state; nothing is printed between that state and its first output byte. */
  open(sink: ByteSink, grant: AttachGrant, { raw, isParked = false }: OpenOptions = {}): AttachStream {
    const { ring } = this.#runtime;
    const screens: ViewerScreens = { sparesMain: grant.screens === "active" };
    const open = (reason: StreamSync["reason"]): StreamOpening =>
      grant.version >= OBSERVATION_SINCE ? this.#repaint(reason, grant, screens) : this.#replay(reason, grant);
    const { onFailure } = this.#options;
    const listeners = { onFailure, ...(raw ? { raw } : {}) };
    const stream = new AttachStream({ sink, ring, scratch: this.#scratch, open, isParked, ...listeners });
    this.#streams.add(stream);
    this.#spared.add(stream, screens);
    const { exit } = this.#runtime;
    if (exit) {
      stream.finish(exit);
    } else {
      stream.pump();
    }
    this.#decide();
    return stream;
  }

  close(stream: AttachStream): void {
    this.#streams.delete(stream);
    this.#spared.delete(stream);
    this.#decide();
  }

  /** Output was added to the ring. */
  pump(): void {
    this.#spared.takeOutput();
    for (const stream of this.#streams) {
      stream.pump();
    }
    this.pictures.note();
    this.#decide();
  }

  /** The socket of one viewer takes more. */
  drained(stream: AttachStream): void {
    stream.pump();
    this.#decide();
  }

  finish(exit: ExitOutcome): void {
    this.pictures.finish(exit);
    for (const stream of this.#streams) {
      stream.finish(exit);
    }
  }

  #decide(): void {
    if (this.#streams.size === 0 && !this.#timer) {
      this.#runtime.hold(false);
      return;
    }
    const decision = this.#flow.decide([...this.#streams], performance.now());
    for (const stream of decision.cutLoose) {
      stream.cutLoose();
    }
    clearTimeout(this.#timer);
    this.#timer = decision.checkInMs === undefined ? undefined : setTimeout(() => this.#check(), decision.checkInMs);
    this.#runtime.hold(decision.isHeld);
  }

  #check(): void {
    this.#timer = undefined;
    this.#decide();
  }

  #repaint(reason: StreamSync["reason"], grant: AttachGrant, screens: ViewerScreens): StreamOpening {
    const { ring, size, historyLines } = this.#runtime;
    const sparesMain = screens.sparesMain && this.#runtime.read(({ engine }) => engine.alternateScreen);
    const getsMain = screens.sparesMain && !sparesMain;
    screens.sparesMain = sparesMain;
    // A viewer that fell behind gets the screen alone: it is slow, and its own history has a hole anyway.
    const wantedLines = reason === "fell_behind" ? 0 : (grant.history_lines ?? historyLines);
    const viewer = reason === "attached" ? (grant.viewer ?? "used") : "used";
    const room = getsMain && reason !== "attached" ? makeRoom(Math.max(size.rows, grant.rows ?? 0)) : "";
    const repaint = this.#runtime.read((view) =>
      view.repaint({
        historyLines: Math.min(wantedLines, historyLines),
        viewer,
        screens: sparesMain ? "active" : "both",
      }),
    );
    this.#options.onRepaint(repaint.length);
    const bytes = room === "" ? repaint : Buffer.concat([Buffer.from(room), repaint]);
    return openByRepaint(bytes, { endOffset: ring.endOffset, ...size });
  }

  /** Version 1 knows no repaint: it gets retained output from the start of a line, on a cleared terminal. */
  #replay(reason: StreamSync["reason"], grant: AttachGrant): StreamOpening {
    const { ring, size } = this.#runtime;
    const wanted = reason === "attached" ? (grant.replay_bytes ?? ring.capacity) : REPLAY_BEHIND_BYTES;
    const start = Math.max(ring.startOffset, ring.endOffset - wanted);
    // Output that was cut begins somewhere in a line, or in a sequence.
    const skipped = start === 0 ? 0 : ring.view(start, REPLAY_BEHIND_BYTES).indexOf(LINE_FEED) + 1;
    const { endOffset } = ring;
    return { kind: FRAME.replay, bytes: RESET, fromOffset: start + skipped, outputOffset: endOffset, ...size };
  }

  [Symbol.dispose](): void {
    this.#spared[Symbol.dispose]();
    this.pictures[Symbol.dispose]();
    clearTimeout(this.#timer);
  }
}

/**
 * Leaves the alternate screen for the main one, which is the user's, and moves its rows down to the cursor's into the
 * scrollback. Any sequence, held frame, origin mode and margins are ended first, so that line feeds scroll; all this moves
 * the cursor, which comes back where it was on the main screen.
 */
function makeRoom(rows: number): string {
  return `\x18\x1b[?2026l\x1b[?6l\x1b[?69l\x1b[r\x1b[?1047;47;1049l\x1b[0m${"\n".repeat(rows)}`;
}

/** Viewers must be served or cut loose well before their output is evicted. */
function flowLimitsFor(ringBytes: number): FlowLimits {
  const holdBytes = Math.min(FLOW_LIMITS.holdBytes, ringBytes / 4);
  return { ...FLOW_LIMITS, holdBytes, looseBytes: Math.min(FLOW_LIMITS.looseBytes, holdBytes) };
}
