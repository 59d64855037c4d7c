import { command } from "../command-line/command.ts";
import { connectHost } from "../connection/connect-host.ts";

export const health = command({
  name: "health",
  summary: "Ask whether the daemon answers",
  flags: {},
  async run(context) {
    await using client = await connectHost(context);
    const answer = await client.call("daemon.health");
    return {
      ok: answer,
      human: () => `${answer.status}: daemon ${answer.daemon_version}, protocol ${answer.protocol_version}\n`,
    };
  },
});
