import { expect, test } from "bun:test";
import { compareDecimals, decimal, isDecimal, parseDecimal } from "./decimal.ts";

test("decimal strings keep every unsigned 64-bit integer exactly", () => {
  for (const value of [0n, 1n, 9_007_199_254_740_993n, 18_446_744_073_709_551_615n]) {
    expect(parseDecimal(decimal(value))).toBe(value);
  }
  expect(decimal(783_240)).toBe("783240" as never);
});

test("what is not canonical is refused", () => {
  const refused = [
    "",
    "00",
    "01",
    "-1",
    "+1",
    " 1",
    "1 ",
    "1.0",
    "1e3",
    "0x1",
    "18446744073709551616",
    "99999999999999999999",
  ];
  for (const text of [...refused, "100000000000000000000", "1\n"]) expect(isDecimal(text)).toBe(false);
  for (const value of [1, 1n, null, undefined, {}, ["1"]]) expect(isDecimal(value)).toBe(false);
  expect(parseDecimal("007")).toBeUndefined();
});

test("numbers that are no unsigned 64-bit integer are not written", () => {
  for (const value of [-1, 1.5, Number.NaN, 2 ** 53, -1n, 2n ** 64n]) expect(() => decimal(value)).toThrow(RangeError);
});

test("decimal strings are ordered as integers", () => {
  const ordered = [0n, 9n, 10n, 99n, 100n, 2n ** 53n, 2n ** 53n + 1n, 2n ** 64n - 1n].map(decimal);
  expect(ordered.toReversed().toSorted(compareDecimals)).toEqual(ordered);
  expect(compareDecimals(decimal(7), decimal(7n))).toBe(0);
});
