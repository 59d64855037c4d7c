import type { ResultOf } from "@pohunek/protocol";
import { command } from "../command-line/command.ts";
import { plainText } from "../output/plain-text.ts";
import { connectPackages } from "../plugins/connect-packages.ts";

type Finding = ResultOf<"package.doctor">["findings"][number];

export const pluginDoctor = command({
  name: "plugin doctor",
  summary: "Check the installed packages and their files",
  details: ["Ends with 1 when something is wrong."],
  arguments: [{ name: "package", summary: "Only the package with this id", isOptional: true }],
  flags: {},
  async run(context, { words }) {
    await using client = await connectPackages(context);
    const result = await client.call("package.doctor", { package: words[0] });
    const { findings } = result;
    const human = (): string =>
      findings.length === 0 ? "all packages are sound\n" : findings.map(findingText).join("");
    return { ok: result, human, exitCode: findings.length === 0 ? 0 : 1 };
  },
});

/** What each finding means, and the command that helps. */
const REMEDIES: Readonly<Record<string, (name: string, finding: Finding) => readonly [what: string, next: string]>> = {
  fault: (name, { fault = "unknown", digest }) => {
    const isChanged = fault.startsWith("root_");
    const next = isChanged
      ? "install it again: that restores its files"
      : fault === "runtime_conflict"
        ? `pohunek plugin disable ${name}`
        : `pohunek plugin uninstall ${digest}`;
    return [fault.replaceAll("_", " "), next];
  },
  unregistered_root: () => ["files that no installation owns", "installing the same package again takes them over"],
  pinned_not_installed: () => ["needed by a session or profile, but not installed", "install that version again"],
};

function findingText(finding: Finding): string {
  const { kind, digest, package: identity, referenced } = finding;
  const name = identity === undefined ? digest : `${identity.id}@${identity.version}`;
  const [what, next] = REMEDIES[kind]?.(name, finding) ?? [kind, ""];
  const use = referenced ? ", in use" : "";
  return `${plainText(name)}: ${plainText(what)}${use}\n${next === "" ? "" : `  next: ${plainText(next)}\n`}`;
}
