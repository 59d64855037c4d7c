import type { IntegrationStatus } from "@pohunek/protocol";
import { command } from "../command-line/command.ts";
import { connectHost } from "../connection/connect-host.ts";
import { plainText } from "../output/plain-text.ts";
import { HOME_ARGUMENTS, HOME_FLAGS, homeName, homeSelectors } from "../plugins/integration-homes.ts";

export const integrationStatus = command({
  name: "integration status",
  summary: "Show which agents report by hooks",
  arguments: HOME_ARGUMENTS,
  flags: HOME_FLAGS,
  async run(context, { words, flags }) {
    await using client = await connectHost(context, { startsDaemon: true });
    const result = await client.call("integration.status", homeSelectors(words[0], flags));
    const human = (): string =>
      result.agents
        .map((each) => `${homeName(each)}: ${stateText(each)} (${each.registration_paths.map(plainText).join(", ")})\n`)
        .join("");
    return { ok: result, human };
  },
});

export const integrationDoctor = command({
  name: "integration doctor",
  summary: "Check the hooks in agents' settings",
  details: ["Ends with 1 when something is wrong."],
  arguments: HOME_ARGUMENTS,
  flags: HOME_FLAGS,
  async run(context, { words, flags }) {
    await using client = await connectHost(context, { startsDaemon: true });
    const result = await client.call("integration.doctor", homeSelectors(words[0], flags));
    const human = (): string =>
      result.agents
        .map((each) => {
          const lines = each.findings.map(({ severity, summary, remediation }) => {
            const next = remediation === undefined ? "" : `  next: ${plainText(remediation)}\n`;
            return `${homeName(each)}: ${plainText(severity)}: ${plainText(summary)}\n${next}`;
          });
          return lines.length === 0 ? `${homeName(each)}: ok\n` : lines.join("");
        })
        .join("");
    return { ok: result, human, exitCode: result.ok ? 0 : 1 };
  },
});

function stateText({ state, warnings, available }: IntegrationStatus): string {
  const [fault] = warnings;
  if (fault !== undefined) return plainText(fault);
  if (state === "current") return "installed";
  return state === "outdated" ? "of another release" : available ? "not installed" : "the agent was never started";
}
