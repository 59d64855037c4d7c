/**
 * Makes the packages under runtimes/ and the catalog that vouches for them. A build from the sources signs with a key that
 * it makes up and forgets: its anchor, beside the program, is what makes the catalog official here and nowhere else.
 */

import { generateKeyPairSync } from "node:crypto";
import { mkdirSync, readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import {
  ANCHOR_FILE,
  digestOf,
  packFolder,
  parsePackage,
  publicKeyOf,
  signCatalog,
  unpackArchive,
} from "@pohunek/host/make-packages";

/** A catalog from the sources is as good as the build that it belongs to. */
const LIFETIME_SECONDS = 20 * 366 * 24 * 3600;

interface Package {
  readonly archive: Uint8Array;
  readonly entry: { id: string; version: string; runtime: string; digest: string; archive: string };
}

async function makePackage(folder: string): Promise<Package> {
  const archive = await packFolder(folder);
  const descriptor = parsePackage(unpackArchive(archive));
  if (descriptor === undefined) throw new Error(`${folder} has no runtime.toml`);
  const { packageId: id, packageVersion: version, runtime } = descriptor;
  const name = `${id}-${version}.tar.zst`;
  return { archive, entry: { id, version, runtime: runtime.id, digest: digestOf(archive), archive: name } };
}

/** Writes `runtime/` and the anchor into a folder. */
export async function makeOfficialPackages(runtimes: string, target: string): Promise<void> {
  const folders = readdirSync(runtimes, { withFileTypes: true }).filter((entry) => entry.isDirectory());
  const names = folders.map(({ name }) => name).toSorted();
  const packages = await Promise.all(names.map(async (name) => await makePackage(join(runtimes, name))));
  const root = generateKeyPairSync("ed25519").privateKey;
  const signer = generateKeyPairSync("ed25519").privateKey;
  const now = Math.floor(Date.now() / 1000);
  const expiresAt = now + LIFETIME_SECONDS;
  const catalog = signCatalog(
    {
      sequence: now,
      issuedAt: now,
      expiresAt,
      revokedKeys: [],
      revokedDigests: [],
      entries: packages.map(({ entry }) => entry),
    },
    // Also where the clock was put back since.
    { root, signer, notBefore: 0, notAfter: expiresAt },
  );
  const folder = join(target, "runtime");
  mkdirSync(folder, { recursive: true });
  for (const { archive, entry } of packages) writeFileSync(join(folder, entry.archive), archive);
  writeFileSync(join(folder, "catalog.json"), catalog);
  const reserved = packages.map(({ entry }) => entry.runtime);
  const anchor = { schema: 1, roots: [publicKeyOf(root)], reserved };
  writeFileSync(join(target, ANCHOR_FILE), `${JSON.stringify(anchor, null, 1)}\n`);
}
