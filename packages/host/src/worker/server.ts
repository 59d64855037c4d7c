import { chmodSync, mkdirSync, rmSync } from "node:fs";
import { dirname } from "node:path";
import { isRecord } from "@pohunek/protocol/wire";
import type { Socket, UnixSocketListener } from "bun";
import { WORKER_LIMITS } from "../worker-api/limits.ts";
import type { PerformOperation } from "./control-peer.ts";
import { ControlPeer } from "./control-peer.ts";
import type { DataPeer, DataPeerOptions } from "./data-peer.ts";

export interface ServerOptions {
  readonly path: string;
  readonly perform: PerformOperation;
  readonly onBug: (cause: unknown) => void;
  readonly onControlClosed: (peer: ControlPeer) => void;
  readonly openData: (sink: DataPeerOptions["sink"]) => DataPeer;
}

/** What a connection turned out to be. Before its first line is complete it is neither. */
interface Connection {
  peer: ControlPeer | DataPeer | undefined;
  firstLine: Uint8Array[];
  firstLineBytes: number;
}

const LINE_FEED = 0x0a;

/** The worker's socket: control and data connections, told apart by their first line. Owner only. */
export class WorkerServer implements Disposable {
  readonly #options: ServerOptions;
  readonly #dataPeers = new Set<DataPeer>();
  #listener: UnixSocketListener<Connection> | undefined;

  constructor(options: ServerOptions) {
    this.#options = options;
  }

  /** Replaces a socket that a dead worker of the session left; the caller knows that none lives. */
  listen(): void {
    const { path } = this.#options;
    mkdirSync(dirname(path), { recursive: true, mode: 0o700 });
    chmodSync(dirname(path), 0o700);
    rmSync(path, { force: true });
    this.#listener = Bun.listen<Connection>({
      unix: path,
      socket: {
        binaryType: "uint8array",
        open: (socket) => {
          socket.data = { peer: undefined, firstLine: [], firstLineBytes: 0 };
        },
        data: (socket, chunk) => this.#receive(socket, chunk),
        drain: ({ data }) => data.peer?.drain(),
        close: ({ data }) => this.#closed(data),
        // The connection ends right after; `close` does what is to be done.
        error: () => undefined,
      },
    });
    chmodSync(path, 0o600);
  }

  /** Attach streams that were told to wait may send input again. */
  resumeInput(): void {
    for (const peer of this.#dataPeers) {
      peer.resumeInput();
    }
  }

  #receive(socket: Socket<Connection>, chunk: Uint8Array): void {
    const { data } = socket;
    if (data.peer) {
      data.peer.receive(chunk);
      return;
    }
    const end = chunk.indexOf(LINE_FEED);
    data.firstLine.push(end < 0 ? chunk.slice() : chunk.slice(0, end + 1));
    data.firstLineBytes += end < 0 ? chunk.length : end + 1;
    if (end >= 0) {
      this.#recognise(socket, chunk.subarray(end + 1));
    } else if (data.firstLineBytes > WORKER_LIMITS.controlLineBytes) {
      socket.end();
    }
  }

  #recognise(socket: Socket<Connection>, rest: Uint8Array): void {
    const { data } = socket;
    const line = Buffer.concat(data.firstLine);
    data.firstLine = [];
    const token = readOpenLine(line);
    if (token === undefined) {
      const { perform, onBug } = this.#options;
      const peer = new ControlPeer({ sink: socket, perform, onBug });
      data.peer = peer;
      peer.receive(line);
      peer.receive(rest);
    } else {
      const peer = this.#options.openData(socket);
      data.peer = peer;
      this.#dataPeers.add(peer);
      peer.open(token);
      peer.receive(rest);
    }
  }

  #closed({ peer }: Connection): void {
    if (peer instanceof ControlPeer) {
      this.#options.onControlClosed(peer);
    } else if (peer) {
      this.#dataPeers.delete(peer);
      peer.closed();
    }
  }

  [Symbol.dispose](): void {
    this.#listener?.stop(true);
    rmSync(this.#options.path, { force: true });
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
