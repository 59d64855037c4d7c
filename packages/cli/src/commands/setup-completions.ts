import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname } from "node:path";
import { protocolError } from "@pohunek/protocol/wire";
import type { Command } from "../command-line/command.ts";
import { command } from "../command-line/command.ts";
import { usageError } from "../command-line/usage-error.ts";
import type { Shell } from "../completion/scripts.ts";
import { completionScript, SHELLS } from "../completion/scripts.ts";
import type { CommandContext } from "../context.ts";
import { plainText } from "../output/plain-text.ts";

export function setupCompletionsCommand(commands: () => Promise<readonly Command[]>): Command {
  return command({
    name: "setup completions",
    summary: "Install the completion script of your shell",
    arguments: [
      { name: "shell", summary: `${SHELLS.join(", ")}; yours by default`, isOptional: true, completes: SHELLS },
    ],
    flags: { force: { type: "switch", summary: "Overwrite a file that is not the same" } },
    async run(context, { words, flags }) {
      const shell = chooseShell(context, words[0]);
      const path = scriptPath(context, shell);
      const script = completionScript(shell, await commands(), true);
      const status = install(path, script, flags.force);
      const hint = shell === "zsh" ? ` Your fpath must name ${dirname(path)} before compinit runs.` : "";
      const human = (): string => `${status === "unchanged" ? "already installed" : "installed"}: ${path}.${hint}\n`;
      return { ok: { shell, path, status }, human };
    },
  });
}

function chooseShell(context: CommandContext, word: string | undefined): Shell {
  const name = word ?? context.settings.shell?.split("/").at(-1);
  const shell = SHELLS.find((one) => one === name);
  if (shell !== undefined) return shell;
  const whose = word === undefined && name !== undefined ? "SHELL is" : "the shell is";
  const problem = name === undefined ? "SHELL is not set" : `${whose} ${plainText(name)}, which has none`;
  throw usageError(
    `completions exist for ${SHELLS.join(", ")}; ${problem}`,
    `pohunek setup completions ${SHELLS[0]} (or another one that you use)`,
  );
}

/** Where each shell looks for completions of one user. */
function scriptPath({ settings }: CommandContext, shell: Shell): string {
  const root = shell === "fish" ? settings.configRoot : settings.dataRoot;
  if (root === undefined) throw protocolError("paths_unavailable", { message: "HOME is not set" });
  switch (shell) {
    case "bash":
      return `${root}/bash-completion/completions/pohunek`;
    case "zsh":
      return `${root}/zsh/site-functions/_pohunek`;
    case "fish":
      return `${root}/fish/completions/pohunek.fish`;
  }
}

function install(path: string, script: string, isForced: boolean): "installed" | "updated" | "unchanged" {
  const before = existsSync(path) ? readFileSync(path, "utf8") : undefined;
  if (before === script) return "unchanged";
  // What this program wrote itself may be replaced by its newer form.
  const isOwn = before?.includes("completion for pohunek; made by: pohunek completions") === true;
  if (before !== undefined && !isOwn && !isForced) {
    throw usageError(`${path} exists and is not from this program`, "pohunek setup completions --force");
  }
  mkdirSync(dirname(path), { recursive: true });
  writeFileSync(path, script);
  return before === undefined ? "installed" : "updated";
}
