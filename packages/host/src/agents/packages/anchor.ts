import { isRuntimeId, protocolError } from "@pohunek/protocol/wire";
import { digestOf } from "./digest.ts";
import { isStrongKey, keyIdOf, PUBLIC_KEY } from "./ed25519.ts";
import { parseStrictJson } from "./strict-json.ts";
import { FormError, StrictRecord } from "./strict-record.ts";

/** The file beside the program that says whose catalogs are official, and which runtimes only they may provide. */
export const ANCHOR_FILE = "runtime-catalog-anchor.json";

const MAX_ROOTS = 8;
const MAX_RESERVED = 256;
const RUNTIME_ID = /^[a-z0-9._-]{1,64}$/;

export interface Anchor {
  /** Public keys by their ids. */
  readonly roots: ReadonlyMap<string, string>;
  readonly reserved: ReadonlySet<string>;
  /** Names this set of roots, whatever their order. */
  readonly id: string;
}

/** Fails with official_trust_unavailable. */
export function parseAnchor(bytes: Uint8Array): Anchor {
  try {
    const record = new StrictRecord(parseStrictJson(Buffer.from(bytes).toString("utf8")), "the anchor", [
      "schema",
      "roots",
      "reserved",
    ]);
    if (record.integer("schema") !== 1) throw new FormError("its schema is not 1");
    const roots = record.texts("roots", MAX_ROOTS, PUBLIC_KEY);
    const reserved = record.texts("reserved", MAX_RESERVED, RUNTIME_ID);
    if (roots.length === 0 || !roots.every(isStrongKey)) throw new FormError("it holds no usable root");
    if (!reserved.every(isRuntimeId)) throw new FormError("it reserves what is no runtime's name");
    const ids = roots.map(keyIdOf);
    return {
      roots: new Map(roots.map((root, index) => [ids[index] ?? "", root])),
      reserved: new Set(reserved),
      id: digestOf(Buffer.from(ids.toSorted().join("\n"))),
    };
  } catch (cause) {
    if (!(cause instanceof FormError)) throw cause;
    throw protocolError("official_trust_unavailable", { message: `${ANCHOR_FILE} is not valid: ${cause.message}` });
  }
}
