import { command } from "../command-line/command.ts";
import { plainText } from "../output/plain-text.ts";
import { connectPackages } from "../plugins/connect-packages.ts";
import { findPackage } from "../plugins/find-package.ts";

const STATUSES: Readonly<Record<string, string>> = {
  preview: "would be bound to",
  bound: "is now bound to",
  unchanged: "is bound already to",
};

export const pluginProfileMigrate = command({
  name: "plugin profile migrate",
  summary: "Bind a profile to the package version that serves its base now",
  details: ["Sessions of the profile that exist can be resumed as before: a new binding is no change of the profile."],
  arguments: [{ name: "profile", summary: "A profile in ~/.config/pohunek/agents" }],
  flags: {
    package: { type: "text", value: "package", summary: "Another installed version, by id@version or digest" },
    dryRun: { type: "switch", summary: "Show what would be written, and write nothing" },
  },
  async run(context, { words, flags }) {
    const [profile = ""] = words;
    await using client = await connectPackages(context);
    const digest = flags.package === undefined ? undefined : (await findPackage(client, flags.package)).digest;
    const result = await client.call("package.bind_profile", { profile, digest, dry_run: flags.dryRun });
    const { id, version } = result.package.package;
    const human = (): string =>
      `${plainText(profile)} ${STATUSES[result.status] ?? plainText(result.status)} ${plainText(id)} ${plainText(version)}\n`;
    return { ok: result, human };
  },
});
