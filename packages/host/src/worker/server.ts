import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { isRecord } from "@pohunek/protocol/wire";
import type { SocketCalls } from "../platform/index.ts";
import { WOULD_BLOCK } from "../platform/index.ts";
import { HOOK_LIMITS, isHookLine } from "../worker-api/hooks.ts";
import { WORKER_LIMITS } from "../worker-api/limits.ts";
import type { ConnectionListener } from "./connection.ts";
import { Connection } from "./connection.ts";
import type { PerformOperation } from "./control-peer.ts";
import { ControlPeer } from "./control-peer.ts";
import type { DescriptorWatch, WatchedDescriptor } from "./descriptor-watch.ts";

export interface ServerOptions {
  readonly path: string;
  readonly sockets: SocketCalls;
  readonly watch: DescriptorWatch;
  readonly perform: PerformOperation;
  readonly onBug: (cause: unknown) => void;
  readonly onControlClosed: (peer: ControlPeer) => void;
  /** Answers the one line of a hook of the program; `fd` is its connection. */
  readonly answerHook: (fd: number, line: unknown) => Uint8Array;
  /** With `viewer`, the connection only speaks about a viewer whose own socket came along. */
  readonly openData: (connection: Connection, viewer: ViewerSocket | undefined) => StreamPeer;
}

/** One attach on the worker's side. */
export interface StreamPeer {
  open(token: string): void;
  receive(bytes: Uint8Array): void;
  drain(): void;
  closed(): void;
}

/** A viewer's socket that was handed to us, not served yet. */
export interface ViewerSocket {
  serve(listener: ConnectionListener): Connection;
  /** Gives it up unserved. */
  close(): void;
}

const LINE_FEED = 0x0a;
const READ_BYTES = 65_536;

/** The worker's socket: control and data connections, told apart by their first line. Owner only. */
export class WorkerServer implements Disposable {
  readonly #options: ServerOptions;
  readonly #connections = new Set<Connection>();
  readonly #memory = new Uint8Array(READ_BYTES);
  #listener: WatchedDescriptor | undefined;

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  /** Replaces a socket that a dead worker of the session left; the caller knows that none lives. */
  listen(): void {
    const { path, sockets, watch } = this.#options;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    chmodSync(dirname(path), 0o700);
    rmSync(path, { force: true });
    const fd = sockets.listen(path);
    chmodSync(path, 0o600);
    const readable = (): boolean => this.#accept(fd);
    this.#listener = { fd, wantsRead: true, wantsWrite: false, readable, writable: () => undefined };
    watch.add(this.#listener);
  }

  #accept(listener: number): boolean {
    const { sockets, watch, onBug } = this.#options;
    try {
      const fd = sockets.accept(listener);
      if (fd === WOULD_BLOCK) {
        return false;
      }
      const listen = (connection: Connection): ConnectionListener => this.#listenTo(connection);
      this.#connections.add(new Connection({ fd, sockets, watch, memory: this.#memory, listen }));
      return true;
    } catch (cause) {
      // EMFILE, ECONNABORTED: this one connection is not to be had; the next signal tries again.
      onBug(cause);
      return false;
    }
  }

  /** What a connection is shows in its first line; until that is complete it is neither. */
  #listenTo(connection: Connection): ConnectionListener {
    const first = new FirstLine();
    let peer: ControlPeer | StreamPeer | undefined;
    return {
      receive: (bytes) => {
        if (peer) {
          peer.receive(bytes);
          return;
        }
        const taken = first.take(bytes);
        if (taken) {
          peer = this.#recognise(connection, taken.line);
          peer.receive(taken.rest);
        } else if (first.isTooLong) {
          connection.end();
        }
      },
      drain: () => peer?.drain(),
      closed: () => {
        this.#connections.delete(connection);
        this.#closed(peer);
      },
    };
  }

  #recognise(connection: Connection, line: Uint8Array): ControlPeer | StreamPeer {
    const viewer = this.#viewerOf(connection.takeDescriptor());
    const token = readOpenLine(line);
    if (token === undefined) {
      viewer?.close();
      const report = readHookLine(line);
      if (report !== undefined) {
        return this.#answerHook(connection, report);
      }
      const { perform, onBug } = this.#options;
      const control = new ControlPeer({ sink: connection, perform, onBug });
      control.receive(line);
      return control;
    }
    const stream = this.#options.openData(connection, viewer);
    stream.open(token);
    return stream;
  }

  /** One line, one answer: nothing else is heard on such a connection. */
  #answerHook(connection: Connection, report: object): StreamPeer {
    // An answer this short always fits.
    connection.write(this.#options.answerHook(connection.fd, report));
    setImmediate(() => connection.end());
    return { open: () => undefined, receive: () => undefined, drain: () => undefined, closed: () => undefined };
  }

  #viewerOf(fd: number | undefined): ViewerSocket | undefined {
    const { sockets, watch } = this.#options;
    if (fd === undefined) {
      return undefined;
    }
    return {
      serve: (listener) => {
        const connection = new Connection({
          fd,
          sockets,
          watch,
          memory: this.#memory,
          listen: (self) => ({
            receive: (bytes) => listener.receive(bytes),
            drain: () => listener.drain(),
            closed: () => {
              this.#connections.delete(self);
              listener.closed();
            },
          }),
        });
        // A viewer has no business in sending descriptors.
        connection.takeDescriptor();
        this.#connections.add(connection);
        return connection;
      },
      close: () => sockets.close(fd),
    };
  }

  #closed(peer: ControlPeer | StreamPeer | undefined): void {
    if (peer instanceof ControlPeer) {
      this.#options.onControlClosed(peer);
    } else if (peer) {
      peer.closed();
    }
  }

  [Symbol.dispose](): void {
    const { watch, sockets, path } = this.#options;
    if (this.#listener) {
      watch.remove(this.#listener);
      sockets.close(this.#listener.fd);
      rmSync(path, { force: true });
    }
    for (const connection of this.#connections) {
      connection.end();
    }
  }
}

/** Collects a connection's first line, LF included. */
class FirstLine {
  #pieces: Uint8Array[] = [];
  #bytes = 0;

  get isTooLong(): boolean {
    return this.#bytes > WORKER_LIMITS.controlLineBytes;
  }

  take(chunk: Uint8Array): { readonly line: Uint8Array; readonly rest: Uint8Array } | undefined {
    const end = chunk.indexOf(LINE_FEED) + 1;
    const piece = chunk.slice(0, end || chunk.length);
    this.#pieces.push(piece);
    this.#bytes += piece.length;
    if (end === 0) {
      return undefined;
    }
    const line = Buffer.concat(this.#pieces);
    this.#pieces = [];
    return { line, rest: chunk.subarray(end) };
  }
}

/** The report of a hook; undefined for any other line. */
function readHookLine(line: Uint8Array): object | undefined {
  if (line.length > HOOK_LIMITS.lineBytes) {
    return undefined;
  }
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(line));
    return isRecord(value) && isHookLine(value) ? value : undefined;
  } catch {
    // Not JSON: the control connection refuses it.
    return undefined;
  }
}

/** The token of `{"open":"..."}`; undefined for any other line. */
function readOpenLine(line: Uint8Array): string | undefined {
  if (line.length > WORKER_LIMITS.openLineBytes) {
    return undefined;
  }
  try {
    const value: unknown = JSON.parse(new TextDecoder().decode(line));
    return isRecord(value) && typeof value["open"] === "string" ? value["open"] : undefined;
  } catch {
    // Not JSON: the control connection refuses it.
    return undefined;
  }
}
