import { closeSync, constants, openSync } from "node:fs";
import { join } from "node:path";
import { protocolError } from "@pohunek/protocol/wire";
import type { FileCalls } from "../platform/index.ts";
import type { Roots } from "./roots.ts";

const LOCK_NAME = "daemon.lock";

/**
 * Locks the roots for this daemon's lifetime: durable state, data and runtime each for itself, so that two daemons can't
 * share one of them even when the others differ. The kernel frees the locks with the process, however it ends.
 */
export function lockRoots(roots: Roots, files: Pick<FileCalls, "tryLock">): Disposable {
  const held: number[] = [];
  const free = (): void => held.splice(0).forEach((fd) => closeSync(fd));
  try {
    for (const folder of [roots.state, roots.data, roots.runtime]) {
      const fd = openLockFile(join(folder, LOCK_NAME));
      held.push(fd);
      if (!files.tryLock(fd)) {
        throw protocolError("daemon_already_running", { message: `another daemon uses ${folder}` });
      }
    }
  } catch (cause) {
    free();
    throw cause;
  }
  return { [Symbol.dispose]: free };
}

function openLockFile(path: string): number {
  try {
    return openSync(path, constants.O_CREAT | constants.O_RDWR | constants.O_NOFOLLOW, 0o600);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw protocolError("paths_unavailable", { message: `${path} can't be opened (${code ?? "unknown"})`, cause });
  }
}
