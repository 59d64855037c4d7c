import { dirname } from "node:path";
import type { ParamsOf, SessionInfo } from "@pohunek/protocol";
import { command } from "../command-line/command.ts";
import { usageError } from "../command-line/usage-error.ts";
import { connectHost, daemonPlace, isAbsent } from "../connection/connect-host.ts";
import type { CommandContext } from "../context.ts";
import { tableLook } from "../output/table-look.ts";
import { sessionTable } from "../sessions/session-table.ts";

type Filters = NonNullable<NonNullable<ParamsOf<"session.list">>["filters"]>;

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

/** The sessions of the host. Where neither a daemon nor a worker runs there are none, which is a failure in JSON only. */
async function listSessions(context: CommandContext, filters: Filters): Promise<Listing> {
  try {
    // Not closed: the process ends at once, and a proper goodbye would take a tenth of its time.
    const client = await connectHost(context);
    const asking = client.call("session.list", filters.length === 0 ? null : { filters });
    // While the daemon is thinking: what is needed to show its answer.
    await Promise.resolve();
    const look = context.wantsJson ? undefined : tableLook(context);
    const sessions = await asking;
    return { sessions, table: () => sessionTable(sessions, look ?? tableLook(context)) };
  } catch (error) {
    if (context.wantsJson || !isAbsent(error) || (await hasWorkers(context))) throw error;
    context.output.complain("The daemon is not running, and neither is any session.\n");
    return { sessions: [], table: () => [] };
  }
}

/** Sessions go on without their daemon; each has a folder beside its socket as long as its worker runs. */
async function hasWorkers(context: CommandContext): Promise<boolean> {
  const { socketPath } = await daemonPlace(context);
  const { existsSync, readdirSync } = process.getBuiltinModule("node:fs");
  const workers = `${dirname(socketPath)}/workers`;
  return existsSync(workers) && readdirSync(workers).length > 0;
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
