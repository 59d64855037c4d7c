import { chmodSync, lstatSync, mkdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join } from "node:path";
import type { ProtocolError } from "@pohunek/protocol/wire";
import { isProtocolError, protocolError, requireShortRuntimeDir } from "@pohunek/protocol/wire";

type Environment = Readonly<Record<string, string | undefined>>;

/** The folders of this product, each `<base>/pohunek`. */
export interface Roots {
  readonly config: string;
  readonly data: string;
  readonly state: string;
  readonly runtime: string;
}

const NAME = "pohunek";
const MAKE_IT_YOURS = "See to it that this user owns the folder and may write in it.";

/**
 * Where things are kept, by the XDG variables. The runtime base must be given and exist: a folder in /tmp would not be
 * private and not be found again. Nothing is created here.
 */
export function resolveRoots(env: Environment): Roots {
  const home = env["HOME"] || homedir();
  const base = (variable: string, fallback: string): string =>
    join(absolute(env, variable) ?? join(home, fallback), NAME);
  const runtimeBase = absolute(env, "XDG_RUNTIME_DIR");
  if (runtimeBase === undefined) {
    throw unavailable("XDG_RUNTIME_DIR is not set");
  }
  requireShortRuntimeDir(runtimeBase);
  if (statSync(runtimeBase, { throwIfNoEntry: false })?.isDirectory() !== true) {
    throw unavailable(`XDG_RUNTIME_DIR names ${runtimeBase}, which is not a folder`);
  }
  return {
    config: base("XDG_CONFIG_HOME", ".config"),
    data: base("XDG_DATA_HOME", ".local/share"),
    state: base("XDG_STATE_HOME", ".local/state"),
    runtime: join(runtimeBase, NAME),
  };
}

function absolute(env: Environment, variable: string): string | undefined {
  const value = env[variable];
  if (value === undefined) {
    return undefined;
  }
  if (!isAbsolute(value)) {
    const message = `${variable} is ${value === "" ? "empty" : "relative"}; it must be an absolute path`;
    throw unavailable(message, `Set ${variable} to an absolute path.`);
  }
  return value;
}

export function publicSocketPath(roots: Pick<Roots, "runtime">): string {
  return join(roots.runtime, "daemon.sock");
}

/** Makes the folders, private to the owner. Fails when one belongs to somebody else or is not a folder. */
export function prepareRoots(roots: Roots, uid: number): void {
  const folders = [
    roots.data,
    join(roots.data, "events"),
    roots.state,
    join(roots.state, "logs"),
    join(roots.state, "workers"),
    roots.runtime,
    join(roots.runtime, "workers"),
  ];
  folders.forEach((folder) => prepareFolder(folder, uid));
}

function prepareFolder(folder: string, uid: number): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const stat = lstatSync(folder);
    if (!stat.isDirectory() || stat.uid !== uid) {
      throw unavailable(`${folder} is not a folder of this user`, MAKE_IT_YOURS);
    }
    if ((stat.mode & 0o777) !== 0o700) {
      chmodSync(folder, 0o700);
    }
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    throw isProtocolError(cause)
      ? cause
      : unavailable(`${folder} can't be made or used (${code ?? "unknown"})`, MAKE_IT_YOURS, cause);
  }
}

function unavailable(message: string, recover?: string, cause?: unknown): ProtocolError {
  return protocolError("paths_unavailable", { message, recover, cause });
}
