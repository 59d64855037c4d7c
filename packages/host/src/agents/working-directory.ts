import { accessSync, constants, statSync } from "node:fs";
import { join, normalize } from "node:path";
import type { ProtocolError } from "@pohunek/protocol/wire";
import { protocolError } from "@pohunek/protocol/wire";

export interface DirectoryContext {
  readonly home: string;
  /** Name of this host, for the message: the caller may be on another one. */
  readonly hostName: string;
}

/**
 * The folder to start in: absolute, or below `~`, and usable on this host. Fails with session_cwd_invalid, which names
 * the folder and the host.
 */
export function resolveWorkingDirectory(requested: string | undefined, context: DirectoryContext): string {
  const asked = requested ?? "~";
  const path = asked === "~" || asked.startsWith("~/") ? join(context.home, asked.slice(1)) : asked;
  const refuse = (reason: string, cause?: unknown): ProtocolError => {
    const message = `the folder ${JSON.stringify(path)} on host ${context.hostName} ${reason}`;
    return protocolError("session_cwd_invalid", { message, cause });
  };
  if (path.includes("\0")) {
    throw refuse("has a NUL in its name");
  }
  if (!path.startsWith("/")) {
    throw refuse("is not an absolute path");
  }
  try {
    if (!statSync(path).isDirectory()) {
      throw refuse("is not a folder");
    }
    accessSync(path, constants.X_OK);
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    if (code === "ENOENT" || code === "ENOTDIR") {
      throw refuse("does not exist", cause);
    }
    if (code === "EACCES" || code === "EPERM" || code === "ELOOP" || code === "ENAMETOOLONG") {
      throw refuse(`cannot be entered (${code})`, cause);
    }
    throw cause;
  }
  return normalize(path);
}
