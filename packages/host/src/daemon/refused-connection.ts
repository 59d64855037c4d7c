import type { ProtocolError } from "@pohunek/protocol/wire";
import {
  ConnectionVersion,
  encodeFailure,
  isProtocolError,
  LineDecoder,
  parseAttachPrelude,
  parseRequestEnvelope,
} from "@pohunek/protocol/wire";
import type { Socket } from "bun";
import type { ConnectionSink } from "./listener.ts";

/** A client that has connected asks at once. */
const REQUEST_MS = 1000;

/** A connection for which there is no room: its first request is answered with the reason, then it ends. */
export class RefusedConnection implements ConnectionSink {
  readonly #socket: Socket<unknown>;
  readonly #reason: ProtocolError;
  readonly #decoder = new LineDecoder();
  readonly #timer: ReturnType<typeof setTimeout>;

  constructor(socket: Socket<unknown>, reason: ProtocolError) {
    this.#socket = socket;
    this.#reason = reason;
    this.#timer = setTimeout(() => socket.terminate(), REQUEST_MS);
  }

  data(chunk: Uint8Array): void {
    try {
      const [line] = this.#decoder.push(chunk);
      if (line !== undefined) {
        this.#answer(line);
      }
    } catch (cause) {
      if (!isProtocolError(cause, "framing")) {
        throw cause;
      }
      this.#socket.terminate();
    }
  }

  #answer(line: Uint8Array): void {
    // An attach has no line for an answer: its bytes would be shown on the terminal.
    if (parseAttachPrelude(line) === undefined) {
      const request = parseRequestEnvelope(line);
      const version = new ConnectionVersion();
      if (request.invalid === undefined) {
        version.accept(request.v);
      }
      this.#socket.write(encodeFailure(version.current, request.id, this.#reason));
    }
    this.#socket.end();
  }

  drain(): void {}

  end(): void {
    this.#socket.end();
  }

  close(): void {
    this.#socket.end();
  }

  closed(): void {
    clearTimeout(this.#timer);
  }
}
