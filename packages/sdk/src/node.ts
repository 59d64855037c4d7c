import type { NetConnectOpts } from "node:net";
import { SocketStream } from "./node-socket-stream.ts";
import type { Transport } from "./transport.ts";

/** A daemon of this machine, by the path of its socket. */
export function unixTransport(path: string): Transport {
  return socketTransport(undefined, { path });
}

export interface TcpAddress {
  /** An IP address or a name. */
  readonly address: string;
  readonly port: number;
  /** How errors name the host; the address when absent. */
  readonly host?: string;
}

/** A daemon of another host on a private overlay. */
export function tcpTransport({ address, port, host = address }: TcpAddress): Transport {
  return socketTransport(host, { host: address, port, noDelay: true });
}

function socketTransport(host: string | undefined, options: NetConnectOpts): Transport {
  return { host, connect: (_purpose, signal) => SocketStream.connect(options, signal) };
}
