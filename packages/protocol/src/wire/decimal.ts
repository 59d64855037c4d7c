declare const decimalBrand: unique symbol;

/**
 * A canonical unsigned 64-bit integer as it travels: decimal digits in a JSON string, no sign, no leading zero but "0".
 * Offsets, generations, watermarks and revisions are of this kind, since JSON numbers lose integers above 2^53.
 */
export type Decimal = string & { readonly [decimalBrand]: true };

const U64_MAX = 18_446_744_073_709_551_615n;
const CANONICAL = /^(?:0|[1-9][0-9]{0,19})$/;
/** As many digits as certainly stay below 2^64. */
const SAFE_DIGITS = 19;

/** Writes an integer as a decimal string. Throws RangeError outside 0..2^64-1. */
export function decimal(value: bigint | number): Decimal {
  const isValid =
    typeof value === "number" ? Number.isSafeInteger(value) && value >= 0 : value >= 0n && value <= U64_MAX;
  if (!isValid) throw new RangeError(`${value} is not an unsigned 64-bit integer`);
  return String(value) as Decimal;
}

/** True for a canonical decimal string inside u64. */
export function isDecimal(value: unknown): value is Decimal {
  if (typeof value !== "string" || !CANONICAL.test(value)) return false;
  return value.length <= SAFE_DIGITS || BigInt(value) <= U64_MAX;
}

/** Reads a decimal string, or undefined when it is not canonical or above 2^64-1. */
export function parseDecimal(value: unknown): bigint | undefined {
  return isDecimal(value) ? BigInt(value) : undefined;
}

/** Orders two decimal strings without making integers of them. */
export function compareDecimals(left: Decimal, right: Decimal): number {
  if (left.length !== right.length) return left.length - right.length;
  if (left === right) return 0;
  return left < right ? -1 : 1;
}
