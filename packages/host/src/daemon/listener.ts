import { chmodSync, lstatSync, rmSync } from "node:fs";
import { isIPv6 } from "node:net";
import { protocolError } from "@pohunek/protocol/wire";
import type { Socket, SocketHandler, TCPSocketListener, UnixSocketListener } from "bun";
import type { Logger } from "../logs/logger.ts";
import type { PeerIdentity, TcpEnd } from "../platform/index.ts";
import { descriptorOf } from "../worker-api/socket-descriptor.ts";
import type { DescriptorRoom } from "./descriptor-room.ts";
import { descriptorsExhausted } from "./descriptor-room.ts";
import type { Origin } from "./origin.ts";
import { RefusedConnection } from "./refused-connection.ts";

/** What a connection's bytes are handed to. */
export interface ConnectionSink {
  data(chunk: Uint8Array): void;
  drain(): void;
  end(): void;
  closed(): void;
  close(): void;
}

export interface ListenerOptions {
  /** Makes the sink of an accepted connection. */
  readonly accept: (socket: Socket<unknown>, origin: Origin) => ConnectionSink;
  readonly room: DescriptorRoom;
  readonly log: Logger;
}

export interface UnixListenerOptions extends ListenerOptions {
  readonly path: string;
  readonly uid: number;
  readonly readPeer: (fd: number) => PeerIdentity | undefined;
}

export interface TcpListenerOptions extends ListenerOptions {
  readonly overlay: string;
  readonly address: string;
  readonly port: number;
  readonly uid: number;
  /** The user at the far end of a connection that comes from this very machine. */
  readonly readTcpOwner: (near: TcpEnd, far: TcpEnd) => number | undefined;
}

/** A listening socket and the connections that it accepted. */
export interface Listener {
  /** Where it listens: a path, or `address:port`. */
  readonly name: string;
  /** Stops accepting. Connections go on. */
  stop(): void;
  /** Ends all connections. */
  closeAll(): void;
}

/** Connections of one listener. Every waiting call and every subscriber has its own; beyond this somebody forgets to close. */
const MAX_CONNECTIONS = 512;

type Decide = (socket: Socket<Accepted>) => Origin | undefined;
interface Accepted {
  sink: ConnectionSink | undefined;
}

/**
 * Listens for the owner's local clients. The folder keeps other users out; should one get in all the same, the kernel's
 * word about who connected is what counts.
 */
export function listenUnix(options: UnixListenerOptions): Listener {
  const { path, uid, readPeer, log } = options;
  const decide: Decide = (socket) => {
    const fd = descriptorOf(socket);
    const peer = fd === undefined ? undefined : readPeer(fd);
    if (peer === undefined || peer.uid !== uid) {
      log.warn("peer_refused", { uid: peer?.uid, pid: peer?.pid });
      return undefined;
    }
    return { kind: "local_owner", pid: peer.pid };
  };
  removeStaleSocket(path);
  const connections = new Set<ConnectionSink>();
  // Bun takes allowHalfOpen for Unix sockets too, though its types do not say so.
  const halfOpen = { allowHalfOpen: true };
  const server: UnixSocketListener<Accepted> = Bun.listen<Accepted>({
    unix: path,
    ...halfOpen,
    data: { sink: undefined },
    socket: socketHandler(options, { connections, decide }),
  });
  chmodSync(path, 0o600);
  return {
    name: path,
    stop: () => {
      server.stop();
      rmSync(path, { force: true });
    },
    closeAll: () => closeEach(connections),
  };
}

/**
 * Listens on one address of a private overlay, whose members are the owner's. The overlay does not know the users of this
 * machine apart, so another one who connects from here is refused by the kernel's word. Fails when the address is not there.
 */
export function listenTcp(options: TcpListenerOptions): Listener {
  const { overlay, address, port, uid, readTcpOwner, log } = options;
  const decide: Decide = (socket) => {
    const near = { address: socket.localAddress, port: socket.localPort };
    const owner = readTcpOwner(near, { address: socket.remoteAddress, port: socket.remotePort });
    if (owner !== undefined && owner !== uid) {
      log.warn("peer_refused", { uid: owner, overlay });
      return undefined;
    }
    return { kind: "overlay_owner", overlay };
  };
  const connections = new Set<ConnectionSink>();
  const server: TCPSocketListener<Accepted> = Bun.listen<Accepted>({
    hostname: address,
    port,
    allowHalfOpen: true,
    data: { sink: undefined },
    socket: socketHandler(options, { connections, decide }),
  });
  return {
    name: `${isIPv6(address) ? `[${address}]` : address}:${server.port}`,
    stop: () => server.stop(),
    closeAll: () => closeEach(connections),
  };
}

function socketHandler(
  options: ListenerOptions,
  { connections, decide }: { connections: Set<ConnectionSink>; decide: Decide },
): SocketHandler<Accepted> {
  const handler: SocketHandler<Accepted, "uint8array"> = {
    binaryType: "uint8array",
    open(socket) {
      const verdict = judgeRoom(socket, { ...options, count: connections.size });
      const origin = verdict === "unheard" ? undefined : decide(socket);
      if (origin === undefined) {
        socket.terminate();
        return;
      }
      if (verdict === "refused") {
        socket.data = { sink: new RefusedConnection(socket, descriptorsExhausted()) };
        return;
      }
      const sink = options.accept(socket, origin);
      socket.data = { sink };
      connections.add(sink);
    },
    data: (socket, chunk) => socket.data.sink?.data(chunk),
    drain: (socket) => socket.data.sink?.drain(),
    end: (socket) => socket.data.sink?.end(),
    close(socket) {
      const { sink } = socket.data;
      if (sink !== undefined) {
        connections.delete(sink);
        sink.closed();
      }
    },
    error() {
      // ECONNRESET and the like: `close` follows and does what there is to do.
    },
  };
  // Bun.listen's types know handlers of its default kind of chunks only.
  return handler as unknown as SocketHandler<Accepted>;
}

/** Who there is no room for is told so, unless even that would take what is needed to end something. */
function judgeRoom(
  socket: Socket<Accepted>,
  { room, log, count }: ListenerOptions & { count: number },
): "welcome" | "refused" | "unheard" {
  const fd = descriptorOf(socket) ?? 0;
  if (count < MAX_CONNECTIONS && !room.isReserved(fd)) {
    return "welcome";
  }
  log.warn("connection_limit_reached", { connections: count, descriptor: fd });
  return count >= MAX_CONNECTIONS || room.isLast(fd) ? "unheard" : "refused";
}

function closeEach(connections: ReadonlySet<ConnectionSink>): void {
  for (const connection of connections) {
    connection.close();
  }
}

/** Removes the socket of a daemon that is gone. The runtime lock is ours, so no daemon listens there. */
function removeStaleSocket(path: string): void {
  const stat = lstatSync(path, { throwIfNoEntry: false });
  if (stat === undefined) {
    return;
  }
  if (!stat.isSocket()) {
    const message = `${path} exists and is not a socket`;
    throw protocolError("paths_unavailable", { message, recover: "Move the file away." });
  }
  rmSync(path);
}
