import type { AgentRuntime } from "@pohunek/protocol";
import { command } from "../command-line/command.ts";
import { connectHost } from "../connection/connect-host.ts";
import { detailLines } from "../sessions/session-details.ts";

export const hostInspect = command({
  name: "host inspect",
  summary: "Show what a host can do",
  arguments: [{ name: "host", summary: "Its name; `local` for this one", completes: ["local"] }],
  flags: {},
  async run(context, { words }) {
    await using client = await connectHost(context, { host: words[0] });
    const host = await client.call("host.inspect");
    const runtimes = host.runtimes.map((runtime): [string, string] => {
      const { agent, version } = runtime;
      return [`agent ${agent}`, `${stateOf(runtime)}${version === undefined ? "" : `, ${version}`}`];
    });
    return {
      ok: host,
      human: () =>
        detailLines([
          ["daemon", host.daemon_version],
          ["protocol", host.protocol_version],
          ["git", host.git_available ? "available" : "not installed"],
          ...runtimes,
        ]),
    };
  },
});

function stateOf({ available, supported, reason_code: code }: AgentRuntime): string {
  if (!available) return code === undefined || code === "agent_binary_missing" ? "not installed" : "not available";
  return supported === false ? "unsupported" : "available";
}
