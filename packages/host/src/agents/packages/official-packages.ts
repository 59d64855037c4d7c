import { dirname, join } from "node:path";
import { isProtocolError } from "@pohunek/protocol/wire";
import type { CatalogEntry } from "./catalog.ts";
import { isOfficial } from "./claims.ts";
import { digestOf } from "./digest.ts";
import type { InstallOutcome } from "./install-package.ts";
import { installPackage, proveCatalog, withCatalog } from "./install-package.ts";
import type { PackageRegistry } from "./package-registry.ts";
import { readArchiveFile, readCatalogFile } from "./read-source.ts";
import type { PackageRecord, RegistryState } from "./registry-state.ts";
import { compareReleases } from "./semantic-version.ts";

/** What was done, or would be, with one package of the catalog beside the program. */
export type OfficialOutcome =
  | { readonly entry: CatalogEntry; readonly status: InstallOutcome["status"] | "declined" }
  | { readonly entry: CatalogEntry; readonly status: "failed"; readonly code: string };

export interface OfficialCatalog {
  readonly path: string;
  /** Tell what would be done, and do nothing. */
  readonly dryRun: boolean;
}

/**
 * Installs what the catalog beside the program lists, through the same steps as any catalog, once for each catalog: one
 * package a step, so that the caller can do other things in between. What the owner decided stays: a package that was taken
 * away does not come back, one that is switched off stays off, and an older version that was selected stays selected.
 */
export function* officialPackages(
  registry: PackageRegistry,
  { path, dryRun }: OfficialCatalog,
): Generator<OfficialOutcome> {
  const bytes = readCatalogFile(path);
  const applied = digestOf(bytes);
  if (registry.state.applied === applied) return;
  const proof = proveCatalog(registry, registry.state, bytes);
  let isComplete = true;
  for (const entry of proof.catalog.entries) {
    const isDeclined = registry.state.declined.includes(entry.id);
    const outcome: OfficialOutcome = isDeclined
      ? { entry, status: "declined" }
      : installListed(registry, entry, { path, dryRun, bytes });
    isComplete &&= outcome.status !== "failed";
    yield outcome;
  }
  // What failed is tried again the next time.
  if (!dryRun && isComplete) finish(registry, { applied, proof });
}

function installListed(
  registry: PackageRegistry,
  entry: CatalogEntry,
  { path, dryRun, bytes }: OfficialCatalog & { bytes: Uint8Array },
): OfficialOutcome {
  try {
    const archive = readArchiveFile(join(dirname(path), entry.archive));
    const trust = { kind: "catalog", catalog: bytes } as const;
    const { status } = installPackage(registry, { archive, trust, ...wishesFor(entry, registry.state), dryRun });
    return { entry, status };
  } catch (cause) {
    if (!isProtocolError(cause)) throw cause;
    return { entry, status: "failed", code: cause.code };
  }
}

/** A package that is new here is switched on and selected; a newer version takes over what its forerunner was. */
function wishesFor(entry: CatalogEntry, { packages }: RegistryState): { enable: boolean; select: boolean } {
  const versions = packages.filter(({ id }) => id === entry.id);
  const selected = versions.find((record) => record.selected);
  if (selected === undefined) return { enable: versions.length === 0, select: versions.length === 0 };
  const isNewestOfficial =
    isOfficial(selected.origin) && versions.every((other) => compareReleases(other.version, selected.version) <= 0);
  const select = isNewestOfficial && compareReleases(entry.version, selected.version) >= 0;
  return { enable: selected.enabled, select };
}

function finish(
  registry: PackageRegistry,
  { applied, proof }: { applied: string; proof: ReturnType<typeof proveCatalog> },
): void {
  registry.change((state) => {
    const next = withCatalog({ ...state, applied }, proof);
    const stale = next.packages.filter((record) => isReplaced(record, next) && !registry.isReferenced(record.digest));
    const packages = next.packages.filter((record) => !stale.includes(record));
    const afterwards = (): void => stale.forEach(({ digest }) => registry.roots.remove(digest));
    return { state: { ...next, packages }, result: undefined, afterwards };
  });
}

/** The same version, built again, is selected: the older build only takes up space. */
function isReplaced(record: PackageRecord, { packages }: RegistryState): boolean {
  if (!isOfficial(record.origin) || record.selected) return false;
  return packages.some(({ id, version, origin, selected }) => {
    return id === record.id && version === record.version && isOfficial(origin) && selected;
  });
}
