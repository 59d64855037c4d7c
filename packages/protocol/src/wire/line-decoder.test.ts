import { expect, test } from "bun:test";
import { MAX_CONTROL_LINE_BYTES } from "./limits.ts";
import { LineDecoder } from "./line-decoder.ts";
import { decodeUtf8, encodeUtf8 } from "./text.ts";

function collect(decoder: LineDecoder, chunk: string | Uint8Array): string[] {
  const bytes = typeof chunk === "string" ? encodeUtf8(chunk) : chunk;
  return [...decoder.push(bytes)].map((line) => decodeUtf8(line) ?? "(not UTF-8)");
}

test("pipelined, half and blank lines come out one by one", () => {
  const decoder = new LineDecoder();
  expect(collect(decoder, "one\ntwo\n\nthr")).toEqual(["one", "two", ""]);
  expect(decoder.pendingBytes).toBe(3);
  expect(collect(decoder, "e")).toEqual([]);
  expect(collect(decoder, "e\nfour\r\n")).toEqual(["three", "four\r"]);
  expect(decoder.pendingBytes).toBe(0);
});

test("a character cut in half is whole again", () => {
  const decoder = new LineDecoder();
  const bytes = encodeUtf8("žluťoučký 🐎\n");
  const lines: string[] = [];
  for (const byte of bytes) lines.push(...collect(decoder, Uint8Array.of(byte)));
  expect(lines).toEqual(["žluťoučký 🐎"]);
});

test("an unfinished line does not change with the memory its chunk came in", () => {
  const decoder = new LineDecoder();
  const chunk = encodeUtf8("abc");
  expect(collect(decoder, chunk)).toEqual([]);
  chunk.fill(0x78);
  expect(collect(decoder, "\n")).toEqual(["abc"]);
});

test("the ceiling counts the line without its line feed", () => {
  const longest = "x".repeat(MAX_CONTROL_LINE_BYTES);
  expect(collect(new LineDecoder(), `${longest}\n`)[0]?.length).toBe(MAX_CONTROL_LINE_BYTES);
  expect(() => collect(new LineDecoder(), `${longest}x\n`)).toThrow(expect.objectContaining({ code: "framing" }));
});

test("a line without an end is refused as soon as it is too long", () => {
  const decoder = new LineDecoder(8);
  expect(collect(decoder, "12345678")).toEqual([]);
  expect(() => collect(decoder, "9")).toThrow(expect.objectContaining({ code: "framing" }));
});

test("the lines before an oversized one are still handed out", () => {
  const lines: string[] = [];
  const read = () => {
    for (const line of new LineDecoder(8).push(encodeUtf8("ok\nmuch too long\n"))) lines.push(decodeUtf8(line) ?? "");
  };
  expect(read).toThrow(expect.objectContaining({ code: "framing" }));
  expect(lines).toEqual(["ok"]);
});

test("the rest after a line is handed over once", () => {
  const decoder = new LineDecoder();
  expect(collect(decoder, "head\nraw \u001b[A")).toEqual(["head"]);
  expect(decodeUtf8(decoder.takeRest())).toBe("raw \u001b[A");
  expect(decoder.takeRest().length).toBe(0);
});
