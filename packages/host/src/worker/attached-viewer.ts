import type { AttachMode, ProtocolError } from "@pohunek/protocol/wire";
import type { WindowSize } from "../platform/index.ts";
import type { AdjustViewParams, ViewFacts } from "../worker-api/viewers.ts";
import { AnswerFilter } from "./answer-filter.ts";
import type { ByteSink, RawStreamListener } from "./attach-stream.ts";
import type { AttachGrant } from "./attach-streams.ts";
import { usableSize } from "./clamp-size.ts";
import type { Passage } from "./input-gate.ts";
import { ViewerOutput } from "./viewer-output.ts";
import type { WorkerSession } from "./worker-session.ts";

/** The connection of a viewer. */
export interface ViewerConnection extends ByteSink {
  /** Stops reading what it sends. */
  pause(): void;
  resume(): void;
}

export interface AttachedViewerOptions {
  readonly session: WorkerSession;
  readonly connection: ViewerConnection;
  readonly grant: AttachGrant;
  /** The connection is the viewer's own socket, see AttachStream. */
  readonly raw?: RawStreamListener;
}

/** One attached client, from its first picture to its leaving: output to it, input from it. */
export class AttachedViewer {
  readonly #options: AttachedViewerOptions;
  readonly #output: ViewerOutput;
  readonly #passage: Passage;
  readonly #answers: AnswerFilter;
  /** Number of the last question about the position that its terminal has answered. */
  #lastPosition = 0;
  /** The size of its terminal, as far as it is of use. */
  size: WindowSize | undefined;
  #isPaused = false;

  constructor(options: AttachedViewerOptions) {
    const { session, connection, grant, raw } = options;
    this.#options = options;
    this.size = usableSize(grant);
    this.#passage = session.viewers.gate.enter(() => session.viewers.typed(this));
    this.#answers = new AnswerFilter({
      isNeverAsked: grant.answers_queries === false,
      deliver: (input) => this.#passage.pass(input),
      takePositionQuestion: () => this.#takePositionQuestion(),
      deliverClipboard: (answer) => session.runtime.giveClipboard(answer),
    });
    session.viewers.join(this);
    try {
      this.#output = new ViewerOutput({
        streams: session.streams,
        sink: connection,
        grant,
        isFitting: session.viewers.isFitting(this),
        ...(raw ? { raw } : {}),
      });
    } catch (cause) {
      // One that was never shown anything must not stay the owner of the size.
      this.#passage.leave();
      session.viewers.leave(this);
      throw cause;
    }
    session.announcer.note("attached");
    session.runtime.focus.noteViewers();
  }

  get grant(): AttachGrant {
    return this.#options.grant;
  }

  get mode(): AttachMode {
    return this.grant.mode ?? "interactive";
  }

  get isInteractive(): boolean {
    return this.mode === "interactive";
  }

  /** Input from the viewer, on its way past its terminal's answers and through the gate into the queue; the bytes are only lent. */
  take(bytes: Uint8Array): void {
    if (!this.isInteractive || this.#options.session.runtime.exit || bytes.length === 0) {
      return;
    }
    this.#answers.take(bytes);
    if (this.#isFull && !this.#isPaused) {
      this.#isPaused = true;
      this.#options.connection.pause();
    }
  }

  /** There may be room for input again. */
  resumeInput(): void {
    if (this.#isPaused && !this.#isFull) {
      this.#isPaused = false;
      this.#options.connection.resume();
    }
  }

  get #isFull(): boolean {
    return this.#options.session.runtime.input.isFull || this.#passage.isFull;
  }

  /** The connection takes bytes again. */
  drained(): void {
    this.#output.drained();
  }

  fail(error: ProtocolError): void {
    this.#output.fail(error);
  }

  /** Changes what is on its pictures; undefined while it gets none. */
  adjust(params: Omit<AdjustViewParams, "stream">): ViewFacts | undefined {
    return this.#output.adjust(params);
  }

  /** Its terminal has another size. */
  resize(size: WindowSize): void {
    this.size = usableSize(size);
    this.#output.resize(size);
  }

  fit(isFitting: boolean): void {
    this.#output.fit(isFitting);
  }

  /** Sends the viewer away. */
  end(): void {
    this.#options.connection.end();
  }

  /** The viewer's connection is closed. */
  leave(): void {
    const { session } = this.#options;
    this.#output.close();
    this.#answers[Symbol.dispose]();
    this.#passage.leave();
    session.viewers.leave(this);
    session.runtime.focus.noteViewers();
    session.announcer.note("attached");
  }

  #takePositionQuestion(): boolean {
    if (this.grant.answers_queries === false) return false;
    const number = this.#options.session.runtime.asked.openPosition(this.#lastPosition);
    this.#lastPosition = number ?? this.#lastPosition;
    return number !== undefined;
  }
}
