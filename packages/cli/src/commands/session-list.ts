import type { ParamsOf, SessionInfo } from "@pohunek/protocol";
import { command } from "../command-line/command.ts";
import { usageError } from "../command-line/usage-error.ts";
import { quickAnswer } from "../connection/quick-answer.ts";
import type { CommandContext } from "../context.ts";
import { tableLook } from "../output/table-look.ts";
import { sessionTable } from "../sessions/session-table.ts";

type ListParams = ParamsOf<"session.list">;
type Filters = NonNullable<NonNullable<ListParams>["filters"]>;

const FILTER_KEYS = ["state", "activity", "agent", "id", "project"] as const;

export const sessionList = command({
  name: "session list",
  aliases: ["ls", "list"],
  summary: "List the sessions and what they are doing",
  isDaily: true,
  flags: {
    watch: { type: "switch", short: "w", summary: "Stay, and keep the list up to date" },
    filter: { type: "list", value: "KEY=VALUE", summary: `Only sessions with this ${FILTER_KEYS.join(", ")}` },
    quiet: { type: "switch", short: "q", summary: "Print ids only" },
  },
  output: "document",
  async run(context, { flags }) {
    const filters = flags.filter.map(readFilter);
    if (flags.watch) {
      const { watchSessions } = await import("../sessions/watch-sessions.ts");
      return watchSessions(context, filters);
    }
    const { sessions, table } = await listSessions(context, filters);
    return {
      ok: flags.quiet ? sessions.map(({ id }) => id) : sessions,
      human: () => {
        if (flags.quiet) return sessions.map(({ id }) => `${id}\n`).join("");
        return sessions.length === 0 ? emptyText(filters) : `${table().join("\n")}\n`;
      },
    };
  },
});

interface Listing {
  readonly sessions: readonly SessionInfo[];
  readonly table: () => string[];
}

async function listSessions(context: CommandContext, filters: Filters): Promise<Listing> {
  const params = filters.length === 0 ? null : { filters };
  const answer = quickAnswer(context, "session.list", params);
  // While the daemon is thinking: what is needed to show its answer.
  await Promise.resolve();
  const look = context.wantsJson ? undefined : tableLook(context);
  const sessions = (await answer) ?? (await listPatiently(context, params));
  return { sessions, table: () => sessionTable(sessions, look ?? tableLook(context)) };
}

async function listPatiently(context: CommandContext, params: ListParams): Promise<readonly SessionInfo[]> {
  const { listPatiently: list } = await import("../sessions/list-patiently.ts");
  return await list(context, params);
}

function emptyText(filters: Filters): string {
  return filters.length === 0 ? "No sessions. Start one: pohunek run\n" : "No session matches.\n";
}

function readFilter(text: string): Filters[number] {
  const equals = text.indexOf("=");
  const key = FILTER_KEYS.find((one) => one === text.slice(0, equals));
  if (key === undefined) throw usageError(`--filter must be KEY=VALUE with one of: ${FILTER_KEYS.join(", ")}`);
  return { key, value: text.slice(equals + 1) };
}
