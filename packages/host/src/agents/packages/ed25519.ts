import { createPublicKey, verify } from "node:crypto";
import { digestOf } from "./digest.ts";

const PUBLIC_KEY_BYTES = 32;
const SIGNATURE_BYTES = 64;

/** A public key in the one form in which it is told: base64url without padding. */
export const PUBLIC_KEY = /^[A-Za-z0-9_-]{43}$/;
export const SIGNATURE = /^[A-Za-z0-9_-]{86}$/;

/**
 * Points of small order, whose signatures fit any message: y of each, little-endian, without the sign bit. The last three
 * are the first ones again, not reduced.
 */
const WEAK_KEYS = new Set([
  "0000000000000000000000000000000000000000000000000000000000000000",
  "0100000000000000000000000000000000000000000000000000000000000000",
  "26e8958fc2b227b045c3f489f2ef98f0d5dfac05d3c63339b13802886d53fc05",
  "c7176a703d4dd84fba3c0b760d10670f2a2053fa2c39ccc64ec7fd7792ac037a",
  "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
]);

/** What a key is called: the digest of its bytes. */
export function keyIdOf(publicKey: string): string {
  return digestOf(Buffer.from(publicKey, "base64url"));
}

/** True for a key whose signatures can prove something. */
export function isStrongKey(publicKey: string): boolean {
  const bytes = Buffer.from(publicKey, "base64url");
  // Only the spelling that the bytes give back: the last character has unused bits.
  if (bytes.length !== PUBLIC_KEY_BYTES || bytes.toString("base64url") !== publicKey) return false;
  bytes[PUBLIC_KEY_BYTES - 1] = bytes.readUInt8(PUBLIC_KEY_BYTES - 1) & 0x7f;
  return !WEAK_KEYS.has(bytes.toString("hex"));
}

/** Strict: a weak key, another spelling or a number beyond the group's order is no signature. */
export function isSigned(message: Uint8Array, publicKey: string, signature: string): boolean {
  const bytes = Buffer.from(signature, "base64url");
  if (!isStrongKey(publicKey) || bytes.length !== SIGNATURE_BYTES) return false;
  if (bytes.toString("base64url") !== signature) return false;
  try {
    const key = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: publicKey }, format: "jwk" });
    return verify(null, message, key, bytes);
  } catch {
    // Not a point of the curve.
    return false;
  }
}
