import type { Transport } from "./transport.ts";
import { WebSocketStream } from "./web-socket-stream.ts";

export interface GatewayAddress {
  /** Where the gateway is, with scheme http, https, ws or wss, and perhaps a path. */
  readonly baseUrl: string;
  /** The host behind it, as the gateway names it. */
  readonly host: string;
}

/** A daemon behind a WebSocket gateway: for browsers, Node 22 and later, and Bun. */
export function webSocketTransport({ baseUrl, host }: GatewayAddress): Transport {
  const base = new URL(baseUrl);
  const scheme = base.protocol === "https:" || base.protocol === "wss:" ? "wss" : "ws";
  const root = `${scheme}://${base.host}${base.pathname.replace(/\/+$/, "")}`;
  return {
    host,
    connect: (purpose, signal) =>
      WebSocketStream.connect(`${root}/daemon/${encodeURIComponent(host)}/${purpose}`, { purpose, signal }),
  };
}
