import { describe, expect, test } from "bun:test";
import type { KeyObject } from "node:crypto";
import { generateKeyPairSync, sign } from "node:crypto";
import { isProtocolError } from "@pohunek/protocol/wire";
import type { Anchor } from "./anchor.ts";
import { parseAnchor } from "./anchor.ts";
import type { CatalogMark } from "./catalog.ts";
import { CATALOG_LIMITS, catalogMessage, keyMessage, verifyCatalog } from "./catalog.ts";
import { isSigned, keyIdOf } from "./ed25519.ts";
import { publicKeyOf, signCatalog } from "./sign-catalog.ts";
import { parseStrictJson } from "./strict-json.ts";

const newKey = (): KeyObject => generateKeyPairSync("ed25519").privateKey;
const root = newKey();
const signer = newKey();
const NOW = 2_000_000_000;
const SIGNER = { root, signer, notBefore: NOW - 100, notAfter: NOW + 100 };
const digest = (digits: string): string => `sha256:${digits.repeat(32)}`;
const ENTRY = { id: "a.b", version: "1.0.0", runtime: "demo", digest: digest("ab"), archive: "a.b-1.0.0.tar.zst" };
const DRAFT = {
  sequence: 7,
  issuedAt: NOW - 10,
  expiresAt: NOW + 50,
  revokedKeys: [],
  revokedDigests: [digest("cd")],
  entries: [ENTRY],
};

const anchorOf = (...roots: readonly KeyObject[]): Anchor =>
  parseAnchor(Buffer.from(JSON.stringify({ schema: 1, roots: roots.map(publicKeyOf), reserved: ["demo"] })));
const ANCHOR = anchorOf(root);

interface Conditions {
  readonly anchor?: Anchor;
  readonly mark?: Partial<CatalogMark>;
  readonly nowSeconds?: number;
}

function verdict(bytes: Uint8Array, { anchor = ANCHOR, mark, nowSeconds = NOW }: Conditions = {}): string {
  const whole = mark && { anchor: anchor.id, sequence: 0, revokedKeys: [], revokedDigests: [], ...mark };
  try {
    verifyCatalog(bytes, { anchor, mark: whole, nowSeconds });
    return "trusted";
  } catch (cause) {
    if (isProtocolError(cause, "package_untrusted")) return cause.message;
    throw cause;
  }
}

interface Envelope {
  schema: number;
  payload: string;
  signatures: { key: string; signature: string }[];
}

/** Any payload, signed as it should be. */
function signPayload(payload: string): Uint8Array {
  const bytes = Buffer.from(payload);
  const signature = sign(null, catalogMessage(bytes), signer).toString("base64url");
  const signatures = [{ key: keyIdOf(publicKeyOf(signer)), signature }];
  return Buffer.from(JSON.stringify({ schema: 1, payload: bytes.toString("base64url"), signatures }));
}

const GOOD = signCatalog(DRAFT, SIGNER);
const payloadOf = (bytes: Uint8Array): string =>
  Buffer.from((JSON.parse(Buffer.from(bytes).toString()) as Envelope).payload, "base64url").toString();

describe("a catalog", () => {
  test("signed by a key that a root let sign is trusted and read", () => {
    const catalog = verifyCatalog(GOOD, { anchor: ANCHOR, mark: undefined, nowSeconds: NOW });
    expect(catalog).toMatchObject({ ...DRAFT, keys: [{ publicKey: publicKeyOf(signer), notAfter: NOW + 100 }] });
    expect(verdict(GOOD, { anchor: anchorOf(newKey(), root) })).toBe("trusted");
  });

  test("of another root is not", () => {
    expect(verdict(GOOD, { anchor: anchorOf(newKey()) })).toContain("not signed by a key that this program trusts");
  });

  test("is trusted in its windows only", () => {
    expect(verdict(GOOD, { nowSeconds: NOW + 49 })).toBe("trusted");
    expect(verdict(GOOD, { nowSeconds: NOW + 50 })).toContain("has expired");
    expect(verdict(GOOD, { nowSeconds: NOW - 101 })).toContain("not signed by a key");
    expect(verdict(signCatalog({ ...DRAFT, expiresAt: NOW + 500 }, SIGNER), { nowSeconds: NOW + 101 })).toContain(
      "not signed",
    );
    expect(verdict(signCatalog({ ...DRAFT, issuedAt: NOW - 101 }, SIGNER))).toContain("not signed by a key");
  });

  test("that is older than one that was used is refused, the same one again is not", () => {
    expect(verdict(GOOD, { mark: { sequence: 6 } })).toBe("trusted");
    expect(verdict(GOOD, { mark: { sequence: 7 } })).toBe("trusted");
    expect(verdict(GOOD, { mark: { sequence: 8 } })).toContain("older than one that was used");
  });

  test("of a revoked key is refused, whether it says so itself or an earlier one did", () => {
    const revokedKeys = [keyIdOf(publicKeyOf(signer))];
    expect(verdict(signCatalog({ ...DRAFT, revokedKeys }, SIGNER))).toContain("not signed by a key");
    expect(verdict(GOOD, { mark: { sequence: 1, revokedKeys } })).toContain("not signed by a key");
  });

  test("of a key that no root, or another one, let sign is refused", () => {
    const stranger = newKey();
    expect(verdict(signCatalog(DRAFT, { ...SIGNER, root: stranger }))).toContain("not signed by a key");
    const forged = payloadOf(GOOD).replace(keyIdOf(publicKeyOf(root)), keyIdOf(publicKeyOf(stranger)));
    expect(verdict(signPayload(forged))).toContain("not signed by a key");
    const longer = payloadOf(GOOD).replace(`"not_after":${NOW + 100}`, `"not_after":${NOW + 1000}`);
    expect(verdict(signPayload(longer))).toContain("not signed by a key");
  });

  test("with any byte of its payload or signature changed is refused", () => {
    const envelope = JSON.parse(Buffer.from(GOOD).toString()) as Envelope;
    const flip = (text: string, at: number): string => {
      const bytes = Buffer.from(text, "base64url");
      bytes[at] = bytes.readUInt8(at) ^ 1;
      return bytes.toString("base64url");
    };
    const size = Buffer.from(envelope.payload, "base64url").length;
    for (let at = 0; at < size; at += 1) {
      const changed = JSON.stringify({ ...envelope, payload: flip(envelope.payload, at) });
      expect(verdict(Buffer.from(changed))).not.toBe("trusted");
    }
    const [first] = envelope.signatures;
    if (first === undefined) throw new Error("no signature");
    for (let at = 0; at < 64; at += 1) {
      const signatures = [{ ...first, signature: flip(first.signature, at) }];
      expect(verdict(Buffer.from(JSON.stringify({ ...envelope, signatures })))).not.toBe("trusted");
    }
    expect(verdict(Buffer.from(JSON.stringify({ ...envelope, signatures: [] })))).toContain("not signed by a key");
  });
});

describe("the form of a catalog", () => {
  const cases: readonly (readonly [what: string, change: (payload: string) => string])[] = [
    ["a key twice", (text) => text.replace('"sequence":7', '"sequence":7,"sequence":7')],
    ["a fraction", (text) => text.replace('"sequence":7', '"sequence":7.0')],
    ["an exponent", (text) => text.replace('"sequence":7', '"sequence":7e1')],
    ["a negative number", (text) => text.replace('"sequence":7', '"sequence":-7')],
    ["a number beyond what is exact", (text) => text.replace('"sequence":7', '"sequence":9007199254740993')],
    ["a leading zero", (text) => text.replace('"sequence":7', '"sequence":07')],
    ["an unknown field", (text) => text.replace('"sequence":7', '"sequence":7,"more":1')],
    ["a missing field", (text) => text.replace('"sequence":7,', "")],
    ["another schema", (text) => text.replace('"schema":1', '"schema":2')],
    ["something behind it", (text) => `${text} {}`],
    ["a trailing comma", (text) => text.replace('"sequence":7,', '"sequence":7,,')],
    ["a comment", (text) => `/* */${text}`],
    ["an archive elsewhere", (text) => text.replace('"a.b-1.0.0.tar.zst"', '"../a"')],
    ["a digest in capitals", (text) => text.replace(digest("ab"), digest("AB"))],
    ["an entry twice", (text) => text.replace(/"packages":\[(.*)\]/, '"packages":[$1,$1]')],
    ["nesting without end", (text) => text.replace('"packages":[', `"packages":${"[".repeat(10_000)}`)],
    ["a list where an object belongs", () => "[]"],
    ["nothing", () => ""],
  ];
  test.each(cases)("%s is refused, though the signature is right", (_what, change) => {
    const payload = payloadOf(GOOD);
    expect(verdict(signPayload(payload))).toBe("trusted");
    const changed = change(payload);
    expect(changed).not.toBe(payload);
    expect(verdict(signPayload(changed))).toContain("is not valid");
  });

  test("each bound allows what it says and no more", () => {
    const entries = Array.from({ length: 257 }, (_value, index) => ({
      ...ENTRY,
      digest: `sha256:${index.toString(16).padStart(64, "0")}`,
    }));
    const digests = (count: number): string[] =>
      Array.from({ length: count }, (_value, index) => `sha256:${index.toString(16).padStart(64, "f")}`);
    const verdictOf = (draft: Partial<typeof DRAFT>): string => verdict(signCatalog({ ...DRAFT, ...draft }, SIGNER));
    expect([verdictOf({ entries: entries.slice(1) }), verdictOf({ entries })]).toEqual([
      "trusted",
      "the catalog is not valid: the catalog.packages is no list of at most 256",
    ]);
    expect(verdictOf({ revokedKeys: digests(64) as never })).toBe("trusted");
    expect(verdictOf({ revokedKeys: digests(65) as never })).toContain("at most 64");
    expect(verdictOf({ revokedDigests: digests(1024) })).toBe("trusted");
    expect(verdictOf({ revokedDigests: digests(1025) })).toContain("at most 1024");
    const payload = payloadOf(GOOD);
    const [key = ""] = /(?<="keys":\[)\{.*?\}(?=\])/.exec(payload) ?? [];
    const withKeys = (count: number): string => payload.replace(key, Array.from({ length: count }, () => key).join());
    expect(verdict(signPayload(withKeys(16)))).toBe("trusted");
    expect(verdict(signPayload(withKeys(17)))).toContain("at most 16");
    const envelope = JSON.parse(Buffer.from(GOOD).toString()) as Envelope;
    const withSignatures = (count: number): Uint8Array =>
      Buffer.from(
        JSON.stringify({ ...envelope, signatures: Array.from({ length: count }, () => envelope.signatures[0]) }),
      );
    expect(verdict(withSignatures(8))).toBe("trusted");
    expect(verdict(withSignatures(9))).toContain("at most 8");
    const spaces = Buffer.concat([GOOD, Buffer.alloc(CATALOG_LIMITS.bytes - GOOD.length, " ")]);
    expect(verdict(spaces)).toBe("trusted");
    expect(verdict(Buffer.concat([spaces, Buffer.from(" ")]))).toContain("larger than 1 MiB");
  });
});

describe("an anchor", () => {
  const text = (change: object): Uint8Array =>
    Buffer.from(JSON.stringify({ schema: 1, roots: [publicKeyOf(root)], reserved: ["demo"], ...change }));
  const codeOf = (bytes: Uint8Array): string => {
    try {
      return parseAnchor(bytes).id.slice(0, 7);
    } catch (cause) {
      return isProtocolError(cause) ? cause.code : "?";
    }
  };

  test("is the same whatever the order of its roots", () => {
    const second = newKey();
    expect(anchorOf(root, second).id).toBe(anchorOf(second, root).id);
    expect(anchorOf(second).id).not.toBe(anchorOf(root).id);
  });

  test("that is not one is no trust at all", () => {
    expect(codeOf(text({}))).toBe("sha256:");
    const nine = Array.from({ length: 9 }, () => publicKeyOf(newKey()));
    expect(codeOf(text({ roots: nine.slice(1) }))).toBe("sha256:");
    const weak = Buffer.alloc(32).toString("base64url");
    const others = [
      { roots: [] },
      { roots: nine },
      { roots: [weak] },
      { schema: 2 },
      { reserved: ["../x"] },
      { more: 1 },
    ];
    for (const change of others) expect(codeOf(text(change))).toBe("official_trust_unavailable");
    expect(codeOf(Buffer.from("no JSON"))).toBe("official_trust_unavailable");
  });
});

describe("a signature", () => {
  const message = Buffer.from("message");
  const signature = sign(null, message, signer).toString("base64url");

  test("counts for its message and key alone", () => {
    expect(isSigned(message, publicKeyOf(signer), signature)).toBe(true);
    expect(isSigned(Buffer.from("other"), publicKeyOf(signer), signature)).toBe(false);
    expect(isSigned(message, publicKeyOf(root), signature)).toBe(false);
  });

  test("of a weak key fits nothing, though the mathematics would allow it", () => {
    const identity = Buffer.concat([Buffer.from([1]), Buffer.alloc(31)]).toString("base64url");
    const forged = Buffer.concat([Buffer.from(identity, "base64url"), Buffer.alloc(32)]).toString("base64url");
    expect(isSigned(message, identity, forged)).toBe(false);
  });

  test("with the group's order added to its number is another one, and refused", () => {
    const order = 2n ** 252n + 27_742_317_777_372_353_535_851_937_790_883_648_493n;
    const bytes = Buffer.from(signature, "base64url");
    const scalar = BigInt(`0x${Buffer.from(bytes.subarray(32)).reverse().toString("hex")}`) + order;
    const larger = Buffer.from(scalar.toString(16).padStart(64, "0"), "hex").reverse();
    const malleated = Buffer.concat([bytes.subarray(0, 32), larger]).toString("base64url");
    expect(isSigned(message, publicKeyOf(signer), malleated)).toBe(false);
  });

  test("of a root over a key says its times too", () => {
    const key = { publicKey: publicKeyOf(signer), notBefore: 1, notAfter: 2 };
    const byRoot = sign(null, keyMessage(key), root).toString("base64url");
    expect(isSigned(keyMessage(key), publicKeyOf(root), byRoot)).toBe(true);
    expect(isSigned(keyMessage({ ...key, notAfter: 22 }), publicKeyOf(root), byRoot)).toBe(false);
  });
});

describe("strict JSON", () => {
  test("reads what JSON.parse reads", () => {
    for (const value of [{ a: [1, "x\u00e9\n", true, null, {}] }, [], "", 0, [[[]]]]) {
      expect(parseStrictJson(JSON.stringify(value, null, 2))).toEqual(value);
    }
  });

  test("refuses what is ambiguous or not exact", () => {
    const others = [
      '{"a":1,"a":1}',
      '{"__proto__":1}',
      "1.5",
      "-1",
      "1e3",
      "01",
      '"\\ud800"',
      "NaN",
      "truefalse",
      "[1,]",
      "'a'",
      "",
    ];
    for (const text of others) expect([text, parseStrictJson(text)]).toEqual([text, undefined]);
  });
});
