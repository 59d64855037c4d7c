import type { PackageOrigin } from "@pohunek/protocol/wire";
import { decodeUtf8, PACKAGE_ORIGINS } from "@pohunek/protocol/wire";
import type { CatalogMark } from "./catalog.ts";
import { CATALOG_LIMITS } from "./catalog.ts";
import type { StrictJson } from "./strict-json.ts";
import { parseStrictJson } from "./strict-json.ts";
import { FormError, StrictRecord } from "./strict-record.ts";

/** One installed package. */
export interface PackageRecord {
  readonly digest: string;
  /** Digest of the root's manifest. */
  readonly tree: string;
  readonly id: string;
  readonly version: string;
  readonly runtimeId: string;
  readonly origin: PackageOrigin;
  readonly enabled: boolean;
  /** Serves the bare name of its runtime. At most one of the packages with the same id. */
  readonly selected: boolean;
  readonly installedAt: number;
}

/** What registry.json holds. Times are seconds since 1970. */
export interface RegistryState {
  /** Grows with each change. */
  readonly generation: number;
  readonly packages: readonly PackageRecord[];
  readonly marks: readonly CatalogMark[];
  /** Digest of the catalog whose packages were installed last without being asked for. */
  readonly applied: string;
  /** Ids of official packages that the owner took away: they do not come back by themselves. */
  readonly declined: readonly string[];
}

export const REGISTRY_LIMITS = { bytes: 2 * 1024 * 1024, packages: 256, marks: 16 } as const;

export const EMPTY_STATE: RegistryState = { generation: 0, packages: [], marks: [], applied: "", declined: [] };

const DIGEST = /^sha256:[0-9a-f]{64}$/;
const MAYBE_DIGEST = /^(?:sha256:[0-9a-f]{64})?$/;
const ID = /^[a-z0-9._-]{1,64}$/;
const VERSION = /^\d{1,9}\.\d{1,9}\.\d{1,9}$/;

export function encodeRegistry(state: RegistryState): Uint8Array {
  const packages = state.packages.map(({ runtimeId, installedAt, ...rest }) => ({
    ...rest,
    runtime_id: runtimeId,
    installed_at: installedAt,
  }));
  const catalogs = state.marks.map(({ anchor, sequence, revokedKeys, revokedDigests }) => ({
    anchor,
    sequence,
    revoked_keys: revokedKeys,
    revoked_digests: revokedDigests,
  }));
  const { generation, applied, declined } = state;
  return Buffer.from(`${JSON.stringify({ schema: 1, generation, applied, declined, catalogs, packages }, null, 1)}\n`);
}

/** Undefined when the bytes are not a registry of ours, whole and unambiguous. */
export function decodeRegistry(bytes: Uint8Array): RegistryState | undefined {
  const text = decodeUtf8(bytes);
  try {
    return text === undefined ? undefined : readState(parseStrictJson(text));
  } catch (cause) {
    if (cause instanceof FormError) return undefined;
    throw cause;
  }
}

function readState(value: StrictJson | undefined): RegistryState {
  const keys = ["schema", "generation", "applied", "declined", "catalogs", "packages"];
  const record = new StrictRecord(value, "the registry", keys);
  if (record.integer("schema") !== 1) throw new FormError("its schema is not 1");
  const packages = record.list("packages", REGISTRY_LIMITS.packages, readPackage);
  if (new Set(packages.map(({ digest }) => digest)).size < packages.length) throw new FormError("a package twice");
  const selected = packages.filter((row) => row.selected).map(({ id }) => id);
  if (new Set(selected).size < selected.length) throw new FormError("two versions of a package are selected");
  return {
    generation: record.integer("generation"),
    applied: record.text("applied", MAYBE_DIGEST),
    declined: record.texts("declined", CATALOG_LIMITS.entries, ID),
    marks: record.list("catalogs", REGISTRY_LIMITS.marks, readMark),
    packages,
  };
}

function readPackage(item: StrictJson): PackageRecord {
  const record = new StrictRecord(item, "a package", [
    "digest",
    "tree",
    "id",
    "version",
    "runtime_id",
    "origin",
    "enabled",
    "selected",
    "installed_at",
  ]);
  const origin = PACKAGE_ORIGINS.find((known) => known === record.text("origin", /./));
  if (origin === undefined) throw new FormError("a package comes from nowhere known");
  return {
    digest: record.text("digest", DIGEST),
    tree: record.text("tree", DIGEST),
    id: record.text("id", ID),
    version: record.text("version", VERSION),
    runtimeId: record.text("runtime_id", ID),
    origin,
    enabled: record.flag("enabled"),
    selected: record.flag("selected"),
    installedAt: record.integer("installed_at"),
  };
}

function readMark(item: StrictJson): CatalogMark {
  const record = new StrictRecord(item, "a catalog", ["anchor", "sequence", "revoked_keys", "revoked_digests"]);
  return {
    anchor: record.text("anchor", DIGEST),
    sequence: record.integer("sequence"),
    revokedKeys: record.texts("revoked_keys", CATALOG_LIMITS.revokedKeys, DIGEST),
    revokedDigests: record.texts("revoked_digests", CATALOG_LIMITS.revokedDigests, DIGEST),
  };
}
