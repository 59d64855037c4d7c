import { resolve } from "node:path";
import { command } from "../command-line/command.ts";
import { connectPackages } from "../plugins/connect-packages.ts";
import { installedLine, packageDetails } from "../plugins/package-text.ts";

export const pluginLink = command({
  name: "plugin link",
  summary: "Install a package of your own from the folder where you write it",
  details: ["The folder is copied as it is now and left switched off; link it again after a change."],
  arguments: [{ name: "directory", summary: "The folder with runtime.toml and detection.toml" }],
  flags: { dryRun: { type: "switch", summary: "Check the folder, and install nothing" } },
  async run(context, { words, flags }) {
    await using client = await connectPackages(context);
    const result = await client.call("package.link", { directory: resolve(words[0] ?? ""), dry_run: flags.dryRun });
    const shown = flags.dryRun ? packageDetails(result.package, result.runtime) : "";
    return { ok: result, human: () => shown + installedLine(result) };
  },
});
