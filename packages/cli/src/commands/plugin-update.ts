import type { ResultOf } from "@pohunek/protocol";
import { protocolError } from "@pohunek/protocol/wire";
import { command } from "../command-line/command.ts";
import { connectPackages } from "../plugins/connect-packages.ts";
import type { ListedPackage } from "../plugins/official-catalog.ts";
import { catalogPath, isListedAs, readCatalog } from "../plugins/official-catalog.ts";
import { installedLine } from "../plugins/package-text.ts";

export const pluginUpdate = command({
  name: "plugin update",
  summary: "Install the versions that a catalog lists of the packages that are installed",
  details: [
    "By default from the catalog that came with this program. What is switched off stays off.",
    "Sessions and profiles that are bound to a version keep it.",
  ],
  arguments: [{ name: "package", summary: "Only this package", isOptional: true }],
  flags: {
    catalog: { type: "text", value: "file", summary: "Another signed catalog" },
    dryRun: { type: "switch", summary: "Show what would be installed, and install nothing" },
  },
  async run(context, { words, flags }) {
    const path = catalogPath(flags.catalog);
    const [word] = words;
    await using client = await connectPackages(context);
    const { packages } = await client.call("package.list");
    const listed = readCatalog(path).filter((entry) => word === undefined || isListedAs(entry, word));
    if (word !== undefined && listed.length === 0) {
      throw protocolError("package_untrusted", { message: `the catalog lists no ${JSON.stringify(word)}` });
    }
    const updates: ResultOf<"package.install">[] = [];
    for (const { archivePath, enable } of newOnes(listed, packages)) {
      const trust = { kind: "catalog", catalog_path: path } as const;
      const wish = { archive_path: archivePath, trust, enable, select: true, dry_run: flags.dryRun };
      updates.push(await client.call("package.install", wish));
    }
    const human = (): string =>
      updates.length === 0 ? "everything is up to date\n" : updates.map(installedLine).join("");
    return { ok: { updates }, human };
  },
});

/** What is listed and neither there nor older than what is there, of the packages that are there. */
function newOnes(
  listed: readonly ListedPackage[],
  packages: ResultOf<"package.list">["packages"],
): readonly (ListedPackage & { enable: boolean })[] {
  return listed.flatMap((entry) => {
    const versions = packages.filter(({ package: { id } }) => id === entry.id);
    const isThere = versions.some(
      ({ digest, package: its }) => digest === entry.digest || Bun.semver.order(its.version, entry.version) > 0,
    );
    if (versions.length === 0 || isThere) return [];
    return { ...entry, enable: versions.some(({ enabled, selected }) => enabled && selected) };
  });
}
