import { describe, expect, test } from "bun:test";
import { WORKER_LIMITS } from "../worker-api/limits.ts";
import { DataTokens } from "./data-tokens.ts";

const INVALID = "The stream token is unknown, used or expired.";

describe("DataTokens", () => {
  test("a token serves once, and only for ten seconds", () => {
    let now = 0;
    const tokens = new DataTokens<string>(() => now);
    const used = tokens.grant("first");
    expect(tokens.redeem(used)).toBe("first");
    expect(() => tokens.redeem(used)).toThrow(INVALID);
    const late = tokens.grant("second");
    now = WORKER_LIMITS.dataTokenMs - 1;
    const inTime = tokens.grant("third");
    now = WORKER_LIMITS.dataTokenMs;
    expect(() => tokens.redeem(late)).toThrow(INVALID);
    expect(tokens.redeem(inTime)).toBe("third");
  });

  test("no more than 4,096 wait at once; expired ones make room", () => {
    let now = 0;
    const tokens = new DataTokens<number>(() => now);
    for (let index = 0; index < WORKER_LIMITS.dataTokens; index += 1) {
      tokens.grant(index);
    }
    expect(() => tokens.grant(0)).toThrow("Too many streams wait to be opened.");
    now = WORKER_LIMITS.dataTokenMs;
    expect(tokens.redeem(tokens.grant(7))).toBe(7);
  });
});
