import type { SessionInfo } from "@pohunek/protocol";
import type { ProtocolError, SessionId, StreamId } from "@pohunek/protocol/wire";
import { CLIPBOARD_DEFAULTS, isProtocolError, TERMINAL_SESSION_STATES } from "@pohunek/protocol/wire";
import type { AttachStream, Client } from "@pohunek/sdk";
import { isEnded } from "../sessions/state-words.ts";
import { QuestionFilter } from "./question-filter.ts";

/** How an attach stream came to its end without the user's doing. */
export type LinkEnd =
  | { readonly type: "ended"; readonly session: SessionInfo }
  | { readonly type: "lost"; readonly session: SessionInfo }
  | { readonly type: "failed"; readonly error: ProtocolError }
  | { readonly type: "detached" }
  /** The daemon cannot be asked: it is restarting, or gone. */
  | { readonly type: "disconnected" };

/** Why output waits: the terminal takes no more, or a menu is shown. */
type OutputPause = "terminal" | "menu";

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
  readonly #sessionId: SessionId;
  readonly #listener: AttachLinkListener;
  readonly #stream: AttachStream;
  readonly #questions: QuestionFilter;
  #unsentBytes = 0;
  #isFull = false;
  #isClosed = false;
  #failure: ProtocolError | undefined;
  #room: (() => void) | undefined;
  readonly #pauses = new Set<OutputPause>();

  constructor(sessionId: SessionId, stream: AttachStream, listener: AttachLinkListener) {
    this.#sessionId = sessionId;
    this.#listener = listener;
    this.#stream = stream;
    this.#questions = new QuestionFilter({
      policy: stream.clipboard ?? CLIPBOARD_DEFAULTS,
      onOversizedCopy: () => listener.onOversizedCopy(),
    });
  }

  get streamId(): StreamId {
    return this.#stream.streamId;
  }

  /** Brings output to the listener until the stream ends. */
  async pump(): Promise<void> {
    try {
      for await (const bytes of this.#stream) {
        while (this.#pauses.size > 0 && !this.#isClosed) await this.#untilRoom();
        if (this.#isClosed) return;
        const shown = this.#questions.take(bytes);
        if (shown.length > 0) this.#listener.onOutput(shown);
      }
    } catch (error) {
      if (!isProtocolError(error)) throw error;
      this.#failure = error;
    }
    if (!this.#isClosed) this.#listener.onEnd();
  }

  /** Sends input, in order, however slowly it is taken. */
  send(bytes: Uint8Array): void {
    this.#unsentBytes += bytes.length;
    if (this.#unsentBytes > MAX_UNSENT_BYTES && !this.#isFull) {
      this.#isFull = true;
      this.#listener.onInputFull();
    }
    // A stream that cannot be written any more has ended; `pump` finds that out and tells it.
    this.#stream.write(bytes).then(
      () => this.#noteSent(bytes.length),
      () => undefined,
    );
  }

  pauseOutput(why: OutputPause): void {
    this.#pauses.add(why);
  }

  resumeOutput(why: OutputPause): void {
    this.#pauses.delete(why);
    this.#room?.();
  }

  /** Leaves the stream; the session goes on. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#room?.();
    await this.#stream.close();
  }

  /** Finds out why the stream has ended. */
  async explainEnd(client: Client): Promise<LinkEnd> {
    try {
      const session = await this.#settledSession(client);
      if (session.runtime?.state === "lost") return { type: "lost", session };
      if (isEnded(session)) return { type: "ended", session };
      if (this.#failure?.isRetryable === true) return { type: "disconnected" };
      return this.#failure === undefined ? { type: "detached" } : { type: "failed", error: this.#failure };
    } catch (error) {
      if (!isProtocolError(error)) throw error;
      return error.code === "session_not_found" ? { type: "failed", error } : { type: "disconnected" };
    }
  }

  async #settledSession(client: Client): Promise<SessionInfo> {
    const sessionId = this.#sessionId;
    const session = await client.call("session.inspect", sessionId, { timeoutMs: EXPLAIN_TIMEOUT_MS });
    if (isEnded(session) || session.runtime?.state !== "live") return session;
    const states = [...TERMINAL_SESSION_STATES];
    const waited = await client.wait({ session_id: sessionId, states }, { timeoutMs: END_GRACE_MS });
    return waited.session;
  }

  #noteSent(count: number): void {
    this.#unsentBytes -= count;
    if (!this.#isFull || this.#unsentBytes > MAX_UNSENT_BYTES / 2) return;
    this.#isFull = false;
    this.#listener.onInputRoom();
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
