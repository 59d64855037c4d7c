import { describe, expect, test } from "bun:test";
import { MAX_PENDING_BYTES, OverlongSequence } from "./overlong-sequence.ts";

const text = (bytes: Uint8Array | undefined): string | undefined => bytes && Buffer.from(bytes).toString("latin1");
const skip = (sequence: OverlongSequence, piece: string): string | undefined =>
  text(sequence.skip(Buffer.from(piece, "latin1")));

describe("overlong sequence", () => {
  test("is suspected only when more has come than is allowed", () => {
    const sequence = new OverlongSequence();
    expect(sequence.noteFed(MAX_PENDING_BYTES, false)).toBe(false);
    expect(sequence.noteFed(1, false)).toBe(true);
    expect(sequence.isOverlong(10)).toBe(false);
    expect(sequence.noteFed(1000, false)).toBe(false);
    expect(sequence.noteFed(1, true)).toBe(false);
    expect(sequence.isOverlong(MAX_PENDING_BYTES + 1)).toBe(true);
    expect(sequence.isOverlong(undefined)).toBe(true);
  });

  const ends: Readonly<Record<string, readonly [kind: string, piece: string, rest: string]>> = {
    "OSC ended by BEL": ["]", "AAA\x07rest", "rest"],
    "OSC ended by ST": ["]", "AAA\x1b\\rest", "\x1b\\rest"],
    "DCS is not ended by BEL": ["P", "A\x07A\x1b\\rest", "\x1b\\rest"],
    "any ended by CAN": ["_", "AA\x18rest", "rest"],
    "CSI ended by its final byte": ["[", "1;1;1mrest", "rest"],
  };

  test.each(Object.entries(ends))("%s", (_, [kind, piece, rest]) => {
    const sequence = new OverlongSequence();
    sequence.begin(kind.charCodeAt(0));
    expect(skip(sequence, "1111;")).toBe("");
    expect(text(sequence.standIn)?.startsWith(`\x1b${kind}`)).toBe(true);
    expect(skip(sequence, piece)).toBe(rest);
    expect(sequence.standIn).toBeUndefined();
    expect(skip(sequence, "more")).toBe("more");
  });
});
