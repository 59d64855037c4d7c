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
    const { packages } = findings.length === 0 ? { packages: [] } : await client.call("package.list");
    const originOf = ({ digest }: Finding): string => packages.find((info) => info.digest === digest)?.origin ?? "";
    const human = (): string =>
      findings.length === 0
        ? "all packages are sound\n"
        : findings.map((finding) => findingText(finding, originOf(finding))).join("");
    return { ok: result, human, exitCode: findings.length === 0 ? 0 : 1 };
  },
});

/** Doing again what brought the package here restores its files. */
const AGAIN: Readonly<Record<string, (finding: Finding) => string>> = {
  official: ({ package: identity }) => `pohunek plugin install ${identity?.id ?? ""}@${identity?.version ?? ""}`,
  link: () => "pohunek plugin link FOLDER",
  explicit_digest: ({ digest }) => `pohunek plugin install ARCHIVE --sha256 ${digest.replace("sha256:", "")}`,
};

/** What a finding means, and the command that helps. */
function remedyOf(finding: Finding, origin: string): readonly [what: string, next: string] {
  const { kind, fault = "unknown", digest } = finding;
  if (kind === "unregistered_root")
    return ["files that no installation owns", "Install the package again: it takes them over."];
  if (kind === "pinned_not_installed") {
    return [
      "needed by a session or profile, but not installed",
      "Install that version again, or bind the profile to another.",
    ];
  }
  if (kind !== "fault") return [kind, ""];
  const what = fault.replaceAll("_", " ");
  if (fault.startsWith("root_")) return [what, AGAIN[origin]?.(finding) ?? ""];
  return [
    what,
    fault === "runtime_conflict" ? `pohunek plugin disable ${digest}` : `pohunek plugin uninstall ${digest}`,
  ];
}

function findingText(finding: Finding, origin: string): string {
  const { digest, package: identity, referenced } = finding;
  const name = identity === undefined ? digest : `${identity.id}@${identity.version}`;
  const [what, next] = remedyOf(finding, origin);
  const use = referenced ? ", in use" : "";
  return `${plainText(name)}: ${plainText(what)}${use}\n${next === "" ? "" : `  next: ${plainText(next)}\n`}`;
}
