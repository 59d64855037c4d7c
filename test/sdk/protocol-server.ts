import { mkdtempSync, rmSync } from "node:fs";
import type { AddressInfo, Server, Socket } from "node:net";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Request, StreamId, VersionRange } from "@pohunek/protocol/wire";
import {
  ConnectionVersion,
  encodeEvent,
  encodeFailure,
  encodeSuccess,
  isProtocolError,
  LineDecoder,
  parseAttachPrelude,
  parseRequestEnvelope,
  protocolError,
  SUPPORTED_VERSIONS,
} from "@pohunek/protocol/wire";

/** What a handler may do besides returning the result. */
export interface HandlerContext {
  readonly request: Request;
  /** For answers that are no answers. */
  readonly socket: Socket;
}

/** Leaves a request without an answer. */
export const NO_ANSWER = Symbol("no answer");

export interface ProtocolServerOptions {
  readonly versions?: VersionRange;
  readonly handlers?: Readonly<Record<string, (params: unknown, context: HandlerContext) => unknown>>;
  /** Serves redeemed attach connections; without it no stream is known. */
  readonly attach?: (streamId: StreamId, socket: Socket, input: Uint8Array) => void;
}

/** One accepted connection, as the server saw it. */
export interface AcceptedConnection {
  readonly requests: Request[];
  readonly socket: Socket;
  /** Resolves when the connection is gone. */
  readonly closed: Promise<void>;
}

/**
 * A small daemon stand-in in this process: the public protocol on a Unix socket and on TCP, with the handlers that a
 * test gives it.
 */
export class ProtocolServer implements AsyncDisposable {
  readonly socketPath: string;
  readonly connections: AcceptedConnection[] = [];
  readonly #directory: string;
  readonly #options: ProtocolServerOptions;
  readonly #servers: Server[] = [];
  readonly #subscribers = new Set<{ readonly socket: Socket; readonly version: number }>();

  private constructor(options: ProtocolServerOptions) {
    this.#options = options;
    this.#directory = mkdtempSync(join(tmpdir(), "pohunek-sdk-"));
    this.socketPath = join(this.#directory, "daemon.sock");
  }

  static async start(options: ProtocolServerOptions = {}): Promise<ProtocolServer> {
    const server = new ProtocolServer(options);
    await server.#listen(server.socketPath);
    await server.#listen(0);
    return server;
  }

  get tcpPort(): number {
    const address = this.#servers[1]?.address() as AddressInfo | null | undefined;
    if (address == null) throw new Error("the server does not listen");
    return address.port;
  }

  /** All requests of all connections, in the order of the connections. */
  get requests(): readonly Request[] {
    return this.connections.flatMap((connection) => connection.requests);
  }

  /** Sends an event to the subscribers, in the shape that is given. */
  emit(event: string, payload: object): void {
    for (const { socket, version } of this.#subscribers) socket.write(encodeEvent(version, event, payload));
  }

  /** Ends the subscribers' streams. */
  endSubscriptions(): void {
    for (const { socket } of this.#subscribers) socket.end();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { socket } of this.connections) socket.destroy();
    for (const server of this.#servers) {
      await new Promise<void>((resolve) => {
        server.close(() => resolve());
      });
    }
    rmSync(this.#directory, { recursive: true, force: true });
  }

  async #listen(where: string | number): Promise<void> {
    const server = createServer((socket) => this.#accept(socket));
    this.#servers.push(server);
    await new Promise<void>((resolve) => {
      if (typeof where === "string") server.listen(where, resolve);
      else server.listen(where, "127.0.0.1", resolve);
    });
  }

  #accept(socket: Socket): void {
    const closed = new Promise<void>((resolve) => {
      socket.once("close", () => resolve());
    });
    const connection: AcceptedConnection = { requests: [], socket, closed };
    this.connections.push(connection);
    const version = new ConnectionVersion(this.#options.versions ?? SUPPORTED_VERSIONS);
    const decoder = new LineDecoder();
    // A client that is gone is not this server's failure.
    socket.on("error", () => undefined);
    let answering = Promise.resolve();
    const onData = (chunk: Uint8Array): void => {
      for (const line of decoder.push(chunk)) {
        const streamId = connection.requests.length === 0 ? parseAttachPrelude(line) : undefined;
        if (streamId !== undefined) {
          socket.off("data", onData);
          const rest = chunk.slice(chunk.indexOf(0x0a) + 1);
          this.#redeem(streamId, socket, rest);
          return;
        }
        const request = parseRequestEnvelope(line);
        if (request.invalid !== undefined) {
          socket.write(encodeFailure(version.current, request.id, protocolError("bad_request")));
          continue;
        }
        connection.requests.push(request);
        answering = answering.then(() => this.#answer({ request, socket }, version));
      }
    };
    socket.on("data", onData);
  }

  #redeem(streamId: StreamId, socket: Socket, input: Uint8Array): void {
    if (this.#options.attach === undefined) {
      socket.end(encodeFailure(SUPPORTED_VERSIONS.maximum, streamId, protocolError("attach_not_found")));
    } else {
      this.#options.attach(streamId, socket, input);
    }
  }

  async #answer(context: HandlerContext, version: ConnectionVersion): Promise<void> {
    const { request, socket } = context;
    const refusal = version.accept(request.v);
    if (refusal !== undefined) {
      socket.write(encodeFailure(version.current, request.id, refusal));
      return;
    }
    try {
      const result = await this.#handle(context, version);
      if (result !== NO_ANSWER) socket.write(encodeSuccess(version.current, request.id, result));
    } catch (cause) {
      if (!isProtocolError(cause)) throw cause;
      socket.write(encodeFailure(version.current, request.id, cause));
    }
    if (request.method === "subscribe") this.#subscribers.add({ socket, version: version.current });
  }

  async #handle(context: HandlerContext, version: ConnectionVersion): Promise<unknown> {
    const { method, params } = context.request;
    const handler = this.#options.handlers?.[method];
    if (handler !== undefined) return handler(params, context);
    if (method === "subscribe") return { subscribed: true };
    if (method === "daemon.health") {
      return { status: "ok", daemon_version: "9.9.9", protocol_version: version.current };
    }
    throw protocolError("method_not_found");
  }
}
