/** What names a package and its files: `sha256:` and 64 lower-case hex digits. */
export type PackageDigest = string;

const DIGEST = /^sha256:[0-9a-f]{64}$/;

export function digestOf(bytes: Uint8Array): PackageDigest {
  return `sha256:${new Bun.CryptoHasher("sha256").update(bytes).digest("hex")}`;
}

export function isDigest(text: unknown): text is PackageDigest {
  return typeof text === "string" && DIGEST.test(text);
}

/** The digits alone, as folders are named. */
export function hexOf(digest: PackageDigest): string {
  return digest.slice("sha256:".length);
}
