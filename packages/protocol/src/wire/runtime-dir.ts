import { protocolError } from "./protocol-error.ts";
import { encodeUtf8 } from "./text.ts";

/**
 * Bytes that the path of a Unix socket may have. sun_path holds 108 on Linux and 104 on Darwin, with a NUL: the smaller one
 * counts everywhere, so that it is told and kept in one way.
 */
export const SOCKET_PATH_BYTES = 103;

/** What the longest path of a socket has behind the runtime directory: that of a session's worker. */
export const LONGEST_SOCKET = `/pohunek/workers/s-${"0".repeat(26)}/control.sock`;

/** Says that a path is too long for a socket; undefined when it is not. */
export function socketPathFault(path: string): string | undefined {
  const bytes = encodeUtf8(path).length;
  return bytes <= SOCKET_PATH_BYTES
    ? undefined
    : `the socket path ${path} has ${bytes} bytes, but a socket path may have ${SOCKET_PATH_BYTES}`;
}

/** Fails with paths_unavailable for a runtime directory (XDG_RUNTIME_DIR) below which no host can have its sockets. */
export function requireShortRuntimeDir(runtimeDir: string): void {
  const message = socketPathFault(runtimeDir.replace(/\/+$/, "") + LONGEST_SOCKET);
  if (message !== undefined) {
    const most = SOCKET_PATH_BYTES - LONGEST_SOCKET.length;
    throw protocolError("paths_unavailable", {
      message,
      recover: `Set XDG_RUNTIME_DIR to a path of at most ${most} bytes.`,
    });
  }
}
