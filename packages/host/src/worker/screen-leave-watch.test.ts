import { expect, test } from "bun:test";
import { OutputRing } from "./output-ring.ts";
import { ScreenLeaveWatch } from "./screen-leave-watch.ts";

const RING_BYTES = 1_048_576;

function watched(): { print: (text: string) => boolean } {
  const ring = new OutputRing(RING_BYTES);
  const watch = new ScreenLeaveWatch(ring);
  return {
    print(text) {
      ring.append(Buffer.from(text, "latin1"));
      return watch.look();
    },
  };
}

test.each([
  "\x1b[?1049l",
  "\x1b[?47l",
  "text \x1b[?1047l text",
  "\x1b[?25h;\x1b[?2004;1049;25l",
  "\x1b[?1049r",
  "\x1bc",
  "\xc2\x9b?1049l",
  "\x1b[?1049l\x1b[?1049h",
])("%j is seen, once, wherever it is cut", (sequence) => {
  expect(watched().print(sequence)).toBe(true);
  for (let at = 1; at < sequence.length; at += 1) {
    const { print } = watched();
    const seen = [print(sequence.slice(0, at)), print(sequence.slice(at)), print("more")];
    expect(seen.filter(Boolean)).toHaveLength(1);
  }
});

test.each(["\x1b[?1049h", "\x1b[?2049l", "\x1b[47l", "\x1b[?25l", "1049l", "x".repeat(100_000)])(
  "%.20j is not one",
  (text) => {
    expect(watched().print(text)).toBe(false);
  },
);
