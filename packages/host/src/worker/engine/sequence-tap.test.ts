import { describe, expect, test } from "bun:test";
import { SequenceTap, type TappedSequence } from "./sequence-tap.ts";

/** What a tap finds when the text comes in pieces; a piece ends in ground state where no ESC is open. */
function tapped(...pieces: string[]): TappedSequence[] {
  const tap = new SequenceTap();
  const found: TappedSequence[] = [];
  pieces.forEach((piece, index) => {
    const bytes = Buffer.from(piece, "utf8");
    let from = 0;
    for (let match = tap.next(bytes, 0); match !== undefined; match = tap.next(bytes, from)) {
      found.push(match.sequence);
      from = match.end;
    }
    tap.keep(bytes.subarray(from), index === pieces.length - 1);
  });
  return found;
}

describe("sequence tap", () => {
  const sequences: readonly (readonly [string, TappedSequence])[] = [
    ["\x1b[>4;2m", { kind: "modify-other-keys", level: 2 }],
    ["\x1b[>4m", { kind: "modify-other-keys", level: 0 }],
    ["\x1b[>4n", { kind: "modify-other-keys", level: 0 }],
    ["\x1bc", { kind: "reset" }],
    ["\x1b[?6n", { kind: "extended-cursor-query" }],
    ["\x1b[20$p", { kind: "ansi-mode-query", mode: 20 }],
    ["\x1b]7501;state=working:msg=eA\x07", { kind: "program-status", payload: "state=working:msg=eA" }],
    ["\x1b]7501;?\x1b", { kind: "program-status", payload: "?" }],
    ["\x1b]4;7;rgb:1/2/3\x07", { kind: "color-change" }],
    ["\x1b]11;#123456\x07", { kind: "color-change" }],
  ];

  test.each(sequences)("finds %j", (text, sequence) => {
    expect(tapped(text)).toEqual([sequence]);
    expect(tapped(`before${text}`)).toEqual([sequence]);
  });

  test.each(sequences)("finds %j cut anywhere", (text, sequence) => {
    for (let cut = 1; cut < text.length; cut += 1)
      expect(tapped(text.slice(0, cut), text.slice(cut))).toEqual([sequence]);
    expect(tapped(...text)).toEqual([sequence]);
  });

  test("finds several in their order", () => {
    expect(tapped("\x1b[?6n.\x1b[>4;1m\x1bc\x1b[?6n$p\x1b[4$p").map(({ kind }) => kind)).toEqual([
      "extended-cursor-query",
      "modify-other-keys",
      "reset",
      "extended-cursor-query",
      "ansi-mode-query",
    ]);
  });

  test.each([
    "echo $path",
    "\x1b[?25$p",
    "\x1b[>5u",
    "\x1b[>c",
    "\x1b]11;?\x07",
    "\x1b]4;1;?\x07",
    "\x1b]133;A\x07",
    "\x1b[1;31m",
  ])("passes over %j", (text) => {
    expect(tapped(text)).toEqual([]);
  });

  test("is not slowed down by a flood of matches", () => {
    expect(tapped("\x1bc".repeat(20_000)).length).toBe(20_000);
  }, 5_000);
});
