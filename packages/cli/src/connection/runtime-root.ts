import { encodeUtf8, protocolError } from "@pohunek/protocol/wire";
import type { Settings } from "../config.ts";

/** sun_path holds 108 bytes on Linux and 104 on Darwin; the smaller one, without its NUL. */
const MAX_SOCKET_PATH_BYTES = 103;

/** Where the daemon of this user is to be found. */
export interface DaemonPlace {
  /** What the daemon gets as XDG_RUNTIME_DIR. */
  readonly runtimeDir: string;
  readonly socketPath: string;
}

/**
 * An explicit XDG_RUNTIME_DIR is taken as it is; whether it is usable is asked only when nobody answers there, since the
 * question takes as long as the answer. Without one the directory is looked for.
 */
export async function findDaemonPlace(settings: Settings, uid: number): Promise<DaemonPlace> {
  const explicit = settings.xdgRuntimeDir;
  if (explicit === undefined) {
    const { findRuntimeDir } = await import("./runtime-dir.ts");
    return placeIn(findRuntimeDir(settings, uid));
  }
  if (!explicit.startsWith("/")) {
    throw protocolError("paths_unavailable", {
      message: `XDG_RUNTIME_DIR is "${explicit}", which is no absolute path`,
    });
  }
  return placeIn(explicit);
}

function placeIn(runtimeDir: string): DaemonPlace {
  const socketPath = `${runtimeDir}/pohunek/daemon.sock`;
  const length = encodeUtf8(socketPath).length;
  if (length > MAX_SOCKET_PATH_BYTES) {
    throw protocolError("paths_unavailable", {
      message: `the socket path ${socketPath} has ${length} bytes, but a socket path may have ${MAX_SOCKET_PATH_BYTES}`,
      recover: "Set XDG_RUNTIME_DIR to a shorter path.",
    });
  }
  return { runtimeDir, socketPath };
}
