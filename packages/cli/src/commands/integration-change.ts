import type { ResultOf } from "@pohunek/protocol";
import { command } from "../command-line/command.ts";
import { connectHost } from "../connection/connect-host.ts";
import { plainText } from "../output/plain-text.ts";
import { failureText, HOME_ARGUMENTS, HOME_FLAGS, homeName, homeSelectors } from "../plugins/integration-homes.ts";

type Installed = ResultOf<"integration.install">;

export const integrationInstall = command({
  name: "integration install",
  summary: "Have agents report their conversation and sub-agents by hooks in their settings",
  details: ["Other hooks and settings in the same file stay as they are. Outside of sessions the hooks do nothing."],
  arguments: HOME_ARGUMENTS,
  flags: HOME_FLAGS,
  async run(context, { words, flags }) {
    await using client = await connectHost(context, { startsDaemon: true });
    const result = await client.call("integration.install", homeSelectors(words[0], flags));
    return { ok: result, human: () => installedText(result), exitCode: exitCodeOf(result) };
  },
});

export const integrationUpdate = command({
  name: "integration update",
  summary: "Renew the hooks that an older release put into agents' settings",
  details: ["Agents without hooks of ours are left without."],
  arguments: HOME_ARGUMENTS,
  flags: HOME_FLAGS,
  async run(context, { words, flags }) {
    await using client = await connectHost(context, { startsDaemon: true });
    const { agents } = await client.call("integration.status", homeSelectors(words[0], flags));
    const results: Installed[] = [];
    for (const { agent, home } of agents.filter(({ state }) => state === "outdated")) {
      const profile = home?.profiles?.[0];
      results.push(await client.call("integration.install", profile === undefined ? { agent } : { profile }));
    }
    const installed = results.flatMap((result) => result.installed);
    const result: Installed = { installed };
    const human = (): string => (installed.length === 0 ? "nothing to renew\n" : installedText(result));
    return { ok: result, human };
  },
});

export const integrationUninstall = command({
  name: "integration uninstall",
  summary: "Take the hooks out of agents' settings",
  arguments: HOME_ARGUMENTS,
  flags: HOME_FLAGS,
  async run(context, { words, flags }) {
    await using client = await connectHost(context, { startsDaemon: true });
    const result = await client.call("integration.uninstall", homeSelectors(words[0], flags));
    const human = (): string =>
      result.uninstalled
        .map((each) => {
          const [path] = [...each.removed_paths, ...each.updated_paths];
          return `${homeName(each)}: ${path === undefined ? "had no hooks" : `hooks taken out of ${plainText(path)}`}\n`;
        })
        .join("") + failureText(result.failed);
    return { ok: result, human, exitCode: exitCodeOf(result) };
  },
});

function installedText({ installed, failed }: Installed): string {
  const lines = installed.map((each) => `${homeName(each)}: hooks in ${plainText(each.config_paths.join(", "))}\n`);
  return (
    (lines.length === 0 && failed === undefined ? "no agent here has hooks\n" : lines.join("")) + failureText(failed)
  );
}

function exitCodeOf({ failed = [] }: { failed?: readonly unknown[] | undefined }): number {
  return failed.length === 0 ? 0 : 1;
}
