import { accessSync, constants } from "node:fs";
import { basename } from "node:path";
import type { LaunchKind } from "@pohunek/protocol/wire";
import type { NativeLaunch, NativeReference } from "../store/native-launch.ts";
import type { HookRules } from "../worker-api/hooks.ts";
import type { SecretEnvironment } from "./secret-environment.ts";

/** What a session is started with, resolved on this host. */
export interface Launch {
  readonly agent: string;
  readonly agentBase: string;
  readonly kind: LaunchKind;
  readonly argv: readonly [string, ...string[]];
  /** The file to run, where the first of `argv` is no more than the name that it is called by. */
  readonly executable?: string;
  /** Base name of the program: the only part of a command line that is kept. */
  readonly program: string;
  /** Beside what every session gets. */
  readonly environment?: SecretEnvironment;
  readonly nativeLaunch?: NativeLaunch;
  /** Whose hooks may report about the session. */
  readonly hooks?: HookRules;
  /** Where the agent takes one at its launch. */
  readonly nativeReference?: NativeReference;
}

/** Shells that take `-l` for a login shell. Others are started plainly. */
const LOGIN_FLAG_SHELLS = new Set(["sh", "bash", "dash", "zsh", "fish", "ksh", "mksh", "ash", "busybox"]);
/** Programs that show a prompt and wait: what the session's root must be for "it reads the terminal" to mean idle. */
const PROMPT_SHELLS = new Set([...LOGIN_FLAG_SHELLS, "tcsh", "csh", "nu", "elvish", "xonsh", "pwsh"]);

type CommandLine = Pick<Launch, "kind" | "argv" | "program">;

/** A command, or the user's login shell when there is none. */
export function commandLaunch(command: readonly string[], userShell: string): CommandLine {
  const [program, ...args] = command;
  return program === undefined ? loginShell(userShell) : programLaunch(program, args);
}

export function programLaunch(program: string, args: readonly string[]): CommandLine {
  const kind = isPromptShell(program, args) ? "shell" : "command";
  return { kind, argv: [program, ...args], program: basename(program) };
}

function loginShell(userShell: string): CommandLine {
  const name = basename(userShell);
  return { kind: "shell", argv: LOGIN_FLAG_SHELLS.has(name) ? [userShell, "-l"] : [userShell], program: name };
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
