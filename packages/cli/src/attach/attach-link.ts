import type { SessionInfo } from "@pohunek/protocol";
import type { AttachMode, ProtocolError, SessionId, StreamId } from "@pohunek/protocol/wire";
import { CLIPBOARD_DEFAULTS, isProtocolError } from "@pohunek/protocol/wire";
import type { AttachStream, Client } from "@pohunek/sdk";
import { isEnded } from "../sessions/state-words.ts";
import type { TerminalSize } from "../terminal/local-terminal.ts";
import type { WantedRepaint } from "./local-screen.ts";
import { QuestionFilter } from "./question-filter.ts";

/** How an attach stream came to its end without the user's doing. */
export type LinkEnd =
  | { readonly type: "ended"; readonly session: SessionInfo }
  | { readonly type: "lost"; readonly reason: string | undefined }
  | { readonly type: "failed"; readonly error: ProtocolError }
  | { readonly type: "detached" }
  /** The daemon cannot be asked: it is restarting, or gone. */
  | { readonly type: "disconnected" };

export interface AttachLinkListener {
  onOutput(bytes: Uint8Array): void;
  /** The session copied more to the clipboard than it may. */
  onOversizedCopy(): void;
  /** The stream has ended, and not because it was closed here. */
  onEnd(): void;
  /** So much input is under way that no more should come. */
  onInputFull(): void;
  onInputRoom(): void;
}

/** The session that this program runs in, if it does: it must not be attached into itself. */
export interface AttachOrigin {
  readonly origin_session_id?: string;
  readonly origin_daemon_id?: string;
  readonly origin_worker_id?: string;
}

interface LinkRequest {
  readonly client: Client;
  readonly sessionId: SessionId;
  readonly origin: AttachOrigin;
  /** Absent when the terminal does not tell it. */
  readonly size: TerminalSize | undefined;
  readonly repaint: WantedRepaint;
  readonly mode: AttachMode;
  readonly listener: AttachLinkListener;
}

/**
 * Input under way is kept up to here before the keyboard is not read any more, since an unread keyboard also hides the
 * detach key. Larger than any paste that people make.
 */
const MAX_UNSENT_BYTES = 16_777_216;
/** An answer about a stream that has ended comes at once, or the daemon is in trouble. */
const EXPLAIN_TIMEOUT_MS = 2_000;
/** The stream may end a moment before its session's end is recorded. */
const END_GRACE_MS = 500;

/** One attach: its stream, on a host that is connected. */
export class AttachLink {
  readonly #request: LinkRequest;
  readonly #stream: AttachStream;
  readonly #questions: QuestionFilter;
  #unsentBytes = 0;
  #isFull = false;
  #isClosed = false;
  #failure: ProtocolError | undefined;
  #room: (() => void) | undefined;
  #isOutputPaused = false;

  private constructor(request: LinkRequest, stream: AttachStream) {
    this.#request = request;
    this.#stream = stream;
    const { listener } = request;
    this.#questions = new QuestionFilter({
      policy: stream.clipboard ?? CLIPBOARD_DEFAULTS,
      onOversizedCopy: () => listener.onOversizedCopy(),
    });
  }

  static async open(request: LinkRequest): Promise<AttachLink> {
    const { client, sessionId, size, origin, repaint, mode } = request;
    const stream = await client.attach({
      session_id: sessionId,
      ...(size === undefined ? {} : { initial_dimensions: { cols: size.cols, rows: size.rows } }),
      repaint,
      answers_queries: false,
      // Older hosts know no modes, and this one only where it is not the usual.
      ...(mode === "interactive" ? {} : { mode }),
      ...origin,
    });
    return new AttachLink(request, stream);
  }

  get streamId(): StreamId {
    return this.#stream.streamId;
  }

  /** Brings output to the listener until the stream ends. */
  async pump(): Promise<void> {
    try {
      for await (const bytes of this.#stream) {
        if (this.#isClosed) return;
        const shown = this.#questions.take(bytes);
        if (shown.length > 0) this.#request.listener.onOutput(shown);
        if (this.#isOutputPaused) await this.#untilRoom();
      }
    } catch (error) {
      if (!isProtocolError(error)) throw error;
      this.#failure = error;
    }
    if (!this.#isClosed) this.#request.listener.onEnd();
  }

  /** Sends input, in order, however slowly it is taken. */
  send(bytes: Uint8Array): void {
    this.#unsentBytes += bytes.length;
    if (this.#unsentBytes > MAX_UNSENT_BYTES && !this.#isFull) {
      this.#isFull = true;
      this.#request.listener.onInputFull();
    }
    // A stream that cannot be written any more has ended; `pump` finds that out and tells it.
    this.#stream.write(bytes).then(
      () => this.#noteSent(bytes.length),
      () => undefined,
    );
  }

  pauseOutput(): void {
    this.#isOutputPaused = true;
  }

  resumeOutput(): void {
    this.#isOutputPaused = false;
    this.#room?.();
  }

  /** Leaves the stream; the session goes on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.resumeOutput();
    await this.#stream.close();
  }

  /** Finds out why the stream has ended. */
  async explainEnd(client: Client): Promise<LinkEnd> {
    try {
      const session = await this.#settledSession(client);
      if (session.runtime?.state === "lost") return { type: "lost", reason: session.runtime.loss_reason };
      if (isEnded(session)) return { type: "ended", session };
      if (this.#failure?.isRetryable === true) return { type: "disconnected" };
      return this.#failure === undefined ? { type: "detached" } : { type: "failed", error: this.#failure };
    } catch (error) {
      if (!isProtocolError(error)) throw error;
      return error.code === "session_not_found" ? { type: "failed", error } : { type: "disconnected" };
    }
  }

  async #settledSession(client: Client): Promise<SessionInfo> {
    const { sessionId } = this.#request;
    const session = await client.call("session.inspect", sessionId, { timeoutMs: EXPLAIN_TIMEOUT_MS });
    if (isEnded(session) || session.runtime?.state !== "live") return session;
    const states = ["stopped", "done", "failed"] as const;
    const waited = await client.wait({ session_id: sessionId, states: [...states] }, { timeoutMs: END_GRACE_MS });
    return waited.session;
  }

  #noteSent(count: number): void {
    this.#unsentBytes -= count;
    if (!this.#isFull || this.#unsentBytes > MAX_UNSENT_BYTES / 2) return;
    this.#isFull = false;
    this.#request.listener.onInputRoom();
  }

  #untilRoom(): Promise<void> {
    return new Promise((resolve) => {
      this.#room = () => {
        this.#room = undefined;
        resolve();
      };
    });
  }
}
