import { expect, test } from "bun:test";
import { plainLines, plainText } from "./plain-text.ts";

test.each([
  ["plain", "plain"],
  ["tab\tand\r\nlines", "tab and lines"],
  ["\u001b[31mred\u0007\u009b", "[31mred"],
  ["gnp\u202efdp.exe\u202c", "gnpfdp.exe"],
  ["\u2066isolated\u2069 \u061carabic\u200f mark", "isolated arabic mark"],
  ["zero\u200bwidth\ufeff soft\u00adhyphen", "zerowidth softhyphen"],
  ["tag\u{e0041}\u{e007f}", "tag"],
  ["join\u200ded, but 👩\u200d🚀 stays", "joined, but 👩\u200d🚀 stays"],
  ["שלום ž日本語", "שלום ž日本語"],
])("%p is shown as %p", (text, shown) => {
  expect(plainText(text)).toBe(shown);
});

test("lines stay lines", () => {
  expect(plainLines("one\n\ttwo\u202e\r\n\u001bthree")).toBe("one\n\ttwo\nthree");
});
