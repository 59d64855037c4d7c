import { lstatSync, mkdirSync } from "node:fs";
import { protocolError } from "@pohunek/protocol/wire";
import type { Settings } from "../config.ts";

/** sun_path holds 108 bytes on Linux and 104 on Darwin; the smaller one, without its NUL. */
const MAX_SOCKET_PATH_BYTES = 103;

const PERMISSIONS = 0o777;
const OWNER_ONLY = 0o700;

/** Where the daemon of this user is to be found. */
export interface DaemonPlace {
  /** What the daemon gets as XDG_RUNTIME_DIR. */
  readonly runtimeDir: string;
  readonly socketPath: string;
}

/**
 * An explicit XDG_RUNTIME_DIR is taken as it is or refused. Without one it is the directory that systemd makes for the
 * user, and where that is missing too, one under the state directory.
 */
export function findDaemonPlace(settings: Settings, uid: number): DaemonPlace {
  const runtimeDir =
    settings.xdgRuntimeDir === undefined ? defaultRuntimeDir(settings, uid) : checkExplicit(settings.xdgRuntimeDir);
  const socketPath = `${runtimeDir}/pohunek/daemon.sock`;
  const length = Buffer.byteLength(socketPath);
  if (length > MAX_SOCKET_PATH_BYTES) {
    throw protocolError("paths_unavailable", {
      message: `the socket path ${socketPath} has ${length} bytes, but a socket path may have ${MAX_SOCKET_PATH_BYTES}`,
      recover: "Set XDG_RUNTIME_DIR to a shorter path.",
    });
  }
  return { runtimeDir, socketPath };
}

function checkExplicit(path: string): string {
  if (!path.startsWith("/")) throw unusable(`XDG_RUNTIME_DIR is "${path}", which is no absolute path`);
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw unusable(`XDG_RUNTIME_DIR names ${path}, which does not exist`);
  if (!found.isDirectory()) throw unusable(`XDG_RUNTIME_DIR names ${path}, which is no directory`);
  return path.replace(/\/+$/, "") || "/";
}

function defaultRuntimeDir(settings: Settings, uid: number): string {
  const systemDir = `/run/user/${uid}`;
  if (isPrivate(systemDir, uid)) return systemDir;
  if (settings.stateRoot === undefined) throw unusable("neither XDG_RUNTIME_DIR nor HOME is set");
  const ownDir = `${settings.stateRoot}/pohunek/run`;
  mkdirSync(ownDir, { recursive: true, mode: OWNER_ONLY });
  if (!isPrivate(ownDir, uid)) throw unusable(`${ownDir} is not a directory of your own with mode 0700`);
  return ownDir;
}

function isPrivate(path: string, uid: number): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === uid && (found.mode & PERMISSIONS) === OWNER_ONLY;
}

function unusable(message: string): Error {
  return protocolError("paths_unavailable", { message });
}
