export { renderAttachSettings } from "./attach/attach-settings.ts";

import type { Argument, Command } from "./command-line/command.ts";
import type { Flag, Flags } from "./command-line/flag.ts";
import { flagText } from "./command-line/flag.ts";
import { GLOBAL_FLAGS } from "./command-line/parse.ts";
import { loadCommands } from "./commands/table.ts";

const HEAD = `# Commands

Printed from the table in \`packages/cli/src/commands/table.ts\`; do not edit.

A session is named by its name, its id, or a beginning of its id that no other has; \`<host>/\` before it names the host.
A name is one to 128 bytes of text without \`/\`, control characters and invisible marks, and no two running sessions get the
same one: \`new\`, \`run\`, \`rename\` and \`fork\` refuse it (\`session_name_taken\`). Other clients of the protocol may give other
names; such sessions are listed by what can be shown of the name, and are always found by their id.

## What a program can rely on

With \`--json\` a command prints exactly one document on its standard output:
\`{cli_version, protocol: {minimum, maximum}, ok}\` or \`{..., err: {class, code, msg, recover?, host?}}\`. \`subscribe\` and \`ls --watch\`
print a line of JSON for each event. Diagnostics go to the standard error output.

| exit code | meaning |
|---|---|
| 0 | done; for \`attach\` and \`run\`: left with the detach key, or the program ended with 0 |
| 1 | failed; \`err.code\` says how ([errors.md](errors.md)) |
| 2 | the command line is not valid (\`cli_usage\`) |
| 124 | a wait ended without what it waited for |
| 129, 143 | \`attach\` or \`run\` was ended by SIGHUP or SIGTERM |
| others | \`attach\` and \`run\`: the exit code of the session's program |
`;

/** docs/cli.md, printed from the table of commands. */
export async function renderCommandsPage(): Promise<string> {
  const commands = (await loadCommands()).filter((one) => one.isHidden !== true);
  const everywhere = ["## Flags of every command", "", ...flagRows(GLOBAL_FLAGS), ""].join("\n");
  return [HEAD, everywhere, ...commands.map(section)].join("\n");
}

function section(command: Command): string {
  const words = (command.arguments ?? []).map(argumentText).join(" ");
  const names = [command.name, ...(command.aliases ?? [])].map((name) => `\`pohunek ${`${name} ${words}`.trim()}\``);
  const hasFlags = Object.values<Flag>(command.flags).some((flag) => flag.isHidden !== true);
  return [
    `## ${command.name}`,
    "",
    `${command.summary}.`,
    "",
    names.join(", "),
    "",
    ...(command.details ?? []).flatMap((paragraph) => [paragraph, ""]),
    ...(hasFlags ? [...flagRows(command.flags), ""] : []),
  ].join("\n");
}

function argumentText({ name, isOptional, isRest }: Argument): string {
  const text = isRest === true ? `${name}...` : name;
  return isOptional === true ? `[${text}]` : `<${text}>`;
}

function flagRows(flags: Flags): string[] {
  const rows = Object.entries(flags)
    .filter(([, flag]) => flag.isHidden !== true)
    .map(([name, flag]) => {
      const short = flag.short === undefined ? "" : `-${flag.short}, `;
      const value = flag.type === "switch" ? "" : ` ${flag.value}`;
      const choices = "choices" in flag && flag.choices !== undefined ? ` (${flag.choices.join(", ")})` : "";
      return `| \`${short}${flagText(name)}${value}\` | ${flag.summary}${choices} |`;
    });
  return ["| flag | meaning |", "|---|---|", ...rows];
}
