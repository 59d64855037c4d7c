import type { PackageFault, PackageFindingKind } from "@pohunek/protocol/wire";
import { isProtocolError } from "@pohunek/protocol/wire";
import { isClaimable, isOfficial, isServing, rivalOf } from "./claims.ts";
import type { PackageRegistry } from "./package-registry.ts";
import type { PackageRecord, RegistryState } from "./registry-state.ts";

export interface PackageFinding {
  readonly kind: PackageFindingKind;
  readonly digest: string;
  readonly record?: PackageRecord;
  readonly fault?: PackageFault;
  readonly referenced: boolean;
}

/** What is wrong with the installed packages; with an id only what concerns that package. */
export function examinePackages(
  registry: PackageRegistry,
  { packageId, pinned }: { packageId?: string; pinned: readonly string[] },
): readonly PackageFinding[] {
  const { state } = registry;
  const known = new Set(state.packages.map(({ digest }) => digest));
  const wanted = state.packages.filter(({ id }) => packageId === undefined || id === packageId);
  const faults = wanted.flatMap((record): PackageFinding[] => {
    const fault = faultOfPackage(registry, state, record);
    const { digest } = record;
    return fault === undefined
      ? []
      : [{ kind: "fault", digest, record, fault, referenced: registry.isReferenced(digest) }];
  });
  if (packageId !== undefined) return faults;
  const unknown = (kind: PackageFindingKind, digests: readonly string[]): PackageFinding[] =>
    digests
      .filter((digest) => !known.has(digest))
      .map((digest) => ({ kind, digest, referenced: registry.isReferenced(digest) }));
  return [
    ...faults,
    ...unknown("unregistered_root", registry.roots.list()),
    ...unknown("pinned_not_installed", [...new Set(pinned)]),
  ];
}

/** Its files, its description, and whether it may serve the name that it claims. */
export function faultOfPackage(
  registry: PackageRegistry,
  state: RegistryState,
  record: PackageRecord,
): PackageFault | undefined {
  const { fault } = registry.verify(record);
  if (fault !== undefined) return fault;
  if (isServing(record) && rivalOf(record, state.packages) !== undefined) return "runtime_conflict";
  return isOfficial(record.origin) || mayClaim(registry, record) ? undefined : "runtime_not_claimable";
}

function mayClaim(registry: PackageRegistry, record: PackageRecord): boolean {
  try {
    return isClaimable(record, registry.options.anchor());
  } catch (cause) {
    // Without the anchor nobody knows the reserved names; that is a finding of its own, and not this package's fault.
    if (isProtocolError(cause, "official_trust_unavailable")) return true;
    throw cause;
  }
}
