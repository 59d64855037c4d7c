import type { ErrorCode, ProtocolError, ProtocolErrorOptions } from "@pohunek/protocol/wire";
import { isProtocolError, protocolError } from "@pohunek/protocol/wire";

/** How a failure to reach a daemon is told: a daemon of this machine and one of another host have codes of their own. */
export interface Peer {
  readonly host: string | undefined;
}

/** A failure that happened with a peer. */
export function peerError(peer: Peer, code: ErrorCode, options: ProtocolErrorOptions = {}): ProtocolError {
  return protocolError(code, { host: peer.host, ...options });
}

/** No connection came about. */
export function connectFailure(peer: Peer, cause: unknown): ProtocolError {
  if (isProtocolError(cause)) return peer.host === undefined ? cause : cause.onHost(peer.host);
  const systemCode = systemCodeOf(cause);
  if (systemCode === "EMFILE") return peerError(peer, "client_file_descriptors_exhausted", { cause });
  if (systemCode === "ENFILE") return peerError(peer, "system_file_descriptors_exhausted", { cause });
  return peerError(peer, peer.host === undefined ? "daemon_unreachable" : "host_unreachable", { cause });
}

/** A connection that was there is gone, or its peer told why it is of no use: a coded cause is kept, with its host. */
export function connectionLost(peer: Peer, cause?: unknown): ProtocolError {
  if (isProtocolError(cause)) return peer.host === undefined ? cause : cause.onHost(peer.host);
  const code = peer.host === undefined ? "daemon_unreachable" : "remote_daemon_unavailable";
  return peerError(peer, code, { message: "the daemon closed the connection", cause });
}

function systemCodeOf(cause: unknown): unknown {
  return typeof cause === "object" && cause !== null && "code" in cause ? cause.code : undefined;
}
