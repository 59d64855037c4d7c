import { command } from "../command-line/command.ts";
import { daemonPlace, requireLocal } from "../connection/connect-host.ts";
import { stopDaemon } from "../connection/stop-daemon.ts";

export const daemonStop = command({
  name: "daemon stop",
  summary: "Stop the daemon; sessions go on without it",
  flags: {},
  async run(context) {
    requireLocal(context.host);
    const pid = await stopDaemon(context, await daemonPlace(context));
    return { ok: { pid }, human: () => "the daemon has stopped; its sessions go on\n" };
  },
});
