import { decodeUtf8, LineDecoder, parseJson } from "@pohunek/protocol/wire";
import type { Peer } from "./failures.ts";
import { connectionLost, peerError } from "./failures.ts";
import type { ByteStream } from "./transport.ts";

/** Lines of JSON over a byte stream, read one at a time. */
export class MessageChannel {
  readonly #stream: ByteStream;
  readonly #peer: Peer;
  readonly #decoder = new LineDecoder();
  #lines: Iterator<Uint8Array> = [].values();

  constructor(stream: ByteStream, peer: Peer) {
    this.#stream = stream;
    this.#peer = peer;
  }

  /** Sends one line that is already encoded. */
  async send(line: Uint8Array): Promise<void> {
    try {
      await this.#stream.write(line);
    } catch (cause) {
      throw connectionLost(this.#peer, cause);
    }
  }

  /** The next message, or undefined when the peer ended the stream between two lines. */
  async receive(): Promise<{ readonly value: unknown } | undefined> {
    for (;;) {
      const next = this.#lines.next();
      if (next.done !== true) return this.#parse(next.value);
      const chunk = await this.#readChunk();
      if (chunk === undefined) {
        if (this.#decoder.pendingBytes === 0) return undefined;
        throw peerError(this.#peer, "framing", { message: "the daemon ended in the middle of a line" });
      }
      this.#lines = this.#decoder.push(chunk);
    }
  }

  async close(): Promise<void> {
    await this.#stream.close();
  }

  async #readChunk(): Promise<Uint8Array | undefined> {
    try {
      return await this.#stream.read();
    } catch (cause) {
      throw connectionLost(this.#peer, cause);
    }
  }

  #parse(line: Uint8Array): { readonly value: unknown } {
    const text = decodeUtf8(line);
    const json = text === undefined ? undefined : parseJson(text);
    if (json === undefined)
      throw peerError(this.#peer, "framing", { message: "the daemon sent a line that is no JSON" });
    return json;
  }
}
