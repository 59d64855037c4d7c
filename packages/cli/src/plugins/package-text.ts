import type { PackageInfo, PackageRuntimeInfo, ResultOf } from "@pohunek/protocol";
import type { Colour } from "../output/colour.ts";
import { plainText } from "../output/plain-text.ts";
import type { Cell, Column } from "../output/table.ts";
import { layOutTable } from "../output/table.ts";
import type { TableLook } from "../output/table-look.ts";
import { detailLines } from "../sessions/session-details.ts";

const COLUMNS: readonly Column[] = [
  { title: "PACKAGE", minimum: 12 },
  { title: "VERSION", minimum: 7 },
  { title: "RUNTIME", minimum: 8 },
  { title: "STATE", minimum: 12 },
  { title: "FROM", minimum: 8 },
  { title: "DIGEST", minimum: 12 },
];
const SHORT_DIGEST = 12;
const ORIGINS: Readonly<Record<string, string>> = { official: "official", explicit_digest: "digest", link: "linked" };

type Installed = ResultOf<"package.install">;

export function packageTable(packages: readonly PackageInfo[], look: TableLook): string[] {
  return layOutTable(COLUMNS, packages.map(rowOf), look);
}

function rowOf(info: PackageInfo): Cell[] {
  const [state, colour] = stateOf(info);
  return [
    { text: plainText(info.package.id) },
    { text: plainText(info.package.version) },
    { text: plainText(info.runtime_id ?? "-") },
    { text: state, colour },
    { text: plainText(ORIGINS[info.origin] ?? info.origin) },
    { text: shortDigest(info) },
  ];
}

function shortDigest({ digest }: PackageInfo): string {
  return plainText(digest.replace(/^sha256:/, "").slice(0, SHORT_DIGEST));
}

function stateOf({ fault, enabled, selected }: PackageInfo): readonly [text: string, colour: Colour] {
  if (fault !== undefined) return [plainText(fault.replaceAll("_", " ")), "red"];
  if (!enabled) return ["off", "dim"];
  return selected ? ["on", "green"] : ["on, not selected", "yellow"];
}

/** What is known of a package, and what it would run. */
export function packageDetails(info: PackageInfo, runtime: PackageRuntimeInfo | undefined): string {
  const [state] = stateOf(info);
  const words = (args: readonly string[] | undefined): string | undefined => args?.join(" ");
  return detailLines([
    ["package", info.package.id],
    ["version", info.package.version],
    ["digest", info.digest],
    ["from", ORIGINS[info.origin] ?? info.origin],
    ["state", state],
    ["in use", info.referenced ? "yes: sessions or profiles need exactly this one" : "no"],
    ["runtime", info.runtime_id],
    ["agent", runtime?.display_name],
    ["runs", runtime && [runtime.program, ...runtime.args].join(" ")],
    ["first start", words(runtime?.launch_args)],
    ["resume", words(runtime?.resume_args)],
    ["fork", words(runtime?.fork_args)],
    ["versions", runtime?.version_probe],
    ["hooks", runtime?.integration_handler],
  ]);
}

const STATUSES: Readonly<Record<string, string>> = {
  preview: "would be installed",
  installed: "installed",
  already_installed: "installed already",
  root_restored: "installed already; its files were damaged and are restored",
};

/** One line on what an installation did. */
export function installedLine({ status, package: info }: Pick<Installed, "status" | "package">): string {
  const what = plainText(STATUSES[status] ?? status);
  const off = status === "preview" || info.enabled ? "" : "; it is switched off (pohunek plugin enable)";
  return `${plainText(info.package.id)} ${plainText(info.package.version)}: ${what}${off}\n`;
}

export function changedLine(info: PackageInfo): string {
  return `${plainText(info.package.id)} ${plainText(info.package.version)}: ${stateOf(info)[0]}\n`;
}
