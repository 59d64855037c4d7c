import type { Command } from "../command-line/command.ts";
import { bashScript } from "./bash.ts";
import { fishScript } from "./fish.ts";
import { completionEntries } from "./words.ts";
import { zshScript } from "./zsh.ts";

export const SHELLS = ["bash", "zsh", "fish"] as const;

export type Shell = (typeof SHELLS)[number];

const SCRIPTS = { bash: bashScript, zsh: zshScript, fish: fishScript } as const;

/** The completion script of a shell. A dynamic one asks the daemon for the names of sessions. */
export function completionScript(shell: Shell, commands: readonly Command[], isDynamic: boolean): string {
  return SCRIPTS[shell](completionEntries(commands), isDynamic);
}
