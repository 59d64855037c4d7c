import { expect, test } from "bun:test";
import { encodeSuccess } from "./envelope.ts";
import { LIMITS, MAX_CONTROL_LINE_BYTES } from "./limits.ts";

test("the derived limits are the numbers of the protocol", () => {
  expect(MAX_CONTROL_LINE_BYTES).toBe(1_048_576);
  expect(LIMITS.screenResultBytes).toBe(1_048_418);
  expect(LIMITS.outputRawBytes).toBe(783_240);
});

test("a result at its limit fits in a line with the longest id and version, and not one byte more", () => {
  const result = "x".repeat(LIMITS.screenResultBytes - 2);
  expect(encodeSuccess(4_294_967_295, "i".repeat(128), result).length).toBe(MAX_CONTROL_LINE_BYTES + 1);
  expect(() => encodeSuccess(4_294_967_295, "i".repeat(128), `${result}x`)).toThrow();
});

test("the largest output still leaves room for its metadata after base64", () => {
  const base64Bytes = Math.ceil(LIMITS.outputRawBytes / 3) * 4;
  expect(base64Bytes + 4_096).toBeLessThanOrEqual(LIMITS.screenResultBytes);
});
