import { lstatSync, mkdirSync } from "node:fs";
import { protocolError, requireShortRuntimeDir } from "@pohunek/protocol/wire";
import type { Settings } from "../config.ts";

const PERMISSIONS = 0o777;
const OWNER_ONLY = 0o700;

/** Without XDG_RUNTIME_DIR: the directory that systemd makes for the user, else one under the state directory. */
export function findRuntimeDir(settings: Settings, uid: number): string {
  const systemDir = `/run/user/${uid}`;
  if (isPrivate(systemDir, uid)) return systemDir;
  if (settings.stateRoot === undefined) throw unusable("neither XDG_RUNTIME_DIR nor HOME is set");
  const ownDir = `${settings.stateRoot}/pohunek/run`;
  requireShortRuntimeDir(ownDir);
  mkdirSync(ownDir, { recursive: true, mode: OWNER_ONLY });
  if (!isPrivate(ownDir, uid)) throw unusable(`${ownDir} is not a directory of your own with mode 0700`);
  return ownDir;
}

/** Refuses a runtime directory that no daemon could use. */
export function checkRuntimeDir(path: string): void {
  const found = lstatSync(path, { throwIfNoEntry: false });
  if (found === undefined) throw unusable(`XDG_RUNTIME_DIR names ${path}, which does not exist`);
  if (!found.isDirectory()) throw unusable(`XDG_RUNTIME_DIR names ${path}, which is no directory`);
}

function isPrivate(path: string, uid: number): boolean {
  const found = lstatSync(path, { throwIfNoEntry: false });
  return found?.isDirectory() === true && found.uid === uid && (found.mode & PERMISSIONS) === OWNER_ONLY;
}

function unusable(message: string): Error {
  return protocolError("paths_unavailable", { message });
}
