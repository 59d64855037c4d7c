import { expect, test } from "bun:test";
import { decodeUtf8, encodeUtf8, fitsUtf8, hasControlCharacter, isRecord, parseJson } from "./text.ts";

test("only valid UTF-8 is decoded", () => {
  expect(decodeUtf8(encodeUtf8("ž🐎"))).toBe("ž🐎");
  const broken = [[0xff], [0xc3], [0xc0, 0x80], [0xed, 0xa0, 0x80], [0xf4, 0x90, 0x80, 0x80], [0x61, 0x80]];
  for (const bytes of broken) expect(decodeUtf8(Uint8Array.from(bytes))).toBeUndefined();
});

test("length limits count UTF-8 bytes", () => {
  expect([fitsUtf8("abc", 3), fitsUtf8("abcd", 3)]).toEqual([true, false]);
  expect([fitsUtf8("žž", 4), fitsUtf8("žž", 3)]).toEqual([true, false]);
  expect([fitsUtf8("🐎", 4), fitsUtf8("🐎", 3)]).toEqual([true, false]);
  expect([fitsUtf8("", 0), fitsUtf8("\ud800", 3), fitsUtf8("\ud800", 2)]).toEqual([true, true, false]);
});

test("control characters are C0, DEL and C1", () => {
  for (const code of [0, 9, 10, 27, 31, 127, 128, 155, 159]) {
    expect(hasControlCharacter(`a${String.fromCharCode(code)}b`)).toBe(true);
  }
  for (const text of ["", "plain ž 🐎", "\u00a0", "\u2028"]) expect(hasControlCharacter(text)).toBe(false);
});

test("broken JSON is a value, null is not", () => {
  expect(parseJson("null")).toEqual({ value: null });
  expect(parseJson("{")).toBeUndefined();
  expect([isRecord({}), isRecord([]), isRecord(null), isRecord("")]).toEqual([true, false, false, false]);
});
