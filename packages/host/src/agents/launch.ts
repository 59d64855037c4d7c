import { accessSync, constants } from "node:fs";
import { basename } from "node:path";
import { protocolError } from "@pohunek/protocol/wire";
import type { LaunchKind } from "../store/session-record.ts";

/** What a session is started with, resolved on this host. */
export interface Launch {
  readonly agent: string;
  readonly agentBase: string;
  readonly kind: LaunchKind;
  readonly argv: readonly [string, ...string[]];
  /** Base name of the program: the only part of the command line that is kept. */
  readonly program: string;
}

export interface LaunchRequest {
  readonly agent: string;
  /** Program and arguments to run in place of the login shell. */
  readonly command?: readonly string[];
}

/** The runtime that is compiled in; all others come from packages. */
const SHELL_RUNTIME = "shell";

/** Shells that take `-l` for a login shell. Others are started plainly. */
const LOGIN_FLAG_SHELLS = new Set(["sh", "bash", "dash", "zsh", "fish", "ksh", "mksh", "ash", "busybox"]);
/** Programs that show a prompt and wait: what the session's root must be for "it reads the terminal" to mean idle. */
const PROMPT_SHELLS = new Set([...LOGIN_FLAG_SHELLS, "tcsh", "csh", "nu", "elvish", "xonsh", "pwsh"]);

/** Finds out what to run. Fails with runtime_not_installed for an agent that this host has no runtime for. */
export function resolveLaunch(request: LaunchRequest, userShell: string): Launch {
  if (request.agent !== SHELL_RUNTIME) {
    throw protocolError("runtime_not_installed", {
      message: `no runtime named ${JSON.stringify(request.agent)} is installed`,
    });
  }
  const identity = { agent: SHELL_RUNTIME, agentBase: SHELL_RUNTIME };
  const [program, ...args] = request.command ?? [];
  if (program !== undefined) {
    const kind = isPromptShell(program, args) ? "shell" : "command";
    return { ...identity, kind, argv: [program, ...args], program: basename(program) };
  }
  const name = basename(userShell);
  const argv: [string, ...string[]] = LOGIN_FLAG_SHELLS.has(name) ? [userShell, "-l"] : [userShell];
  return { ...identity, kind: "shell", argv, program: name };
}

/** True for a shell that will sit at a prompt: one without a script to run and without `-c`. */
function isPromptShell(program: string, args: readonly string[]): boolean {
  return PROMPT_SHELLS.has(basename(program)) && args.every((arg) => /^[-+]/.test(arg) && !/^-[a-z]*c$/.test(arg));
}

/** The user's shell: what the environment says, else the account's, else sh. Whatever can't be run is passed over. */
export function chooseUserShell(candidates: readonly (string | undefined)[]): string {
  const found = candidates.find((path) => path?.startsWith("/") && isExecutable(path));
  return found ?? "/bin/sh";
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    // Missing or not executable: not a shell to start.
    return false;
  }
}
