import { protocolError, requireShortRuntimeDir } from "@pohunek/protocol/wire";
import type { Settings } from "../config.ts";

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
  requireShortRuntimeDir(runtimeDir);
  return { runtimeDir, socketPath: `${runtimeDir}/pohunek/daemon.sock` };
}
