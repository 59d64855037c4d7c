import type { ProtocolError } from "@pohunek/protocol/wire";
import type { WindowSize } from "../platform/index.ts";
import type { StreamSync } from "../worker-api/frames.ts";
import { encodeFrame, encodeMessageFrame, FRAME } from "../worker-api/frames.ts";
import type { ExitOutcome } from "../worker-api/inspection.ts";
import { WORKER_LIMITS } from "../worker-api/limits.ts";
import type { AdjustViewParams, ViewFacts } from "../worker-api/viewers.ts";
import { errorBody } from "../worker-api/worker-error.ts";
import type { ByteSink, RawStreamListener } from "./attach-stream.ts";
import { streamFailed } from "./attach-stream.ts";
import { PictureColors } from "./picture-colors.ts";
import { PictureWindow } from "./picture-window.ts";
import { linkBody } from "./repaint/link-sequence.ts";
import { osc } from "./repaint/osc.ts";
import type { ScreenLook } from "./repaint/screen-look.ts";
import { breakIntoRows } from "./text-rows.ts";

/** What pictures are made from, at one moment. Read lazily, so only while the engine is guarded. */
export interface PictureSubject {
  readonly look: ScreenLook;
  /** The newest lines of the program, as it wrote them. */
  readonly lines: (count: number) => readonly string[];
  readonly outputOffset: number;
}

/** Paints under guard; `paint` may be called twice. */
export type ReadSubject = <Painted>(paint: (subject: PictureSubject) => Painted) => Painted;

/** A picture as rows, and what comes behind them. */
interface Painted {
  readonly rows: readonly string[];
  readonly end: string;
}

export interface PictureStreamOptions {
  readonly sink: ByteSink;
  readonly size: WindowSize;
  /**
   * The viewer's terminal is in its user's state, may be in any state, or is in that of the session, in whose place the
   * pictures are shown for a while.
   */
  readonly terminal: "fresh" | "used" | "session";
  /** The viewer may act on the session, so the session may act on the viewer's clipboard. */
  readonly takesCopies: boolean;
  /** The rest of what somebody else has begun to write to the sink. */
  readonly rest?: readonly Uint8Array[];
  /** As in AttachStream. */
  readonly raw?: RawStreamListener;
  /** The stream could not go on and ends with an error. */
  readonly onFailure: (cause: unknown) => void;
}

/**
 * The alternate screen, so that the viewer's own is left alone, and there whole rows that do not wrap. First what might be
 * left of an attach before: an unfinished sequence, and modes in which keys and the mouse would be told in another way.
 */
const ENTER = "\x1b[?1049h";
const LEAVE_MODES = "\x1b[?1;9;1000;1002;1003;1004;1005;1006;1015;1016;2004l\x1b[=0;1u\x1b>";
const PREPARE = "\x1b[?6;69l\x1b[4;20l\x1b(B\x0f\x1b[r\x1b[0m\x1b[?7l";
/** The link of a terminal that may have one. */
const LEAVE_LINK = osc(linkBody(undefined));
/** Places in a picture are not places on the session's screen. */
const LEAVE_MOUSE = "\x1b[?9;1000;1002;1003l";
const CANCEL = "\x18";
const CLEAR = "\x1b[0m\x1b[2J";
/** Synchronized output: the picture changes at once. */
const HOLD = "\x1b[?2026h";
const RELEASE = "\x1b[?2026l";
const HIDE_CURSOR = "\x1b[?25l";
const SHOW_CURSOR = "\x1b[?25h";
const encoder = new TextEncoder();

/**
 * One viewer of mode `view`: pictures of the session's terminal, cut for the size of the viewer's. What has changed since
 * the last one is sent, and nothing is while the viewer has not taken that: a slow one gets fewer pictures.
 */
export class PictureStream {
  readonly #window = new PictureWindow();
  readonly #colors: PictureColors;
  readonly #options: PictureStreamOptions;
  #size: WindowSize;
  #pending: Uint8Array[] = [];
  /** Rows that the viewer's terminal shows, and how it was told to show them. */
  #shown: string[] = [];
  #shownEnd = "";
  #isCleared = false;
  /** A copy to the clipboard that waits for its turn. */
  #copy: Uint8Array | undefined;
  #hasBegun = false;
  #phase: "open" | "ending" | "ended" = "open";

  constructor(options: PictureStreamOptions) {
    this.#options = options;
    this.#size = options.size;
    this.#colors = new PictureColors(options.terminal !== "fresh");
    this.#pending = [...(options.rest ?? [])];
  }

  /** The viewer has taken its last picture. */
  get isReady(): boolean {
    return this.#phase === "open" && this.#pending.length === 0;
  }

  resize(size: WindowSize): void {
    this.#size = size;
    this.#isCleared = false;
  }

  /** Ends without the viewer: returns the rest of what was begun. */
  release(): Uint8Array[] {
    this.#phase = "ended";
    return this.#pending.splice(0);
  }

  /** The viewer wants to see something else of a screen of this size. */
  adjust(params: Omit<AdjustViewParams, "stream">, screen: WindowSize): ViewFacts {
    const { cols, rows } = this.#size;
    this.#window.adjust(params, { cols: screen.cols - cols, rows: screen.rows - rows });
    return this.#window.facts;
  }

  /** The program has copied something; `sequence` copies it for the viewer, with its next picture. An older one is forgotten. */
  copy(sequence: Uint8Array): void {
    this.#copy = this.#options.takesCopies ? sequence : undefined;
  }

  /** Brings the viewer's terminal up to date. Call only when `isReady`. Never throws, for the other viewers' sake. */
  show(read: ReadSubject): void {
    try {
      const { painted, moment } = read((subject) => ({ painted: this.#paint(subject), moment: momentOf(subject) }));
      const opening = this.#hasBegun ? "" : this.#begin(moment);
      const changes = this.#colors.change(moment) + this.#changes(painted);
      if (changes !== "") {
        this.#send(encoder.encode(opening + HOLD + changes + RELEASE));
      }
      if (this.#copy) {
        this.#send(this.#copy);
        this.#copy = undefined;
      }
      this.#pump();
    } catch (cause) {
      this.#break(cause);
    }
  }

  /** Writes as much as the socket takes. Call when it drains. Never throws. */
  pump(): void {
    try {
      this.#pump();
    } catch (cause) {
      this.#break(cause);
    }
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

  #pump(): void {
    const { sink } = this.#options;
    for (let first = this.#pending[0]; first; first = this.#pending[0]) {
      const written = Math.max(0, sink.write(first));
      if (written < first.length) {
        this.#pending[0] = first.subarray(written);
        return;
      }
      this.#pending.shift();
    }
    if (this.#phase === "ending") {
      this.#phase = "ended";
      sink.end();
    }
  }

  /** The program ended: after the picture that `show` has sent last, the viewer gets the outcome and the end. */
  finish(exit: ExitOutcome): void {
    this.#endWith([encodeMessageFrame(FRAME.exit, exit), encodeMessageFrame(FRAME.close, {})]);
  }

  fail(error: ProtocolError): void {
    this.#options.raw?.failed(error);
    this.#endWith([encodeMessageFrame(FRAME.error, errorBody(error))]);
  }

  /** Tells whoever carries the stream that it begins; returns what prepares the viewer's terminal. */
  #begin(moment: Moment): string {
    this.#hasBegun = true;
    switch (this.#options.terminal) {
      case "session":
        return CANCEL + ENTER + LEAVE_MOUSE + PREPARE + LEAVE_LINK;
      case "used":
        this.#announce(moment);
        return CANCEL + ENTER + LEAVE_MODES + PREPARE + LEAVE_LINK;
      case "fresh":
        this.#announce(moment);
        return ENTER + PREPARE;
    }
  }

  #announce({ outputOffset, cols, rows }: Moment): void {
    const sync: StreamSync = { reason: "attached", output_offset: outputOffset, skipped_bytes: 0, cols, rows };
    const { raw } = this.#options;
    if (raw) {
      raw.sync(sync);
    } else {
      this.#pending.push(encodeMessageFrame(FRAME.sync, sync));
    }
  }

  #paint(subject: PictureSubject): Painted {
    return this.#window.layout === "text" ? this.#textRows(subject) : this.#screenRows(subject);
  }

  #changes({ rows, end }: Painted): string {
    let changes = this.#isCleared ? "" : CLEAR;
    const shown = this.#isCleared ? this.#shown : [];
    for (let index = 0; index < this.#size.rows; index += 1) {
      const row = rows[index] ?? "\x1b[K";
      if (row !== shown[index]) {
        changes += `\x1b[${index + 1};1H${row}`;
      }
      shown[index] = row;
    }
    shown.length = this.#size.rows;
    this.#shown = shown;
    this.#isCleared = true;
    if (changes === "" && end === this.#shownEnd) {
      return "";
    }
    this.#shownEnd = end;
    return HIDE_CURSOR + changes + end;
  }

  #screenRows({ look }: PictureSubject): Painted {
    const { cols, rows } = this.#size;
    const { left, top } = this.#window.place(look, this.#size);
    const count = Math.min(rows, look.rows - top);
    const painted = Array.from({ length: count }, (_, index) => look.row(top + index, { left, cols }));
    const { row, col, visible } = look.cursor;
    const isInside = row >= top && row < top + rows && col >= left && col < left + cols;
    const cursor = visible && isInside ? `\x1b[${row - top + 1};${col - left + 1}H${SHOW_CURSOR}` : "";
    return { rows: painted, end: `\x1b[?5${look.isReverse ? "h" : "l"}${cursor}` };
  }

  #textRows({ lines }: PictureSubject): Painted {
    const { cols, rows } = this.#size;
    const all = breakIntoRows(lines(this.#window.textRowsWanted(rows)), cols);
    const first = this.#window.placeText(all.length, rows);
    return { rows: all.slice(first, first + rows).map((row) => `\x1b[K${row}`), end: "\x1b[?5l" };
  }

  #send(bytes: Uint8Array): void {
    if (this.#options.raw) {
      this.#pending.push(bytes);
      return;
    }
    for (let at = 0; at < bytes.length; at += WORKER_LIMITS.framePayloadBytes) {
      this.#pending.push(encodeFrame(FRAME.repaint, bytes.subarray(at, at + WORKER_LIMITS.framePayloadBytes)));
    }
  }

  #endWith(frames: readonly Uint8Array[]): void {
    if (this.#phase === "open") {
      if (!this.#options.raw) {
        this.#pending.push(...frames);
      }
      this.#phase = "ending";
    }
    this.pump();
  }
}

/** What a stream is announced with, and what is about its viewer's terminal as a whole. */
type Moment = Pick<PictureSubject, "outputOffset"> & Pick<ScreenLook, "cols" | "rows" | "colors" | "hasColors">;

function momentOf({ outputOffset, look: { cols, rows, colors, hasColors } }: PictureSubject): Moment {
  return { outputOffset, cols, rows, colors, hasColors };
}
