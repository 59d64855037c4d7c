import { describe, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { checkDelivery, floodFile } from "../../bench/flood-file.ts";
import { checkShown, NumberedLines } from "../../bench/soak/numbered-lines.ts";

/** A repaint, as it begins and ends, with the lines of the program that it shows. */
const repaintOf = (lines: string): string =>
  `\x18\x1b[?1047;47;1049l\x1b[?2026h\x1b[H${lines}\x1b[<8u\x1b[3;1H\x1b[?2026l`;

describe("the benchmark's look at what a client got", () => {
  const folder = mkdtempSync(join(tmpdir(), "f"));
  const { onTerminal: wanted } = floodFile(folder, 100_000);
  rmSync(folder, { recursive: true });
  const half = wanted.length >> 1;
  const shown = wanted.subarray(half - 2_000, half + 300).toString();

  test("takes all bytes, and a repaint in the place of some, and one that shows the end", () => {
    expect(checkDelivery(wanted, wanted)).toMatchObject({ lostBytes: 0, deliveredBytes: wanted.length, resyncs: 0 });
    const resynced = Buffer.concat([wanted.subarray(0, 7_001), Buffer.from(repaintOf(shown)), wanted.subarray(half)]);
    const delivery = checkDelivery(resynced, wanted);
    expect(delivery).toMatchObject({ lostBytes: 0, resyncs: 1 });
    expect(delivery.deliveredBytes + delivery.skippedBytes).toBe(wanted.length);
    expect(delivery.skippedBytes).toBeGreaterThan(half - 7_002);
    const ended = Buffer.concat([wanted.subarray(0, 7_001), Buffer.from(repaintOf(shown))]);
    expect(checkDelivery(ended, wanted)).toMatchObject({ lostBytes: 0, resyncs: 1, deliveredBytes: 7_001 });
  });

  test("sees one byte that is missing, changed or doubled", () => {
    const without = Buffer.concat([wanted.subarray(0, half), wanted.subarray(half + 1)]);
    expect(checkDelivery(without, wanted).lostBytes).toBeGreaterThan(0);
    const doubled = Buffer.concat([wanted.subarray(0, half), wanted.subarray(half - 1)]);
    expect(checkDelivery(doubled, wanted).lostBytes).toBeGreaterThan(0);
    const changed = Buffer.from(wanted);
    changed[half] = 1;
    expect(checkDelivery(changed, wanted).lostBytes).toBeGreaterThan(0);
    expect(checkDelivery(wanted.subarray(0, -1), wanted).lostBytes).toBe(1);
  });
});

describe("the soak's look at numbered lines", () => {
  test("follows output in any pieces, and sees a line that is missing or doubled", () => {
    const text = Array.from({ length: 200 }, (_, index) => `#${index + 1}. and more\r\n`).join("");
    for (const size of [1, 7, 100]) {
      const lines = new NumberedLines();
      for (let at = 0; at < text.length; at += size) expect(lines.take(text.slice(at, at + size))).toBeUndefined();
      expect(lines.last).toBe(200);
    }
    expect(new NumberedLines().take(text.replace("#77. and more\r\n", ""))).toBe("#78. came after #76.");
    expect(new NumberedLines().take(text.replace("#77.", "#77. #77."))).toBe("#77. came after #77.");
  });

  test("takes a screen with what followed it, a line cut between the two, and another screen later", () => {
    const stream = `${repaintOf("#8.\r\n#9.\r\n#1\x1b[m")}0.\r\n#11.${repaintOf("#40.\r\n#41.")}\r\n#42.`;
    expect(checkShown(stream)).toEqual({ fault: undefined, repaints: 2, lines: 7 });
    expect(checkShown(`${repaintOf("#8.\r\n#9.")}\r\n#11.`).fault).toBe("#11. was shown after #9.");
    expect(checkShown(`${repaintOf("#8.\r\n#9.")}#9.\r\n#10.`).fault).toBe("#9. was shown after #9.");
  });
});
