import { expect, test } from "bun:test";
import { hasMode, MODES, type ModeEntry } from "../../packages/host/src/worker/engine/mode-registry.ts";
import { bytes, Terminals } from "./support/terminals.ts";

const SIZE = { cols: 20, rows: 6 };
const terminals = new Terminals();

test.each(Object.entries<ModeEntry>(MODES))("%s has the bit and the number that the registry says", (_, mode) => {
  using engine = terminals.ghostty(SIZE);
  const before = engine.state(0).header.modes;
  const final = hasMode(before, mode) ? "l" : "h";
  engine.write(bytes(`\x1b[${mode.ansi ? "" : "?"}${mode.number}${final}`));
  expect((before ^ engine.state(0).header.modes).toString(2)).toBe((1n << BigInt(mode.bit)).toString(2));
});

test("the modes that encode input are told", () => {
  using engine = terminals.ghostty(SIZE);
  engine.write(
    bytes(
      "\x1b[?1h\x1b=\x1b[?2004h\x1b[?1004h\x1b[?1002h\x1b[?1006h\x1b[?2026h\x1b[>5u\x1b[4;20h\x1b[?5h\x1b[?7l\x1b[?1007l",
    ),
  );
  expect(engine.modes).toEqual({
    bracketedPaste: true,
    focusReporting: true,
    applicationCursor: true,
    applicationKeypad: true,
    mouseTracking: "button",
    mouseEncoding: "sgr",
    alternateScroll: false,
    synchronizedOutput: true,
    kittyKeyboardFlags: 5,
    insert: true,
    wraparound: false,
    lineFeedNewLine: true,
    reverseVideo: true,
  });
});
