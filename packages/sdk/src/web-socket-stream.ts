import { decodeUtf8, encodeUtf8, MAX_CONTROL_LINE_BYTES, protocolError } from "@pohunek/protocol/wire";
import { ByteQueue } from "./byte-queue.ts";
import type { ByteStream, Purpose } from "./transport.ts";

/** A WebSocket cannot be told to wait, so a reader this far behind is cut off instead of buffered without bound. */
const MAX_UNREAD_BYTES = 16 * 1_048_576;

/** Above this many unsent bytes a write waits. */
const WRITE_MARK_BYTES = 1_048_576;

/** A WebSocket has no event for sent bytes: a write above the mark looks again this often, a little above one frame. */
const UNSENT_POLL_MS = 20;

const LINE_FEED = 0x0a;

/** Close codes of a gateway that mean a stream ended in order. */
const ORDERLY_CODES: ReadonlySet<number> = new Set([1000, 1001, 1005]);

/** Close codes of a gateway that found fault with what was sent: protocol, type, encoding, size. */
const FRAMING_CODES: ReadonlySet<number> = new Set([1002, 1003, 1007, 1009]);

/** A WebSocket to a gateway as a pulled stream: text frames of one line each for control, binary frames for attach. */
export class WebSocketStream implements ByteStream {
  readonly #socket: WebSocket;
  readonly #purpose: Purpose;
  readonly #queue = new ByteQueue();
  readonly #closed: Promise<void>;

  private constructor(socket: WebSocket, purpose: Purpose) {
    this.#socket = socket;
    this.#purpose = purpose;
    socket.addEventListener("message", ({ data }: MessageEvent<unknown>) => this.#receive(data));
    this.#closed = new Promise((resolve) => {
      socket.addEventListener("close", ({ code, reason }: CloseEvent) => {
        if (ORDERLY_CODES.has(code)) this.#queue.end();
        else this.#queue.fail(closeFailure(code, reason));
        resolve();
      });
    });
  }

  static async connect(
    url: string,
    { purpose, signal }: { purpose: Purpose; signal: AbortSignal },
  ): Promise<WebSocketStream> {
    signal.throwIfAborted();
    const socket = new WebSocket(url);
    socket.binaryType = "arraybuffer";
    return new Promise((resolve, reject) => {
      const onAbort = (): void => {
        socket.close();
        reject(signal.reason as Error);
      };
      signal.addEventListener("abort", onAbort, { once: true });
      const refuse = (): void => {
        signal.removeEventListener("abort", onAbort);
        reject(protocolError("host_unreachable", { message: "the gateway did not accept the connection" }));
      };
      socket.addEventListener("close", refuse, { once: true });
      socket.addEventListener("open", () => {
        signal.removeEventListener("abort", onAbort);
        socket.removeEventListener("close", refuse);
        resolve(new WebSocketStream(socket, purpose));
      });
    });
  }

  async read(): Promise<Uint8Array | undefined> {
    return this.#queue.read();
  }

  async write(bytes: Uint8Array): Promise<void> {
    if (this.#socket.readyState !== WebSocket.OPEN)
      throw protocolError("io_error", { message: "the WebSocket is closed" });
    this.#socket.send(this.#purpose === "control" ? lineText(bytes) : bytes.slice());
    while (this.#socket.bufferedAmount > WRITE_MARK_BYTES && this.#socket.readyState === WebSocket.OPEN) {
      await new Promise<void>((resolve) => {
        setTimeout(resolve, UNSENT_POLL_MS);
      });
    }
  }

  async close(): Promise<void> {
    this.#queue.end();
    this.#socket.close(1000);
    await this.#closed;
  }

  #receive(data: unknown): void {
    const bytes = this.#bytesOf(data);
    if (bytes === undefined) {
      this.#cutOff(protocolError("framing", { message: "the gateway sent a frame of the wrong kind" }));
      return;
    }
    this.#queue.push(bytes);
    if (this.#queue.queuedBytes > MAX_UNREAD_BYTES) {
      this.#cutOff(protocolError("io_error", { message: "the stream is not read fast enough" }));
    }
  }

  #bytesOf(data: unknown): Uint8Array | undefined {
    if (this.#purpose === "attach") return data instanceof ArrayBuffer ? new Uint8Array(data) : undefined;
    if (typeof data !== "string" || data.length > MAX_CONTROL_LINE_BYTES + 1) return undefined;
    return encodeUtf8(data.endsWith("\n") ? data : `${data}\n`);
  }

  #cutOff(cause: Error): void {
    this.#queue.fail(cause);
    this.#socket.close();
  }
}

/** The line in its frame: the frame's end stands for the line feed. */
function lineText(line: Uint8Array): string {
  const end = line.at(-1) === LINE_FEED ? line.length - 1 : line.length;
  return decodeUtf8(line.subarray(0, end)) ?? "";
}

function closeFailure(code: number, reason: string) {
  const message = `the gateway closed the connection with code ${code}${reason === "" ? "" : `: ${reason}`}`;
  return protocolError(FRAMING_CODES.has(code) ? "framing" : "remote_daemon_unavailable", {
    message,
    details: { code },
  });
}
