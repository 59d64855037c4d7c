import type { ResultOf } from "@pohunek/protocol";
import type { StreamId } from "@pohunek/protocol/wire";
import { encodeAttachPrelude, readAttachAnswer } from "@pohunek/protocol/wire";
import type { Cancellation } from "./cancellation.ts";
import { settleWithin } from "./cancellation.ts";
import type { Peer } from "./failures.ts";
import { connectionLost, peerError } from "./failures.ts";
import { joinBytes } from "./join-bytes.ts";
import type { ByteStream } from "./transport.ts";

/** What an attach stream needs from the control connection that granted it. */
export interface AttachControl {
  readonly peer: Peer;
  readonly timeoutMs: number;
  resize(size: { readonly cols: number; readonly rows: number }): Promise<void>;
  /** Asks session.detach: ends the stream, or returns the failure that ended it, once. */
  detach(): Promise<Error | undefined>;
}

/**
 * One attached terminal: its output as an async iterable of bytes that begins with a repaint of the present screen, and
 * its input through `write`. Iteration ends when the session's output ends, and rejects with the stream's failure.
 */
export class AttachStream implements AsyncIterable<Uint8Array>, AsyncDisposable {
  readonly streamId: StreamId;
  /** What the session may do to the local clipboard. Absent: the host does not tell, and the defaults hold. */
  readonly clipboard: AttachGrant["clipboard"];
  readonly #stream: ByteStream;
  readonly #control: AttachControl;
  #first: Uint8Array | undefined;
  #isClosed = false;

  private constructor(streamId: StreamId, opened: OpenedStream, control: AttachControl) {
    this.streamId = streamId;
    this.clipboard = opened.clipboard;
    this.#stream = opened.stream;
    this.#first = opened.first;
    this.#control = control;
  }

  /** Redeems a granted stream id on a fresh connection. Resolves when the first bytes of the repaint are there. */
  static open(streamId: StreamId, grant: AttachGrant): Promise<AttachStream> {
    return AttachStream.#begin(streamId, grant, redeem(streamId, grant.stream, grant.control));
  }

  /** As `open`, on the connection that asked, which is the stream already; `received` are its first bytes so far. */
  static over(streamId: StreamId, received: Uint8Array, grant: AttachGrant): Promise<AttachStream> {
    return AttachStream.#begin(streamId, grant, firstBytes(received, grant.stream, grant.control));
  }

  static async #begin(streamId: StreamId, grant: AttachGrant, redeeming: Promise<Uint8Array>): Promise<AttachStream> {
    const { stream, control, signal } = grant;
    const message = `the attach showed nothing within ${control.timeoutMs} ms`;
    const onTimeout = () => peerError(control.peer, "request_timeout", { message });
    try {
      const first = await settleWithin(redeeming, { timeoutMs: control.timeoutMs, onTimeout }, { signal });
      return new AttachStream(streamId, { stream, first, clipboard: grant.clipboard }, control);
    } catch (cause) {
      await stream.close();
      throw cause;
    }
  }

  async *[Symbol.asyncIterator](): AsyncGenerator<Uint8Array, void, undefined> {
    try {
      const first = this.#first;
      this.#first = undefined;
      if (first !== undefined) yield first;
      for (let chunk = await this.#read(); chunk !== undefined; chunk = await this.#read()) yield chunk;
      if (this.#isClosed) return;
      const failure = await this.#control.detach();
      if (failure !== undefined) throw failure;
    } finally {
      await this.close();
    }
  }

  /** Sends terminal input. Resolves when more can be taken, in the order of the calls. */
  write(bytes: Uint8Array): Promise<void> {
    return this.#stream.write(bytes).catch((cause: unknown) => {
      throw connectionLost(this.#control.peer, cause);
    });
  }

  async resize(size: { readonly cols: number; readonly rows: number }): Promise<void> {
    await this.#control.resize(size);
  }

  /** Ends the stream through the control connection and closes it. The session goes on. */
  async detach(): Promise<void> {
    const isOpen = !this.#isClosed;
    this.#isClosed = true;
    try {
      if (isOpen) await this.#control.detach();
    } finally {
      await this.#stream.close();
    }
  }

  /** Closes the connection, which ends the attach as well. Closing twice is fine. */
  async close(): Promise<void> {
    this.#isClosed = true;
    await this.#stream.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #read(): Promise<Uint8Array | undefined> {
    try {
      return await this.#stream.read();
    } catch (cause) {
      if (this.#isClosed) return undefined;
      throw connectionLost(this.#control.peer, cause);
    }
  }
}

export interface AttachGrant extends Cancellation {
  readonly stream: ByteStream;
  readonly control: AttachControl;
  readonly clipboard: ResultOf<"session.attach">["clipboard"];
}

interface OpenedStream {
  readonly stream: ByteStream;
  readonly first: Uint8Array;
  readonly clipboard: AttachGrant["clipboard"];
}

/** Writes the prelude and waits for what comes back. */
async function redeem(streamId: StreamId, stream: ByteStream, control: AttachControl): Promise<Uint8Array> {
  await stream.write(encodeAttachPrelude(streamId)).catch((cause: unknown) => {
    throw connectionLost(control.peer, cause);
  });
  return await firstBytes(new Uint8Array(0), stream, control);
}

/** Reads until it is clear whether the terminal or an error answers. */
async function firstBytes(begun: Uint8Array, stream: ByteStream, control: AttachControl): Promise<Uint8Array> {
  let received = begun;
  for (;;) {
    const answer = readAttachAnswer(received);
    if (answer === "terminal") return received;
    if (answer !== "more") throw connectionLost(control.peer, answer);
    const chunk = await stream.read().catch((cause: unknown) => {
      throw connectionLost(control.peer, cause);
    });
    if (chunk === undefined) throw (await control.detach()) ?? connectionLost(control.peer);
    received = received.length === 0 ? chunk : joinBytes(received, chunk);
  }
}
