import { command } from "../command-line/command.ts";
import { tableLook } from "../output/table-look.ts";
import { connectPackages } from "../plugins/connect-packages.ts";
import { packageTable } from "../plugins/package-text.ts";

export const pluginList = command({
  name: "plugin list",
  summary: "List the installed packages: the agents that this host knows",
  details: [
    "A package describes one agent as data. Those of the release are installed by themselves.",
    "The selected version of a package that is on serves the agent's bare name; sessions and profiles keep theirs.",
  ],
  flags: {},
  async run(context) {
    await using client = await connectPackages(context);
    const result = await client.call("package.list");
    return { ok: result, human: () => `${packageTable(result.packages, tableLook(context)).join("\n")}\n` };
  },
});
