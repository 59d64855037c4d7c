import type { ProtocolError } from "@pohunek/protocol/wire";
import { decodeUtf8, protocolError } from "@pohunek/protocol/wire";
import type { Anchor } from "./anchor.ts";
import { isSigned, keyIdOf, PUBLIC_KEY, SIGNATURE } from "./ed25519.ts";
import type { StrictJson } from "./strict-json.ts";
import { parseStrictJson } from "./strict-json.ts";
import { FormError, StrictRecord } from "./strict-record.ts";

export const CATALOG_LIMITS = {
  bytes: 1024 * 1024,
  entries: 256,
  keys: 16,
  signatures: 8,
  revokedKeys: 64,
  revokedDigests: 1024,
} as const;

/** One package that whoever signed the catalog vouches for. */
export interface CatalogEntry {
  readonly id: string;
  readonly version: string;
  readonly runtime: string;
  readonly digest: string;
  /** File name of the archive, beside the catalog. */
  readonly archive: string;
}

export interface Catalog {
  readonly sequence: number;
  readonly issuedAt: number;
  readonly expiresAt: number;
  readonly keys: readonly CatalogKey[];
  readonly revokedKeys: readonly string[];
  readonly revokedDigests: readonly string[];
  readonly entries: readonly CatalogEntry[];
}

/** A key that a root let sign catalogs for a time. Times are seconds since 1970. */
export interface CatalogKey {
  readonly publicKey: string;
  readonly notBefore: number;
  readonly notAfter: number;
  /** Id of the root. */
  readonly root: string;
  readonly signature: string;
}

/** What is remembered of the catalogs of one anchor, so that an older one is never taken for the newest. */
export interface CatalogMark {
  readonly anchor: string;
  readonly sequence: number;
  readonly revokedKeys: readonly string[];
  readonly revokedDigests: readonly string[];
}

const DIGEST = /^sha256:[0-9a-f]{64}$/;
const ID = /^[a-z0-9._-]{1,64}$/;
const VERSION = /^\d{1,9}\.\d{1,9}\.\d{1,9}$/;
const FILE_NAME = /^[A-Za-z0-9][A-Za-z0-9._-]{0,127}$/;
const BASE64 = /^[A-Za-z0-9_-]+$/;

export interface CatalogCheck {
  readonly anchor: Anchor;
  readonly mark: CatalogMark | undefined;
  readonly nowSeconds: number;
}

/** What is signed for a catalog. */
export function catalogMessage(payload: Uint8Array): Uint8Array {
  return Buffer.concat([Buffer.from("pohunek-runtime-catalog-v1\0"), payload]);
}

/** What a root signs for a key. */
export function keyMessage({ publicKey, notBefore, notAfter }: Omit<CatalogKey, "root" | "signature">): Uint8Array {
  return Buffer.from(`pohunek-runtime-catalog-key-v1\0${publicKey}\0${notBefore}\0${notAfter}`);
}

/** Reads a catalog and proves it. Fails with package_untrusted, which says why. */
export function verifyCatalog(bytes: Uint8Array, check: CatalogCheck): Catalog {
  if (bytes.length > CATALOG_LIMITS.bytes) throw untrusted("is larger than 1 MiB");
  try {
    const { payload, signatures } = readEnvelope(bytes);
    const catalog = readCatalog(payload);
    refuseUnproven(catalog, check, { message: catalogMessage(payload), signatures });
    refuseOld(catalog, check);
    return catalog;
  } catch (cause) {
    if (!(cause instanceof FormError)) throw cause;
    throw untrusted(`is not valid: ${cause.message}`);
  }
}

interface Signature {
  readonly key: string;
  readonly signature: string;
}

function readEnvelope(bytes: Uint8Array): { payload: Uint8Array; signatures: readonly Signature[] } {
  const envelope = new StrictRecord(parseText(bytes), "the envelope", ["schema", "payload", "signatures"]);
  if (envelope.integer("schema") !== 1) throw new FormError("its schema is not 1");
  const payload = Buffer.from(envelope.text("payload", BASE64), "base64url");
  const signatures = envelope.list("signatures", CATALOG_LIMITS.signatures, (item) => {
    const record = new StrictRecord(item, "a signature", ["key", "signature"]);
    return { key: record.text("key", DIGEST), signature: record.text("signature", SIGNATURE) };
  });
  return { payload, signatures };
}

function parseText(bytes: Uint8Array): StrictJson | undefined {
  const text = decodeUtf8(bytes);
  return text === undefined ? undefined : parseStrictJson(text);
}

function readCatalog(payload: Uint8Array): Catalog {
  const record = new StrictRecord(parseText(payload), "the catalog", [
    "schema",
    "sequence",
    "issued_at",
    "expires_at",
    "keys",
    "revoked_keys",
    "revoked_digests",
    "packages",
  ]);
  if (record.integer("schema") !== 1) throw new FormError("the catalog's schema is not 1");
  const entries = record.list("packages", CATALOG_LIMITS.entries, readEntry);
  if (new Set(entries.map(({ digest }) => digest)).size !== entries.length)
    throw new FormError("two entries are the same");
  return {
    sequence: record.integer("sequence"),
    issuedAt: record.integer("issued_at"),
    expiresAt: record.integer("expires_at"),
    keys: record.list("keys", CATALOG_LIMITS.keys, readKey),
    revokedKeys: record.texts("revoked_keys", CATALOG_LIMITS.revokedKeys, DIGEST),
    revokedDigests: record.texts("revoked_digests", CATALOG_LIMITS.revokedDigests, DIGEST),
    entries,
  };
}

function readKey(item: StrictJson): CatalogKey {
  const record = new StrictRecord(item, "a key", ["public_key", "not_before", "not_after", "root", "signature"]);
  return {
    publicKey: record.text("public_key", PUBLIC_KEY),
    notBefore: record.integer("not_before"),
    notAfter: record.integer("not_after"),
    root: record.text("root", DIGEST),
    signature: record.text("signature", SIGNATURE),
  };
}

function readEntry(item: StrictJson): CatalogEntry {
  const record = new StrictRecord(item, "a package", ["id", "version", "runtime", "digest", "archive"]);
  return {
    id: record.text("id", ID),
    version: record.text("version", VERSION),
    runtime: record.text("runtime", ID),
    digest: record.text("digest", DIGEST),
    archive: record.text("archive", FILE_NAME),
  };
}

/** One signature of a key that a root let sign now and when the catalog was issued, and that nobody revoked. */
function refuseUnproven(
  catalog: Catalog,
  { anchor, mark, nowSeconds }: CatalogCheck,
  { message, signatures }: { message: Uint8Array; signatures: readonly Signature[] },
): void {
  const revoked = new Set([...catalog.revokedKeys, ...(mark?.revokedKeys ?? [])]);
  const usable = new Map(
    catalog.keys
      .filter((key) => isInWindow(key, catalog.issuedAt) && isInWindow(key, nowSeconds))
      .filter((key) => !revoked.has(keyIdOf(key.publicKey)) && isLetByRoot(key, anchor))
      .map((key) => [keyIdOf(key.publicKey), key.publicKey]),
  );
  const isProven = signatures.some(({ key, signature }) => {
    const publicKey = usable.get(key);
    return publicKey !== undefined && isSigned(message, publicKey, signature);
  });
  if (!isProven) throw untrusted("is not signed by a key that this program trusts");
}

function isInWindow({ notBefore, notAfter }: CatalogKey, seconds: number): boolean {
  return notBefore <= seconds && seconds <= notAfter;
}

function isLetByRoot(key: CatalogKey, anchor: Anchor): boolean {
  const root = anchor.roots.get(key.root);
  return root !== undefined && isSigned(keyMessage(key), root, key.signature);
}

function refuseOld({ sequence, expiresAt }: Catalog, { mark, nowSeconds }: CatalogCheck): void {
  if (expiresAt <= nowSeconds) throw untrusted("has expired");
  if (mark !== undefined && sequence < mark.sequence) throw untrusted("is older than one that was used before");
}

function untrusted(what: string): ProtocolError {
  return protocolError("package_untrusted", { message: `the catalog ${what}` });
}
