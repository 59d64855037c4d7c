import type { Server, Socket } from "node:net";
import { connect, createServer } from "node:net";

/** `before`: the request never leaves. `after`: it was read, and its answer is lost. */
export type Cut = "before" | "after";

export interface CuttingProxyOptions {
  readonly target: string;
  /** Decides about each request line that a client sends. */
  readonly decide: (line: string) => Cut | undefined;
}

/** Passes connections to a Unix socket on to another, and cuts them at the worst moments. */
export class CuttingProxy implements AsyncDisposable {
  readonly #server: Server;
  readonly #options: CuttingProxyOptions;
  readonly #sockets = new Set<Socket>();
  #cuts = 0;

  private constructor(options: CuttingProxyOptions) {
    this.#options = options;
    this.#server = createServer((client) => this.#join(client));
  }

  static async start(path: string, options: CuttingProxyOptions): Promise<CuttingProxy> {
    const proxy = new CuttingProxy(options);
    await new Promise<void>((resolve, reject) => {
      proxy.#server.once("error", reject);
      proxy.#server.listen(path, resolve);
    });
    return proxy;
  }

  /** Connections that were cut so far. */
  get cuts(): number {
    return this.#cuts;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise<void>((resolve) => {
      this.#server.close(() => resolve());
    });
  }

  #join(client: Socket): void {
    const host = connect(this.#options.target);
    let isAnswerLost = false;
    const cut = (): void => {
      this.#cuts += 1;
      client.destroy();
      host.destroy();
    };
    for (const socket of [client, host]) {
      this.#sockets.add(socket);
      const other = socket === client ? host : client;
      socket.on("error", () => socket.destroy());
      socket.on("close", () => {
        this.#sockets.delete(socket);
        other.destroy();
      });
    }
    host.on("data", (bytes: Uint8Array) => (isAnswerLost ? cut() : client.write(bytes)));
    let rest = "";
    client.on("data", (bytes: Uint8Array) => {
      rest += Buffer.from(bytes).toString("latin1");
      for (let end = rest.indexOf("\n"); end !== -1 && !client.destroyed; end = rest.indexOf("\n")) {
        const line = rest.slice(0, end + 1);
        rest = rest.slice(end + 1);
        const decision = this.#options.decide(line);
        if (decision === "before") {
          cut();
          return;
        }
        isAnswerLost ||= decision === "after";
        host.write(Buffer.from(line, "latin1"));
      }
    });
  }
}
