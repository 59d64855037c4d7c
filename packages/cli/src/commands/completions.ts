import type { Command } from "../command-line/command.ts";
import { command } from "../command-line/command.ts";
import { usageError } from "../command-line/usage-error.ts";
import { completionScript, SHELLS } from "../completion/scripts.ts";

/** Needs the whole table, this command included, so it gets a way to it. */
export function completionsCommand(commands: () => Promise<readonly Command[]>): Command {
  return command({
    name: "completions",
    summary: "Print a completion script for a shell",
    details: [
      "For one shell window: source <(pohunek completions bash --dynamic). For all: pohunek setup completions.",
    ],
    arguments: [{ name: "shell", summary: SHELLS.join(", "), completes: SHELLS }],
    flags: { dynamic: { type: "switch", summary: "Complete the names of sessions too, by asking the daemon" } },
    async run(_context, { words, flags }) {
      const shell = SHELLS.find((one) => one === words[0]);
      if (shell === undefined) throw usageError(`completions knows the shells ${SHELLS.join(", ")}`);
      const script = completionScript(shell, await commands(), flags.dynamic);
      return { ok: { shell, script }, human: () => script };
    },
  });
}
