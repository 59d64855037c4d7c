import type { Socket } from "node:net";
import { createConnection } from "node:net";
import { encodeUtf8, LineDecoder } from "@pohunek/protocol/wire";
import type { Server, ServerWebSocket } from "bun";

interface Tunnel {
  readonly purpose: string;
  readonly socket: Socket;
}

/**
 * A loopback WebSocket gateway in front of a daemon's socket: a tunnel for each WebSocket, text frames of one line each
 * under /daemon/<host>/control, binary frames under /daemon/<host>/attach.
 */
export class Gateway implements AsyncDisposable {
  readonly #server: Server<Tunnel>;
  readonly #tunnels = new Set<ServerWebSocket<Tunnel>>();

  constructor(host: string, socketPath: string) {
    this.#server = Bun.serve<Tunnel>({
      hostname: "127.0.0.1",
      port: 0,
      fetch: (request, server) => {
        const purpose = /^\/base\/daemon\/([^/]+)\/(control|attach)$/.exec(new URL(request.url).pathname);
        if (purpose?.[1] !== encodeURIComponent(host)) return new Response("no such host", { status: 404 });
        const socket = createConnection({ path: socketPath });
        // The tunnel's end is told by the close event; a daemon that is gone is not the gateway's failure.
        socket.on("error", () => undefined);
        const data = { purpose: purpose[2] ?? "", socket };
        return server.upgrade(request, { data }) ? undefined : new Response("a WebSocket is wanted", { status: 426 });
      },
      websocket: {
        maxPayloadLength: 2 * 1_048_576,
        open: (webSocket) => this.#open(webSocket),
        message: ({ data }, message) => {
          if (data.purpose === "control") data.socket.write(`${message.toString()}\n`);
          else data.socket.write(typeof message === "string" ? encodeUtf8(message) : message);
        },
        close: (webSocket) => {
          this.#tunnels.delete(webSocket);
          webSocket.data.socket.destroy();
        },
      },
    });
  }

  get baseUrl(): string {
    return `http://127.0.0.1:${this.#server.port}/base/`;
  }

  /** Closes every tunnel with a code. */
  closeAll(code: number, reason: string): void {
    for (const webSocket of this.#tunnels) webSocket.close(code, reason);
  }

  /** Sends something that does not belong there into every tunnel. */
  inject(frame: string | Uint8Array): void {
    for (const webSocket of this.#tunnels) webSocket.send(frame);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#server.stop(true);
  }

  #open(webSocket: ServerWebSocket<Tunnel>): void {
    this.#tunnels.add(webSocket);
    const { purpose, socket } = webSocket.data;
    const decoder = new LineDecoder();
    socket.on("data", (chunk: Uint8Array) => {
      if (purpose === "attach") webSocket.send(chunk);
      else for (const line of decoder.push(chunk)) webSocket.send(new TextDecoder().decode(line));
    });
    socket.once("close", () => webSocket.close(1000));
  }
}
