import { accessSync, constants, lstatSync, statfsSync } from "node:fs";
import { dirname } from "node:path";
import { isProtocolError } from "@pohunek/protocol/wire";
import { loadAttachKeys } from "../attach/attach-settings.ts";
import type { Settings } from "../config.ts";
import { checkRuntimeDir } from "../connection/runtime-dir.ts";
import type { DaemonPlace } from "../connection/runtime-root.ts";
import { findDaemonPlace } from "../connection/runtime-root.ts";
import type { LocalTerminal } from "../terminal/local-terminal.ts";
import type { Check } from "./check.ts";
import { fail, ok, warn } from "./check.ts";

/** Less free space than this and the next session may fail to be recorded. */
const LOW_SPACE_BYTES = 104_857_600;
const OTHERS = 0o077;

interface RuntimeRootCheck {
  readonly check: Check;
  readonly place: DaemonPlace | undefined;
}

/** The runtime directory and the place of the socket in it. */
export async function checkRuntimeRoot(settings: Settings, uid: number): Promise<RuntimeRootCheck> {
  const name = "runtime directory";
  try {
    const place = await findDaemonPlace(settings, uid);
    checkRuntimeDir(place.runtimeDir);
    const source = settings.xdgRuntimeDir === undefined ? "found without XDG_RUNTIME_DIR" : "from XDG_RUNTIME_DIR";
    const { mode, uid: owner } = lstatSync(place.runtimeDir);
    if (owner !== uid) return { check: fail(name, `${source}, belongs to another user`), place };
    if ((mode & OTHERS) !== 0)
      return { check: warn(name, `${source}, open to other users; mode 0700 is right`), place };
    return { check: ok(name, `${source}, private`), place };
  } catch (error) {
    if (!isProtocolError(error)) throw error;
    return { check: fail(name, error.message), place: undefined };
  }
}

/** The socket itself: only its owner may connect. */
export function checkSocket(place: DaemonPlace, uid: number): Check {
  const name = "socket";
  const found = lstatSync(place.socketPath, { throwIfNoEntry: false });
  if (found === undefined) return warn(name, "does not exist: the daemon does not run (pohunek daemon start --detach)");
  if (!found.isSocket()) return fail(name, "its path is taken by something that is no socket");
  if (found.uid !== uid) return fail(name, "belongs to another user");
  if ((found.mode & OTHERS) !== 0) return fail(name, "is open to other users; mode 0600 is right");
  const folder = lstatSync(dirname(place.socketPath));
  if ((folder.mode & OTHERS) !== 0) return fail(name, "its directory is open to other users; mode 0700 is right");
  return ok(name, "private");
}

/** A directory that the daemon writes to, or the nearest one above it that exists. */
export function checkWritable(name: string, root: string | undefined): Check {
  if (root === undefined) return fail(name, "neither its XDG variable nor HOME is set");
  const existing = nearestExisting(root);
  try {
    accessSync(existing, constants.W_OK | constants.X_OK);
  } catch {
    // EACCES or EROFS: the answer that was asked for.
    return fail(name, "cannot be written");
  }
  const { bavail, bsize } = statfsSync(existing);
  const free = bavail * bsize;
  return free < LOW_SPACE_BYTES ? warn(name, `only ${Math.round(free / 1_048_576)} MiB free`) : ok(name, "writable");
}

function nearestExisting(path: string): string {
  let existing = path;
  while (existing !== "/" && lstatSync(existing, { throwIfNoEntry: false }) === undefined) existing = dirname(existing);
  return existing;
}

export function checkShell(shell: string | undefined): Check {
  const name = "shell";
  if (shell === undefined) return warn(name, "SHELL is not set; sessions get the login shell of the account");
  try {
    accessSync(shell, constants.X_OK);
    return ok(name, shell.split("/").at(-1) ?? shell);
  } catch {
    // ENOENT or EACCES: the answer that was asked for.
    return fail(name, "SHELL names a program that cannot be run");
  }
}

export function checkTerminal(terminal: LocalTerminal, term: string | undefined): Check {
  const name = "terminal";
  if (!terminal.isInput || !terminal.isOutput) return ok(name, "none here: attach and run need one, all else does not");
  if (term === undefined || term === "" || term === "dumb")
    return warn(name, "TERM says that it can do nothing; programs will look plain");
  const size = terminal.size();
  return size === undefined ? warn(name, "does not tell its size") : ok(name, `${term}, ${size.cols} x ${size.rows}`);
}

/** The keys that an attach keeps for itself. */
export async function checkKeys(settings: Settings): Promise<Check> {
  const name = "attach keys";
  try {
    const keys = await loadAttachKeys(settings);
    return ok(
      name,
      keys.map(({ action, label }) => `${label} ${action === "detach" ? "leaves" : "opens the menu"}`).join(", "),
    );
  } catch (error) {
    if (!isProtocolError(error)) throw error;
    return fail(name, error.message);
  }
}
