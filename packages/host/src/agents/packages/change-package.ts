import { protocolError } from "@pohunek/protocol/wire";
import { isOfficial, isServing, refuseClaim, refuseRival } from "./claims.ts";
import type { PackageRegistry } from "./package-registry.ts";
import type { PackageRecord, RegistryState } from "./registry-state.ts";

/** Switches a package on or off. The first version of a package that is switched on is also selected. */
export function setPackageEnabled(
  registry: PackageRegistry,
  { digest, enabled }: { digest: string; enabled: boolean },
): PackageRecord {
  return registry.change((state) => {
    const record = findPackage(state, digest);
    const isFirst = !state.packages.some((other) => other.id === record.id && other.selected);
    const changed = { ...record, enabled, selected: record.selected || (enabled && isFirst) };
    if (enabled) refuseUse(registry, { state, record: changed });
    return { state: replace(state, changed), result: changed };
  });
}

/** Has this version serve the bare name of its runtime. What pins another version keeps it. */
export function selectPackage(registry: PackageRegistry, digest: string): PackageRecord {
  return registry.change((state) => {
    const changed = { ...findPackage(state, digest), selected: true };
    refuseUse(registry, { state, record: changed });
    const packages = state.packages.map((other) =>
      other.id === changed.id && other.digest !== digest ? { ...other, selected: false } : other,
    );
    return { state: replace({ ...state, packages }, changed), result: changed };
  });
}

/** Takes a package away. With `removeModified` also one whose files were changed, and only such a one. */
export function uninstallPackage(
  registry: PackageRegistry,
  { digest, removeModified }: { digest: string; removeModified: boolean },
): void {
  registry.change((state) => {
    const record = findPackage(state, digest);
    if (registry.isReferenced(digest)) throw protocolError("package_referenced");
    const { fault } = registry.roots.verify(digest, record.tree);
    const isChanged = fault !== undefined && fault !== "root_missing";
    if (isChanged && !removeModified) {
      const recover = "pohunek plugin uninstall --remove-modified takes it away all the same.";
      throw protocolError("package_root_invalid", { recover });
    }
    if (removeModified && fault === undefined) {
      throw protocolError("package_root_intact", {
        message: "the package's installed files are intact; uninstall it without --remove-modified",
      });
    }
    // The registry comes first: a root that nobody registered is only a waste of space, which `plugin doctor` tells.
    const afterwards = (): void => registry.roots.remove(digest);
    return { state: withoutPackage(state, record), result: undefined, afterwards };
  });
}

function withoutPackage(state: RegistryState, record: PackageRecord): RegistryState {
  const packages = state.packages.filter((other) => other.digest !== record.digest);
  const isGone = isOfficial(record.origin) && !packages.some((other) => other.id === record.id);
  const declined = isGone ? [...new Set([...state.declined, record.id])] : state.declined;
  return { ...state, packages, declined };
}

export function findPackage({ packages }: RegistryState, digest: string): PackageRecord {
  const record = packages.find((candidate) => candidate.digest === digest);
  if (record === undefined) throw protocolError("package_not_installed");
  return record;
}

/** What is switched on or selected must be usable. */
function refuseUse(
  registry: PackageRegistry,
  { state, record }: { state: RegistryState; record: PackageRecord },
): void {
  if (state.marks.some(({ revokedDigests }) => revokedDigests.includes(record.digest))) {
    throw protocolError("package_untrusted", { message: "a catalog revoked this package" });
  }
  if (!isOfficial(record.origin)) refuseClaim(record, registry.options.anchor());
  if (isServing(record)) refuseRival(record, state.packages);
  const { fault } = registry.verify(record);
  if (fault !== undefined)
    throw protocolError("package_root_invalid", { message: `the package cannot be used: ${fault}` });
}

function replace(state: RegistryState, record: PackageRecord): RegistryState {
  const packages = state.packages.map((other) => (other.digest === record.digest ? record : other));
  return { ...state, packages };
}
