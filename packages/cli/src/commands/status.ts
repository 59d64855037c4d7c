import { command } from "../command-line/command.ts";
import { connectHost, daemonPlace } from "../connection/connect-host.ts";
import { detailLines } from "../sessions/session-details.ts";
import { isEnded } from "../sessions/state-words.ts";
import { CLI_VERSION } from "../version.ts";

export const status = command({
  name: "status",
  summary: "Show the daemon, its versions and how many sessions it keeps",
  isDaily: true,
  flags: {},
  async run(context) {
    await using client = await connectHost(context);
    const answer = await client.call("daemon.health");
    const sessions = context.wantsJson ? [] : await client.call("session.list");
    const place = await daemonPlace(context);
    const live = sessions.filter((session) => !isEnded(session)).length;
    return {
      ok: answer,
      human: () =>
        detailLines([
          ["daemon", `running, ${answer.daemon_version}`],
          ["this program", CLI_VERSION],
          ["protocol", answer.protocol_version],
          ["socket", place.socketPath],
          ["sessions", `${live} running, ${sessions.length - live} ended`],
        ]),
    };
  },
});
