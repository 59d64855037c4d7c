import { describe, expect, test } from "bun:test";
import { PasteFollower } from "./bracketed-paste.ts";
import { encodeUtf8 } from "./text.ts";

const ESC = "\u001b";
const END = `${ESC}[201~`;

/** Passes over pasted text in these pieces; returns what is left of the last one, and what was a beginning of the mark after each. */
function follow(pieces: readonly string[]): { rest: string; marks: number[]; isInside: boolean } {
  const paste = new PasteFollower();
  paste.begin(new Uint8Array(0), 0);
  const marks: number[] = [];
  let rest = "";
  for (const piece of pieces) {
    const bytes = encodeUtf8(piece);
    rest = new TextDecoder().decode(bytes.subarray(paste.isInside ? paste.skip(bytes, 0) : 0));
    marks.push(paste.markBytes);
  }
  return { rest, marks, isInside: paste.isInside };
}

describe("a paste", () => {
  test("ends with its mark, wherever that is cut", () => {
    const text = `pasted ${ESC}[20 and ${ESC}${ESC}[201 text`;
    for (let cut = 0; cut <= END.length; cut += 1) {
      const { rest, marks, isInside } = follow([text + END.slice(0, cut), `${END.slice(cut)}typed`]);
      expect({ cut, rest: rest.endsWith("typed") ? "typed" : rest, isInside }).toEqual({
        cut,
        rest: "typed",
        isInside: false,
      });
      expect(marks[0]).toBe(cut === END.length ? 0 : cut);
    }
    const bytes = [...(text + END)];
    expect(follow(bytes).isInside).toBe(false);
    expect(follow(bytes.slice(0, -1)).isInside).toBe(true);
  });

  test("is not ended by what only looks like the mark", () => {
    for (const text of [`${ESC}[200~`, `${ESC}[201`, `${ESC}[2${ESC}[01~`, `${ESC}[201x~`, "[201~"]) {
      expect({ text, isInside: follow([text]).isInside }).toEqual({ text, isInside: true });
      expect(follow([text, END]).isInside).toBe(false);
    }
  });

  test("that pauses has ended", () => {
    const paste = new PasteFollower();
    paste.noteInput(5_000);
    paste.begin(encodeUtf8(`${ESC}[201`), 0);
    paste.noteInput(6_000);
    expect(paste.isInside).toBe(true);
    paste.noteInput(7_001);
    expect(paste.isInside).toBe(false);
    expect(paste.begin(encodeUtf8("~"), 0)).toBe(1);
    expect(paste.isInside).toBe(true);
  });
});
