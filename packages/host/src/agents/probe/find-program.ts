import { accessSync, constants, realpathSync, statSync } from "node:fs";
import { basename, isAbsolute, join } from "node:path";
import { protocolError } from "@pohunek/protocol/wire";

/** A program that can be started on this host. */
export interface FoundProgram {
  /** The name it was asked for by, which some programs look at. */
  readonly name: string;
  /** Where it was found. */
  readonly path: string;
  /** The file itself, with no link on the way to it. */
  readonly executable: string;
  /** Changes when the file is replaced or written to. */
  readonly fingerprint: string;
}

/**
 * Finds a program by its bare name in the folders of `path`, or by its absolute path. Fails with agent_binary_missing,
 * which names the file and no folder.
 */
export function findProgram(program: string, path: string): FoundProgram {
  // An empty entry means the working directory, in which a session must not pick up programs unasked.
  const candidates = isAbsolute(program)
    ? [program]
    : path
        .split(":")
        .filter(isAbsolute)
        .map((folder) => join(folder, program));
  for (const candidate of candidates) {
    const found = lookAt(candidate);
    if (found !== undefined) return { name: basename(program), ...found };
  }
  throw protocolError("agent_binary_missing", {
    message: `the program ${JSON.stringify(basename(program))} is not installed on this host`,
    recover: "Install it, or add its folder to agents.path in config.toml, and restart the daemon.",
  });
}

function lookAt(candidate: string): Omit<FoundProgram, "name"> | undefined {
  try {
    const executable = realpathSync(candidate);
    const stat = statSync(executable);
    if (!stat.isFile()) return undefined;
    accessSync(executable, constants.X_OK);
    return {
      path: candidate,
      executable,
      fingerprint: [executable, stat.dev, stat.ino, stat.size, stat.mtimeMs].join("\0"),
    };
  } catch {
    // ENOENT, EACCES, ELOOP, ENOTDIR: as a shell does, go on to the next folder.
    return undefined;
  }
}
