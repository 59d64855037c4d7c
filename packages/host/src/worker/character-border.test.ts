import { expect, test } from "bun:test";
import { firstCharacterBytes, unfinishedBytes } from "./character-border.ts";

test.each(["é", "漢", "😀"])("%s is not whole before its last byte", (character) => {
  const bytes = Buffer.from(character);
  for (let cut = 0; cut < bytes.length; cut += 1) {
    expect(unfinishedBytes(Buffer.concat([Buffer.from("漢"), bytes.subarray(0, cut)]))).toBe(cut);
    expect(firstCharacterBytes(bytes.subarray(0, cut))).toBe(0);
  }
  expect(unfinishedBytes(Buffer.concat([Buffer.from("x"), bytes]))).toBe(0);
  expect(firstCharacterBytes(Buffer.from(`${character}漢`))).toBe(bytes.length);
});

test("what is no UTF-8 is not waited for", () => {
  for (const bytes of [[], [0x61], [0xff], [0x80, 0x80, 0x80, 0x80], [0xc0], [0xf5, 0x80]]) {
    expect(unfinishedBytes(Uint8Array.from(bytes))).toBe(0);
  }
  expect(firstCharacterBytes(Uint8Array.of(0xff, 0x80))).toBe(1);
  expect(firstCharacterBytes(Uint8Array.of(0xf0, 0x9f, 0x61))).toBe(2);
});
