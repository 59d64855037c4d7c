import { describe, expect, test } from "bun:test";
import { parseStat } from "./processes.ts";

const FIELDS = "34816 42 4194560 1 2 3 4 5 6 7 8 20 0 1 0 987654 1000 2000";

describe("parseStat", () => {
  test("reads a plain line", () => {
    expect(parseStat(`77 (bash) S 1 77 70 ${FIELDS}`)).toMatchObject({
      pid: 77,
      parent: 1,
      group: 77,
      session: 70,
      startIdentity: "987654",
      program: "bash",
      foregroundGroup: 42,
      isDead: false,
    });
  });

  test.each(["a) R 1 2 3", "(((", "two words", "new\nline"])("is not misled by a program called %j", (name) => {
    expect(parseStat(`5 (${name}) S 1 5 5 ${FIELDS}`)).toMatchObject({
      pid: 5,
      program: name,
      startIdentity: "987654",
    });
  });

  test.each([
    ["Z", true],
    ["X", true],
    ["T", false],
    ["D", false],
  ])("state %s is dead: %p", (state, isDead) => {
    expect(parseStat(`5 (x) ${state} 1 5 5 ${FIELDS}`)?.isDead).toBe(isDead);
  });

  test.each([
    ["T", "stopped"],
    ["t", "busy"],
    ["S", "sleeping"],
    ["D", "busy"],
    ["R", "busy"],
  ] as const)("state %s is %s", (state, run) => {
    expect(parseStat(`5 (x) ${state} 1 5 5 ${FIELDS}`)?.run).toBe(run);
  });

  test("has no foreground group without a terminal, and nothing of what is no stat line", () => {
    expect(parseStat(`5 (x) S 1 5 5 ${FIELDS.replace("42", "-1")}`)?.foregroundGroup).toBeUndefined();
    expect(parseStat("")).toBeUndefined();
    expect(parseStat("5 (x) S 1")).toBeUndefined();
  });
});
