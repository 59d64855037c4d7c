import { command } from "../command-line/command.ts";
import { connectHost } from "../connection/connect-host.ts";
import { hostRow, hostTable } from "./host-discover.ts";

export const hostList = command({
  name: "host list",
  summary: "List this host and those that it can reach",
  flags: { refresh: { type: "switch", summary: "Look again instead of using what was found a moment ago" } },
  async run(context, { flags }) {
    await using client = await connectHost(context);
    const { daemon_version: version, protocol_version: protocol } = await client.call("daemon.health");
    const others = await client.call("host.discover", { force: flags.refresh });
    const local = { name: "local", daemon_version: version, protocol_version: protocol };
    return {
      ok: { local, hosts: others },
      human: () => hostTable(context, [["local", "", "", version], ...others.map(hostRow)]),
    };
  },
});
