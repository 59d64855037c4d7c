import { isProtocolError } from "@pohunek/protocol/wire";
import { command } from "../command-line/command.ts";
import { connectHost, daemonPlace, requireLocal } from "../connection/connect-host.ts";
import { startDaemon } from "../connection/start-daemon.ts";
import { stopDaemon } from "../connection/stop-daemon.ts";

export const daemonRestart = command({
  name: "daemon restart",
  summary: "Stop the daemon and start it again; sessions and attached terminals go on",
  flags: {},
  async run(context) {
    requireLocal(context.host);
    const place = await daemonPlace(context);
    try {
      await stopDaemon(context, place);
    } catch (error) {
      // None runs: starting one is what is left to do.
      if (!isProtocolError(error, "daemon_unreachable")) throw error;
    }
    await startDaemon(context, place);
    await using client = await connectHost(context);
    const answer = await client.call("daemon.health");
    return { ok: answer, human: () => `the daemon runs again: ${answer.daemon_version}\n` };
  },
});
