import type { SessionInfo } from "@pohunek/protocol";
import type { Client } from "@pohunek/sdk";
import { command } from "../command-line/command.ts";
import { connectHost, requireLocal } from "../connection/connect-host.ts";
import { lockUp } from "../connection/up-lock.ts";
import type { CommandContext } from "../context.ts";
import { plainText } from "../output/plain-text.ts";
import { shellWord } from "../output/shell-word.ts";
import { shortPath } from "../output/short-path.ts";
import { tableLook } from "../output/table-look.ts";
import { bestAgent } from "../sessions/choose-agent.ts";
import { chooseName } from "../sessions/display-name.ts";
import { requireTerminal } from "../sessions/require-terminal.ts";
import { sessionOfDirectory, UP_DIRECTORY } from "../sessions/session-choice.ts";
import { sessionTable } from "../sessions/session-table.ts";
import { showStarted } from "../sessions/show-started.ts";
import { startHere } from "../sessions/start-here.ts";
import { isEnded } from "../sessions/state-words.ts";

export const up = command({
  name: "up",
  summary: "Start all that is needed and have a durable session in this directory",
  isDaily: true,
  details: [
    "Starts the daemon and a session of the best agent that is installed, or of your shell where none is. Run again it " +
      "finds both there and starts nothing twice.",
    "It counts what it opened here itself, and any shell or agent that was started in this directory, whoever started it: " +
      "run, new, or n in the menu. A session of a command does not count.",
  ],
  flags: {
    attach: { type: "switch", short: "a", summary: "Show the session at once" },
    agent: { type: "text", value: "AGENT", completes: "agent", summary: "The agent of a new session, or shell" },
  },
  async run(context, { flags }) {
    requireLocal(context.host);
    if (flags.attach) requireTerminal(context, "up --attach");
    await using client = await connectHost(context, { startsDaemon: true });
    const { sessions, present, session } = await findOrStart(context, client, flags.agent);
    if (flags.attach) return await showStarted(context, { client, session }, { hasMenu: true });
    const all = present === undefined ? [...sessions, session] : sessions;
    return {
      ok: { session, started: present === undefined },
      human: () => upText(context, session, { all, isNew: present === undefined }),
    };
  },
});

/** Looks and starts under a lock, so that several `up` at the same time start one session. */
async function findOrStart(context: CommandContext, client: Client, wantedAgent: string | undefined) {
  const { cwd } = context.settings;
  using _lock = await lockUp(context);
  const sessions = await client.call("session.list");
  const present = sessionOfDirectory(sessions, cwd, wantedAgent);
  if (present !== undefined) return { sessions, present, session: present };
  const agent = wantedAgent ?? (await bestAgent(client))?.agent;
  const wanted = { ...chooseName(undefined, cwd), agent, command: [], metadata: { [UP_DIRECTORY]: cwd } };
  return { sessions, present, session: await startHere(context, client, wanted) };
}

function upText(
  context: CommandContext,
  session: SessionInfo,
  facts: { all: readonly SessionInfo[]; isNew: boolean },
): string {
  const { paint, settings } = context;
  const name = plainText(session.name ?? session.id);
  const where = plainText(shortPath(session.cwd, settings.home));
  const opening = facts.isNew
    ? `Started "${name}" in ${where}: ${session.agent === "shell" ? "your shell" : plainText(session.agent)}.`
    : `"${name}" already runs in ${where}; nothing new was started.`;
  const program = settings.programName();
  const live = facts.all.filter((one) => !isEnded(one));
  return [
    `${opening} It goes on when this terminal closes.`,
    "",
    ...sessionTable(live, tableLook(context)),
    "",
    `  show it     ${paint("bold", `${program} attach ${shellWord(name)}`)}`,
    "  leave it    Ctrl-]  (it goes on)",
    `  end it      ${program} stop ${shellWord(name)}`,
    `  see all     ${program} ls`,
    "",
  ].join("\n");
}
