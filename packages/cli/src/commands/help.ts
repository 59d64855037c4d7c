import type { Command } from "../command-line/command.ts";
import { command } from "../command-line/command.ts";
import { findCommand, helpDocument, helpFor } from "../command-line/help.ts";

/** Needs the whole table, this command included, so it gets a way to it. */
export function helpCommand(commands: () => Promise<readonly Command[]>): Command {
  return command({
    name: "help",
    summary: "Show help about a command",
    arguments: [{ name: "command", summary: "Its name, in one word or two", isRest: true, isOptional: true }],
    flags: {},
    async run(context, { words }) {
      const all = await commands();
      // Also where nobody reads it: it refuses what is no command.
      const text = helpFor(all, words, context.paint);
      return { ok: helpDocument(all, findCommand(all, words)), human: () => text };
    },
  });
}
