import { describe, expect, test } from "bun:test";
import { generateKeyPairSync, sign } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isProtocolError } from "@pohunek/protocol/wire";
import { parseAnchor } from "./anchor.ts";
import type { PackageFile } from "./archive.ts";
import { packArchive, unpackArchive } from "./archive.ts";
import { catalogMessage, verifyCatalog } from "./catalog.ts";
import { parseDescriptor } from "./descriptor.ts";
import { keyIdOf } from "./ed25519.ts";
import { decodeRegistry, encodeRegistry } from "./registry-state.ts";
import { decodeRootManifest, encodeRootManifest } from "./root-manifest.ts";
import { publicKeyOf, signCatalog } from "./sign-catalog.ts";

/** The same numbers each time: a failure can be looked at again. */
class Numbers {
  #state = 20_261_130;

  below(limit: number): number {
    this.#state = (Math.imul(this.#state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((this.#state / 2 ** 32) * limit);
  }
}

/** Characters that mean something to one of the formats come often. */
const LIKELY = Buffer.from('{}[]"=\\.-0123456789\n\0 ,:#');

/** Copies with one to five pieces cut out, put in or replaced. */
function* damaged(bytes: Uint8Array, count: number): Generator<Buffer> {
  const numbers = new Numbers();
  for (let run = 0; run < count; run += 1) {
    let edited = Buffer.from(bytes);
    for (let left = numbers.below(5); left >= 0; left -= 1) {
      const place = numbers.below(edited.length + 1);
      const piece = Buffer.from(
        Array.from({ length: numbers.below(5) }, () =>
          numbers.below(2) === 0 ? numbers.below(256) : LIKELY.readUInt8(numbers.below(LIKELY.length)),
        ),
      );
      edited = Buffer.concat([edited.subarray(0, place), piece, edited.subarray(place + numbers.below(12))]);
    }
    yield edited;
  }
}

/** Refusals are coded; anything else is a fault of the reader. */
function accepts(read: () => unknown): boolean {
  try {
    read();
    return true;
  } catch (cause) {
    if (isProtocolError(cause)) return false;
    throw cause;
  }
}

const DIGEST = `sha256:${"ab".repeat(32)}`;
const FILES = [
  { path: "a/b", content: Buffer.from("text"), isExecutable: true },
  { path: "runtime.toml", content: Buffer.from("schema = 1\n"), isExecutable: false },
];

describe("whatever the bytes are, they are read or refused with a code:", () => {
  test("runtime.toml", () => {
    const runtimes = join(import.meta.dir, "../../../../../runtimes");
    const descriptor = readFileSync(join(runtimes, "codex/runtime.toml"));
    const read = (bytes: Uint8Array) => parseDescriptor({ descriptor: bytes, detection: new Uint8Array() });
    expect(accepts(() => read(descriptor))).toBe(true);
    for (const bytes of damaged(descriptor, 3000)) accepts(() => read(bytes));
  });

  test("an archive, and the tar in it", async () => {
    const archive = await packArchive(FILES);
    const tar = Bun.zstdDecompressSync(archive);
    const { constants, zstdCompressSync } = await import("node:zlib");
    const params = { [constants.ZSTD_c_checksumFlag]: 1 };
    for (const bytes of damaged(archive, 2000)) accepts(() => unpackArchive(bytes));
    for (const other of damaged(tar, 2000)) {
      const packed = zstdCompressSync(other, { params, pledgedSrcSize: other.length });
      const files: PackageFile[] = [];
      if (accepts(() => files.push(...unpackArchive(packed)))) {
        // Only the contents may differ: everything around them has one form.
        expect(files.map(({ path }) => path)).toEqual(FILES.map(({ path }) => path));
      }
    }
  });

  test("a catalog that is signed all the same", () => {
    const root = generateKeyPairSync("ed25519").privateKey;
    const signer = generateKeyPairSync("ed25519").privateKey;
    const anchor = parseAnchor(Buffer.from(JSON.stringify({ schema: 1, roots: [publicKeyOf(root)], reserved: [] })));
    const entries = [{ id: "a", version: "1.0.0", runtime: "a", digest: DIGEST, archive: "a.tar.zst" }];
    const draft = { sequence: 1, issuedAt: 10, expiresAt: 20, revokedKeys: [], revokedDigests: [], entries };
    const catalog = signCatalog(draft, { root, signer, notBefore: 0, notAfter: 99 });
    const read = (bytes: Uint8Array) => verifyCatalog(bytes, { anchor, mark: undefined, nowSeconds: 15 });
    expect(accepts(() => read(catalog))).toBe(true);
    const { payload } = JSON.parse(Buffer.from(catalog).toString()) as { payload: string };
    for (const bytes of damaged(catalog, 1000)) accepts(() => read(bytes));
    for (const other of damaged(Buffer.from(payload, "base64url"), 1000)) {
      const signature = sign(null, catalogMessage(other), signer).toString("base64url");
      const signatures = [{ key: keyIdOf(publicKeyOf(signer)), signature }];
      const envelope = { schema: 1, payload: other.toString("base64url"), signatures };
      accepts(() => read(Buffer.from(JSON.stringify(envelope))));
    }
  });

  test("the registry and a root's manifest", () => {
    const record = { digest: DIGEST, tree: DIGEST, id: "a", version: "1.0.0", runtimeId: "a", origin: "link" } as const;
    const packages = [{ ...record, enabled: true, selected: true, installedAt: 5 }];
    const state = { generation: 3, packages, marks: [], applied: "", declined: ["b"] };
    const registry = encodeRegistry(state);
    expect(decodeRegistry(registry)).toEqual(state);
    const manifest = encodeRootManifest(DIGEST, FILES);
    expect(decodeRootManifest(manifest)?.files.map(({ path }) => path)).toEqual(FILES.map(({ path }) => path));
    for (const bytes of damaged(registry, 3000)) decodeRegistry(bytes);
    for (const bytes of damaged(manifest, 3000)) {
      const files = decodeRootManifest(bytes)?.files ?? [];
      expect(files.filter(({ path }) => path.startsWith("/") || path.split("/").includes(".."))).toEqual([]);
    }
  });
});
