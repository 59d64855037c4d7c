import { closeSync, openSync, readSync, realpathSync, statSync } from "node:fs";
import type { Platform } from "../../platform/index.ts";

/** The file that a session's program is, as it was before it was started. */
export interface FrozenEntrypoint {
  readonly program: FrozenFile;
  /** Of a script. */
  readonly interpreter?: FrozenFile;
  readonly argv: readonly string[];
}

interface FrozenFile {
  readonly path: string;
  readonly mark: string;
}

const SHEBANG_BYTES = 256;

/**
 * A native program, or a script whose first line names an absolute interpreter and nothing else. Undefined for anything
 * else: what such a program runs can't be told from its command line.
 */
export function freezeEntrypoint(file: string, argv: readonly string[]): FrozenEntrypoint | undefined {
  try {
    const program = freeze(file);
    const line = shebangOf(program.path);
    if (line === undefined) {
      return { program, argv };
    }
    if (!/^\/\S+$/.test(line)) {
      return undefined;
    }
    // The kernel passes the path as it was given.
    return { program, interpreter: freeze(line), argv: [line, file, ...argv.slice(1)] };
  } catch {
    // ENOENT, EACCES: the start fails for the same reason, or nothing can be proven.
    return undefined;
  }
}

/** Whether the process still runs that file, and the file is still what it was. */
export function runsEntrypoint(
  pid: number,
  { program, interpreter, argv }: FrozenEntrypoint,
  processes: Pick<Platform["processes"], "readArguments" | "readExecutable">,
): boolean {
  const words = processes.readArguments(pid) ?? [];
  const isSameLine = words.length === argv.length && words.every((word, at) => word === argv[at]);
  return (
    isSameLine &&
    processes.readExecutable(pid) === (interpreter ?? program).path &&
    isUnchanged(program) &&
    (interpreter === undefined || isUnchanged(interpreter))
  );
}

function freeze(path: string): FrozenFile {
  const real = realpathSync(path);
  return { path: real, mark: markOf(real) };
}

function markOf(path: string): string {
  const { dev, ino, size, mtimeNs, ctimeNs } = statSync(path, { bigint: true });
  return [dev, ino, size, mtimeNs, ctimeNs].join(":");
}

function isUnchanged({ path, mark }: FrozenFile): boolean {
  try {
    return markOf(path) === mark;
  } catch {
    // ENOENT: replaced by nothing.
    return false;
  }
}

function shebangOf(path: string): string | undefined {
  const fd = openSync(path, "r");
  try {
    const bytes = Buffer.alloc(SHEBANG_BYTES);
    const text = bytes.toString("latin1", 0, readSync(fd, bytes));
    // A first line that does not fit names no plain path either.
    return text.startsWith("#!") ? (text.split("\n", 1)[0] ?? "").slice(2).trim() : undefined;
  } finally {
    closeSync(fd);
  }
}
