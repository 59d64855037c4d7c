import type { PackageInstallStatus, PackageOrigin, ProtocolError } from "@pohunek/protocol/wire";
import { protocolError } from "@pohunek/protocol/wire";
import type { Anchor } from "./anchor.ts";
import type { PackageFile } from "./archive.ts";
import { unpackArchive } from "./archive.ts";
import type { Catalog, CatalogMark } from "./catalog.ts";
import { CATALOG_LIMITS, verifyCatalog } from "./catalog.ts";
import { refuseClaim, refuseRival } from "./claims.ts";
import type { Descriptor } from "./descriptor.ts";
import { digestOf } from "./digest.ts";
import type { PackageRegistry } from "./package-registry.ts";
import { parsePackage } from "./package-registry.ts";
import type { PackageRecord, RegistryState } from "./registry-state.ts";
import { REGISTRY_LIMITS } from "./registry-state.ts";

/** Why an archive is trusted. */
export type Trust =
  | { readonly kind: "explicit_digest"; readonly digest: string }
  | { readonly kind: "catalog"; readonly catalog: Uint8Array }
  /** The owner's own working folder, packed here. */
  | { readonly kind: "link" };

export interface InstallRequest {
  readonly archive: Uint8Array;
  readonly trust: Trust;
  readonly enable: boolean;
  readonly select: boolean;
  readonly dryRun: boolean;
}

export interface InstallOutcome {
  readonly status: PackageInstallStatus;
  readonly record: PackageRecord;
  readonly descriptor: Descriptor;
}

/** A catalog that was proven, and the roots that proved it. */
interface Proof {
  readonly anchor: Anchor;
  readonly catalog: Catalog;
}

interface Candidate {
  readonly digest: string;
  readonly files: readonly PackageFile[];
  readonly descriptor: Descriptor;
  readonly origin: PackageOrigin;
  readonly proof: Proof | undefined;
}

/**
 * Installs a package: the archive's digest is proven first, then it is read, then its files get their place, and last of all
 * the registry says so. What is interrupted is completed by doing it again.
 */
export function installPackage(registry: PackageRegistry, request: InstallRequest): InstallOutcome {
  return registry.change<InstallOutcome>((state) => {
    const candidate = examine(registry, { state, request });
    const installed = state.packages.find(({ digest }) => digest === candidate.digest);
    refuseRecord(state, { registry, candidate, installed });
    const record = recordOf(registry, { state, request, candidate, installed });
    if (record.enabled && record.selected) refuseRival(record, state.packages);
    const { descriptor } = candidate;
    if (request.dryRun) return { result: { status: "preview", record, descriptor } };
    const isIntact =
      installed !== undefined && registry.roots.verify(installed.digest, installed.tree).fault === undefined;
    const tree = isIntact ? installed.tree : registry.roots.install(candidate.digest, candidate.files).tree;
    const kept = { ...record, tree };
    const status = installed === undefined ? "installed" : isIntact ? "already_installed" : "root_restored";
    const isKnown = isIntact && isSame(record, installed) && knows(state, candidate.proof);
    if (isKnown) return { result: { status, record, descriptor } };
    return {
      state: withRecord(state, { record: kept, proof: candidate.proof }),
      result: { status, record: kept, descriptor },
    };
  });
}

function examine(
  registry: PackageRegistry,
  { state, request }: { state: RegistryState; request: InstallRequest },
): Candidate {
  const digest = digestOf(request.archive);
  const { proof, origin } = prove(registry, { state, digest, trust: request.trust });
  const files = unpackArchive(request.archive);
  const descriptor = parsePackage(files);
  if (descriptor === undefined) {
    throw protocolError("package_descriptor_invalid", { message: "the package has no runtime.toml" });
  }
  const entry = proof?.catalog.entries.find((candidate) => candidate.digest === digest);
  const { packageId, packageVersion, runtime } = descriptor;
  const isAsListed =
    entry === undefined || (entry.id === packageId && entry.version === packageVersion && entry.runtime === runtime.id);
  if (!isAsListed) throw untrusted("the catalog lists this archive as another package");
  return { digest, files, descriptor, origin, proof };
}

function prove(
  registry: PackageRegistry,
  { state, digest, trust }: { state: RegistryState; digest: string; trust: Trust },
): { proof?: Proof; origin: PackageOrigin } {
  if (trust.kind === "link") return { origin: "link" };
  if (trust.kind === "explicit_digest") {
    if (trust.digest !== digest) throw untrusted("the archive has another digest than the one that was named");
    return { origin: "explicit_digest" };
  }
  const proof = proveCatalog(registry, state, trust.catalog);
  const { entries, revokedDigests } = proof.catalog;
  if (revokedDigests.includes(digest)) throw untrusted("the catalog revokes this archive");
  if (!entries.some((entry) => entry.digest === digest)) throw untrusted("the catalog does not list this archive");
  return { proof, origin: "official" };
}

/** Fails with package_untrusted or official_trust_unavailable. */
export function proveCatalog(registry: PackageRegistry, state: RegistryState, bytes: Uint8Array): Proof {
  const anchor = registry.options.anchor();
  const mark = state.marks.find((candidate) => candidate.anchor === anchor.id);
  return { anchor, catalog: verifyCatalog(bytes, { anchor, mark, nowSeconds: registry.options.nowSeconds() }) };
}

interface Known {
  readonly registry: PackageRegistry;
  readonly candidate: Candidate;
  readonly installed: PackageRecord | undefined;
}

function refuseRecord(state: RegistryState, { registry, candidate, installed }: Known): void {
  const { descriptor, origin, proof, digest } = candidate;
  const { packageId: id, packageVersion: version, runtime } = descriptor;
  const isRevoked = state.marks.some(({ revokedDigests }) => revokedDigests.includes(digest));
  if (isRevoked) throw untrusted("a catalog revoked this archive");
  refuseClaim({ id, runtimeId: runtime.id, origin }, proof?.anchor ?? registry.options.anchor());
  if (installed !== undefined) return;
  if (state.packages.length >= REGISTRY_LIMITS.packages) throw protocolError("package_limit_reached");
  // Official and linked packages may be built again under the same version; the digests keep them apart.
  const twin = state.packages.find((other) => other.id === id && other.version === version && other.origin !== origin);
  const twins = state.packages.filter((other) => other.id === id && other.version === version);
  if (twin !== undefined || (origin === "explicit_digest" && twins.length > 0)) {
    throw protocolError("package_identity_conflict", { message: `another ${id} ${version} is installed` });
  }
}

function recordOf(
  registry: PackageRegistry,
  { state, request, candidate, installed }: Omit<Known, "registry"> & { state: RegistryState; request: InstallRequest },
): PackageRecord {
  const { digest, descriptor, origin } = candidate;
  const { enable, select } = request;
  const isFirst = !state.packages.some((other) => other.id === descriptor.packageId && other.selected);
  return {
    digest,
    tree: installed?.tree ?? digest,
    id: descriptor.packageId,
    version: descriptor.packageVersion,
    runtimeId: descriptor.runtime.id,
    // Who is official stays so when the owner names its digest.
    origin: installed?.origin === "official" ? "official" : origin,
    enabled: enable || (installed?.enabled ?? false),
    selected: select || (installed?.selected ?? (enable && isFirst)),
    installedAt: installed?.installedAt ?? registry.options.nowSeconds(),
  };
}

/** The state with this record; a newly selected one takes the place of the selected version of its package. */
function withRecord(
  state: RegistryState,
  { record, proof }: { record: PackageRecord; proof: Proof | undefined },
): RegistryState {
  const others = state.packages
    .filter(({ digest }) => digest !== record.digest)
    .map((other) => (record.selected && other.id === record.id ? { ...other, selected: false } : other));
  const packages = [...others, record];
  const declined = state.declined.filter((id) => id !== record.id);
  return withCatalog({ ...state, packages, declined }, proof);
}

function isSame(record: PackageRecord, installed: PackageRecord): boolean {
  return record.enabled === installed.enabled && record.selected === installed.selected;
}

/** Whether a catalog would leave anything new behind. */
function knows({ marks }: RegistryState, proof: Proof | undefined): boolean {
  return (
    proof === undefined ||
    marks.some((mark) => mark.anchor === proof.anchor.id && mark.sequence === proof.catalog.sequence)
  );
}

/** What a catalog leaves behind: no older one is taken after it, and what it revokes is switched off. */
export function withCatalog(state: RegistryState, proof: Proof | undefined): RegistryState {
  if (proof === undefined) return state;
  const { anchor, catalog } = proof;
  const old = state.marks.find((mark) => mark.anchor === anchor.id);
  const join = (left: readonly string[], right: readonly string[], max: number): readonly string[] =>
    [...new Set([...left, ...right])].slice(0, max);
  const mark: CatalogMark = {
    anchor: anchor.id,
    sequence: catalog.sequence,
    revokedKeys: join(catalog.revokedKeys, old?.revokedKeys ?? [], CATALOG_LIMITS.revokedKeys),
    revokedDigests: join(catalog.revokedDigests, old?.revokedDigests ?? [], CATALOG_LIMITS.revokedDigests),
  };
  const others = state.marks.filter((other) => other.anchor !== anchor.id);
  const packages = state.packages.map((record) =>
    mark.revokedDigests.includes(record.digest) ? { ...record, enabled: false } : record,
  );
  // The anchors that were not used for longest go first.
  return { ...state, packages, marks: [...others, mark].slice(-REGISTRY_LIMITS.marks) };
}

function untrusted(message: string): ProtocolError {
  return protocolError("package_untrusted", { message });
}
