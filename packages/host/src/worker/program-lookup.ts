import type { Stats } from "node:fs";
import { accessSync, constants, statSync } from "node:fs";
import { resolve } from "node:path";
import { workerError } from "../worker-api/worker-error.ts";

export interface ProgramRequest {
  readonly program: string;
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
}

/** What a shell uses when PATH is not set. */
const DEFAULT_PATH = "/usr/local/bin:/usr/bin:/bin";

/**
 * The file that a program name means in the child's environment (the worker's own PATH is another one). Fails with
 * spawn_failed and a reason; names and paths stay out of the message, which travels to logs.
 */
export function lookUpProgram({ program, env, cwd }: ProgramRequest): string {
  if (!lookAt(cwd)?.isDirectory()) {
    throw workerError("spawn_failed", "The working directory does not exist.", { details: { reason: "cwd_missing" } });
  }
  if (program.includes("/")) {
    return requireRunnable(resolve(cwd, program));
  }
  const folders = (env["PATH"] ?? DEFAULT_PATH).split(":");
  // An empty entry of PATH means the working directory.
  const candidates = folders.map((folder) => resolve(cwd, folder, program));
  const found = candidates.find((candidate) => runnability(candidate) === "runnable");
  return found ?? requireRunnable(candidates.find((candidate) => runnability(candidate) === "denied"));
}

function requireRunnable(path: string | undefined): string {
  const state = path === undefined ? "missing" : runnability(path);
  if (path !== undefined && state === "runnable") {
    return path;
  }
  const { message, reason } = REFUSALS[state === "denied" || state === "directory" ? state : "missing"];
  throw workerError("spawn_failed", message, { details: { reason } });
}

const REFUSALS = {
  denied: { message: "The program may not be run.", reason: "program_denied" },
  directory: { message: "The program is a directory.", reason: "program_is_directory" },
  missing: { message: "The program was not found.", reason: "program_missing" },
};

function runnability(path: string): "runnable" | "denied" | "directory" | "missing" {
  const found = lookAt(path);
  if (!found?.isFile()) {
    return found?.isDirectory() ? "directory" : "missing";
  }
  try {
    accessSync(path, constants.X_OK);
    return "runnable";
  } catch {
    // EACCES: not executable for us.
    return "denied";
  }
}

/** A shell goes on to the next folder of PATH when one can't be looked into, so nothing is there for us either. */
function lookAt(path: string): Stats | undefined {
  try {
    return statSync(path, { throwIfNoEntry: false });
  } catch {
    // EACCES: a folder of another user's. ELOOP, ENAMETOOLONG: no such file can be.
    return undefined;
  }
}
