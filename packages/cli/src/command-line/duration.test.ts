import { expect, test } from "bun:test";
import { parseDuration } from "./duration.ts";

test.each([
  ["500ms", 500],
  ["30s", 30_000],
  ["30", 30_000],
  ["0.25s", 250],
  ["1.5m", 90_000],
  ["2h", 7_200_000],
  ["1d", 86_400_000],
  ["0", undefined],
  ["0ms", undefined],
  ["-1s", undefined],
  ["1 s", undefined],
  ["s", undefined],
  ["1w", undefined],
  ["1e3", undefined],
])("%p is %p ms", (text, milliseconds) => {
  expect(parseDuration(text)).toBe(milliseconds as number);
});
