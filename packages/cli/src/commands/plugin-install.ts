import { existsSync } from "node:fs";
import { resolve } from "node:path";
import type { ParamsOf } from "@pohunek/protocol";
import { command } from "../command-line/command.ts";
import { usageError } from "../command-line/usage-error.ts";
import { connectPackages } from "../plugins/connect-packages.ts";
import { catalogPath, isListedAs, readCatalog } from "../plugins/official-catalog.ts";
import { installedLine, packageDetails } from "../plugins/package-text.ts";
import { confirm } from "../terminal/confirm.ts";

type Request = Pick<ParamsOf<"package.install">, "archive_path" | "trust">;

export const pluginInstall = command({
  name: "plugin install",
  summary: "Install a package from its archive or from a catalog",
  details: [
    "An archive is trusted by the digest that you name (--sha256), or by a signed catalog that lists it (--catalog).",
    "A name instead of a file is looked up in the catalog, by default the one that came with this program.",
    "First it is shown what the package would run; --yes installs it without asking.",
  ],
  arguments: [{ name: "archive", summary: "A .tar.zst file, or a package that the catalog lists" }],
  flags: {
    sha256: { type: "text", value: "digest", summary: "The SHA-256 that the archive must have" },
    catalog: { type: "text", value: "file", summary: "The signed catalog that must list the archive" },
    noEnable: { type: "switch", summary: "Leave it switched off and not selected" },
    dryRun: { type: "switch", summary: "Show what would be installed, and install nothing" },
    yes: { type: "switch", short: "y", summary: "Do not ask" },
  },
  async run(context, { words, flags }) {
    const request = requestFor(words[0] ?? "", flags);
    await using client = await connectPackages(context);
    const wish = { ...request, enable: !flags.noEnable, select: !flags.noEnable };
    const preview = await client.call("package.install", { ...wish, dry_run: true });
    const shown = (): string => packageDetails(preview.package, preview.runtime);
    if (flags.dryRun) return { ok: preview, human: () => shown() + installedLine(preview) };
    if (!flags.yes) {
      if (!context.wantsJson) context.output.complain(shown());
      confirm(context, { question: "Install it?", what: "installing a package" });
    }
    const result = await client.call("package.install", { ...wish, dry_run: false });
    return { ok: result, human: () => installedLine(result) };
  },
});

function requestFor(
  word: string,
  { sha256, catalog }: { sha256?: string | undefined; catalog?: string | undefined },
): Request {
  if (sha256 !== undefined && catalog !== undefined) throw usageError("--sha256 and --catalog exclude each other");
  if (sha256 !== undefined) {
    const digits = sha256.replace(/^sha256:/, "").toLowerCase();
    if (!/^[0-9a-f]{64}$/.test(digits)) throw usageError("--sha256 takes 64 hexadecimal digits");
    return { archive_path: resolve(word), trust: { kind: "explicit_digest", digest: `sha256:${digits}` } };
  }
  const path = catalogPath(catalog);
  const trust = { kind: "catalog", catalog_path: path } as const;
  const listed = readCatalog(path).find((entry) => isListedAs(entry, word));
  if (listed !== undefined) return { archive_path: listed.archivePath, trust };
  if (existsSync(word) && catalog === undefined) {
    throw usageError(
      "say why this archive is trusted",
      `pohunek plugin install ${word} --sha256 DIGEST (or --catalog FILE)`,
    );
  }
  if (!existsSync(word)) throw usageError(`the catalog lists no ${JSON.stringify(word)}, and there is no such file`);
  return { archive_path: resolve(word), trust };
}
