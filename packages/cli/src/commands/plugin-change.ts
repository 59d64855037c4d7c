import type { PackageInfo } from "@pohunek/protocol";
import type { Client } from "@pohunek/sdk";
import type { Command } from "../command-line/command.ts";
import { command } from "../command-line/command.ts";
import { plainText } from "../output/plain-text.ts";
import { connectPackages } from "../plugins/connect-packages.ts";
import { findPackage, PACKAGE_ARGUMENT } from "../plugins/find-package.ts";
import { changedLine } from "../plugins/package-text.ts";

type Change = (client: Client, digest: string) => Promise<{ readonly package: PackageInfo }>;

export const pluginSelect = changing({
  name: "plugin select",
  summary: "Let this version of a package serve the agent's bare name",
  change: async (client, digest) => await client.call("package.select", { digest }),
});

export const pluginEnable = changing({
  name: "plugin enable",
  summary: "Switch a package on",
  change: async (client, digest) => await client.call("package.set_enabled", { digest, enabled: true }),
});

export const pluginDisable = changing({
  name: "plugin disable",
  summary: "Switch a package off: nothing new starts with it, what runs goes on",
  change: async (client, digest) => await client.call("package.set_enabled", { digest, enabled: false }),
});

function changing({ name, summary, change }: { name: string; summary: string; change: Change }): Command {
  return command({
    name,
    summary,
    arguments: [PACKAGE_ARGUMENT],
    flags: {},
    async run(context, { words }) {
      await using client = await connectPackages(context);
      const { digest } = await findPackage(client, words[0]);
      const result = await change(client, digest);
      return { ok: result, human: () => changedLine(result.package) };
    },
  });
}

export const pluginUninstall = command({
  name: "plugin uninstall",
  summary: "Take a package away that no session and no profile needs",
  details: ["An official package that was taken away comes back by `pohunek plugin install`, not by itself."],
  arguments: [PACKAGE_ARGUMENT],
  flags: { removeModified: { type: "switch", summary: "Take it away although its files were changed" } },
  async run(context, { words, flags }) {
    await using client = await connectPackages(context);
    const { digest, package: identity } = await findPackage(client, words[0]);
    const result = await client.call("package.uninstall", { digest, remove_modified: flags.removeModified });
    return { ok: result, human: () => `removed ${plainText(identity.id)} ${plainText(identity.version)}\n` };
  },
});
