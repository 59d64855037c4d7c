import type { ResultOf } from "@pohunek/protocol";
import type { NameClash } from "@pohunek/protocol/wire";
import type { Client } from "@pohunek/sdk";
import type { CommandContext } from "../context.ts";
import { sizeFor } from "./default-size.ts";
import { startSession } from "./start-session.ts";

/** Starts a session of a shell, an agent or a command, in the present directory and in the size of the present terminal. */
export async function startHere(
  context: CommandContext,
  client: Client,
  wanted: {
    readonly name: string;
    readonly name_clash: NameClash;
    /** Default: the shell, which alone takes a command. */
    readonly agent?: string | undefined;
    readonly command: readonly string[];
    readonly metadata?: Readonly<Record<string, string>>;
  },
): Promise<ResultOf<"session.new">> {
  const { cols, rows } = sizeFor(context.terminal.isOutput ? context.terminal.size() : undefined);
  return startSession(context, client, {
    agent: wanted.agent ?? "shell",
    name: wanted.name,
    name_clash: wanted.name_clash,
    cwd: context.settings.cwd,
    cols,
    rows,
    ...(wanted.metadata === undefined ? {} : { metadata: wanted.metadata }),
    ...(wanted.command.length === 0 ? {} : { command: [...wanted.command] }),
  });
}
