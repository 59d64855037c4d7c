import type { PackageInfo } from "@pohunek/protocol";
import { protocolError } from "@pohunek/protocol/wire";
import type { Client } from "@pohunek/sdk";
import type { Argument } from "../command-line/command.ts";
import { usageError } from "../command-line/usage-error.ts";

export const PACKAGE_ARGUMENT: Argument = {
  name: "package",
  summary: "Its id, id@version, the runtime that it provides, or the beginning of its digest",
};

const SHORTEST_DIGEST = 6;

/** The installed package that a word names. Several versions are told apart by `id@version`, or the selected one is meant. */
export async function findPackage(client: Client, word = ""): Promise<PackageInfo> {
  const { packages } = await client.call("package.list");
  const found = matching(packages, word);
  const [only, ...more] = found;
  if (only === undefined) {
    const message = `no package named ${JSON.stringify(word)} is installed`;
    throw protocolError("package_not_installed", { message, recover: "pohunek plugin list" });
  }
  if (more.length === 0) return only;
  const selected = found.filter(({ selected: isSelected }) => isSelected);
  if (selected.length === 1 && selected[0] !== undefined) return selected[0];
  const names = found.map(({ digest, package: { id, version } }) => `${id}@${version} ${digest.slice(0, 19)}`);
  throw usageError(`${word} names several packages: ${names.join(", ")}`, "Name one by id@version, or by its digest.");
}

function matching(packages: readonly PackageInfo[], word: string): readonly PackageInfo[] {
  const digits = word.replace(/^sha256:/, "");
  if (/^[0-9a-f]+$/.test(digits) && digits.length >= SHORTEST_DIGEST) {
    const byDigest = packages.filter(({ digest }) => digest.startsWith(`sha256:${digits}`));
    if (byDigest.length > 0) return byDigest;
  }
  const [name = "", version] = word.split("@", 2);
  return packages.filter(({ package: { id, version: its }, runtime_id: runtime }) => {
    return (id === name || runtime === name) && (version === undefined || its === version);
  });
}
