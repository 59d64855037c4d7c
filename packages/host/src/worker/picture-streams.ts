import type { WindowSize } from "../platform/index.ts";
import type { ExitOutcome } from "../worker-api/inspection.ts";
import type { AdjustViewParams, ViewFacts } from "../worker-api/viewers.ts";
import type { ClipboardWrite } from "./engine/terminal-engine.ts";
import type { PictureStreamOptions, ReadSubject } from "./picture-stream.ts";
import { PictureStream } from "./picture-stream.ts";
import { osc } from "./repaint/osc.ts";
import type { ScreenLook } from "./repaint/screen-look.ts";
import type { SessionRuntime } from "./session-runtime.ts";
import type { TerminalView } from "./terminal-view.ts";

export interface PictureStreamsOptions {
  readonly runtime: SessionRuntime;
  /** One viewer could not be served and was sent away. */
  readonly onFailure: (cause: unknown) => void;
}

/** Twenty pictures a second: what a person can follow. */
const PICTURE_MS = 50;
/** Time between two pictures, as a multiple of what making one takes: all viewers together take a twentieth of the worker. */
const REST_SHARE = 19;

/**
 * All viewers of mode `view`. What they see is looked up once for all of them, and not more often than the worker can spare:
 * they hold back neither the program nor other viewers. Nothing is scheduled while nothing changes.
 */
export class PictureStreams implements Disposable {
  readonly #runtime: SessionRuntime;
  readonly #onFailure: (cause: unknown) => void;
  /** With whether it is up to date. */
  readonly #streams = new Map<PictureStream, "current" | "stale">();
  #timer: ReturnType<typeof setTimeout> | undefined;
  #nextMs = 0;
  #exit: ExitOutcome | undefined;

  constructor({ runtime, onFailure }: PictureStreamsOptions) {
    this.#runtime = runtime;
    this.#onFailure = onFailure;
  }

  open(options: Omit<PictureStreamOptions, "onFailure">): PictureStream {
    const stream = new PictureStream({ ...options, onFailure: this.#onFailure });
    this.#streams.set(stream, "stale");
    this.#exit = this.#runtime.exit;
    this.#show();
    return stream;
  }

  close(stream: PictureStream): void {
    this.#streams.delete(stream);
  }

  /** The session may look different. */
  note(): void {
    if (this.#streams.size > 0) {
      for (const stream of this.#streams.keys()) {
        this.#streams.set(stream, "stale");
      }
      this.#schedule();
    }
  }

  /** The program has copied something to the clipboard. */
  copy(write: ClipboardWrite): void {
    const { write: rule, max_bytes: mostBytes } = this.#runtime.clipboard;
    if (this.#streams.size > 0 && rule === "allow" && write.content.length <= mostBytes) {
      const sequence = clipboardSequence(write);
      for (const stream of this.#streams.keys()) {
        stream.copy(sequence);
      }
      this.note();
    }
  }

  /** The viewer wants to see something else. */
  adjust(stream: PictureStream, params: Omit<AdjustViewParams, "stream">): ViewFacts {
    const facts = stream.adjust(params, this.#runtime.size);
    this.#renew(stream);
    return facts;
  }

  /** The viewer's terminal has another size. */
  resize(stream: PictureStream, size: WindowSize): void {
    stream.resize(size);
    this.#renew(stream);
  }

  /** The socket of one viewer takes more. */
  drained(stream: PictureStream): void {
    stream.pump();
    this.#schedule();
  }

  /** The program ended: each viewer gets the last picture, then the end. */
  finish(exit: ExitOutcome): void {
    this.#exit = exit;
    this.#show();
  }

  #renew(stream: PictureStream): void {
    this.#streams.set(stream, "stale");
    this.#schedule();
  }

  #schedule(): void {
    if (!this.#timer && this.#due().length > 0) {
      this.#timer = setTimeout(() => this.#show(), Math.max(0, this.#nextMs - performance.now()));
    }
  }

  /** Those that wait for a picture and can take one. */
  #due(): PictureStream[] {
    const isOver = this.#exit !== undefined;
    return [...this.#streams].flatMap(([stream, state]) =>
      stream.isReady && (isOver || state === "stale") ? [stream] : [],
    );
  }

  #show(): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const due = this.#due();
    if (due.length === 0) {
      return;
    }
    const startMs = performance.now();
    const read = this.#lookOnce();
    for (const stream of due) {
      this.#streams.set(stream, "current");
      stream.show(read);
      if (this.#exit) {
        stream.finish(this.#exit);
      }
    }
    const endMs = performance.now();
    this.#nextMs = endMs + Math.max(PICTURE_MS, (endMs - startMs) * REST_SHARE);
  }

  /** Reads for all viewers from one look at the engine. */
  #lookOnce(): ReadSubject {
    const { ring } = this.#runtime;
    let seen: { readonly view: TerminalView; readonly look: ScreenLook } | undefined;
    return (paint) =>
      this.#runtime.read((view) => {
        seen = seen?.view === view ? seen : { view, look: view.look() };
        const lines = (count: number): string[] => view.engine.recentLines(count, { unwrap: true });
        return paint({ look: seen.look, lines, outputOffset: ring.endOffset });
      });
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
  }
}

/** How OSC 52 calls the places of a clipboard. */
const CLIPBOARD_NAMES = { standard: "c", selection: "s", primary: "p" } as const;

function clipboardSequence({ location, content }: ClipboardWrite): Uint8Array {
  return Buffer.from(osc(`52;${CLIPBOARD_NAMES[location]};${Buffer.from(content).toString("base64")}`), "latin1");
}
