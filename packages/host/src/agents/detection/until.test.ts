import { expect, test } from "bun:test";
import { readUntil } from "./until.ts";

const NOW = new Date(2026, 10, 30, 14, 0, 0).getTime();

test.each([
  ["4s", 4_000],
  ["in 2m 5s", 125_000],
  ["1 hour", 3_600_000],
  ["3pm", 3_600_000],
  ["3:30 PM", 5_400_000],
  ["14:30", 1_800_000],
  ["13:00", 23 * 3_600_000],
])("%s is %i ms from now", (text, ms) => {
  expect((readUntil(text, NOW) ?? 0) - NOW).toBe(ms);
});

test("a date is taken as it is, and other words mean nothing", () => {
  expect(readUntil("2026-12-01T10:00:00Z", NOW)).toBe(Date.UTC(2026, 11, 1, 10));
  for (const text of ["soon", "25:00", "7", ""]) expect(readUntil(text, NOW)).toBeUndefined();
});
