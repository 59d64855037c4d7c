import type { KeyObject } from "node:crypto";
import { createPublicKey, sign } from "node:crypto";
import type { Catalog, CatalogEntry } from "./catalog.ts";
import { catalogMessage, keyMessage } from "./catalog.ts";
import { keyIdOf } from "./ed25519.ts";

/** What a catalog is made of. */
export interface CatalogDraft extends Omit<Catalog, "keys"> {
  readonly entries: readonly CatalogEntry[];
}

/** Who signs: a root lets the signer sign for a time. */
export interface CatalogSigner {
  readonly root: KeyObject;
  readonly signer: KeyObject;
  readonly notBefore: number;
  readonly notAfter: number;
}

/** A private key's public half, as catalogs and anchors spell it. */
export function publicKeyOf(privateKey: KeyObject): string {
  const { x } = createPublicKey(privateKey).export({ format: "jwk" });
  if (x === undefined) throw new TypeError("not an Ed25519 key");
  return x;
}

/** Writes a catalog and signs it. */
export function signCatalog(draft: CatalogDraft, { root, signer, notBefore, notAfter }: CatalogSigner): Uint8Array {
  const publicKey = publicKeyOf(signer);
  const key = {
    public_key: publicKey,
    not_before: notBefore,
    not_after: notAfter,
    root: keyIdOf(publicKeyOf(root)),
    signature: sign(null, keyMessage({ publicKey, notBefore, notAfter }), root).toString("base64url"),
  };
  const payload = Buffer.from(
    JSON.stringify({
      schema: 1,
      sequence: draft.sequence,
      issued_at: draft.issuedAt,
      expires_at: draft.expiresAt,
      keys: [key],
      revoked_keys: draft.revokedKeys,
      revoked_digests: draft.revokedDigests,
      packages: draft.entries,
    }),
  );
  const signature = sign(null, catalogMessage(payload), signer).toString("base64url");
  const signatures = [{ key: keyIdOf(publicKey), signature }];
  return Buffer.from(`${JSON.stringify({ schema: 1, payload: payload.toString("base64url"), signatures }, null, 1)}\n`);
}
