import { expect, test } from "bun:test";
import { MatchBudget, Pattern } from "./pattern.ts";

const PLENTY = 10_000_000;

function match(source: string, line: string): string | undefined {
  return new Pattern(source).match(line, new MatchBudget(PLENTY))?.text;
}

test("finds what the language's own expressions find", () => {
  const sources = [
    "a+b",
    "^ab$",
    "(a|ab)(c|bcd)(d*)",
    "x*",
    "[^a-c]+",
    "\\d{2,3}",
    "a{2}",
    "(?:ab)+?",
    "\\bfoo\\b",
    "[\\u2800-\\u28ff] W",
    ".*?b",
    "(a*)*b",
    "[-a]+",
    "a|b|",
    "\\$ \\(x\\)",
  ];
  const lines = [
    "",
    "ab",
    "aab",
    "abcd",
    "xxab",
    "foo bar",
    "a foo.",
    "⠹ Working",
    "1234",
    "ccc--a",
    "abab",
    "$ (x)",
    "b",
  ];
  for (const source of sources) {
    const own = new RegExp(source, "u".repeat(Number(!source.includes("[-a]"))));
    for (const line of lines) {
      expect([source, line, match(source, line)]).toEqual([source, line, own.exec(line)?.[0]]);
    }
  }
});

test("gives groups by name", () => {
  const found = new Pattern("(?<marker>❯)? *(?<key>\\d)\\. (?<label>.+)").match(
    "  2. No, and stop",
    new MatchBudget(PLENTY),
  );
  expect(found?.named).toEqual({ marker: undefined, key: "2", label: "No, and stop" });
});

test("(?i) does not look at the case", () => {
  expect(match("(?i)press ENTER", "Press Enter to go on")).toBe("Press Enter");
  expect(match("press ENTER", "Press Enter to go on")).toBeUndefined();
});

test.each([
  "(",
  ")",
  "a**",
  "[a",
  "\\1",
  "(?=a)",
  "(?!a)",
  "(?<!a)",
  "a{1,999}",
  "{",
  "*",
  "\\q",
  "[z-a]",
  "a{2}{3}",
  "^*",
  "\\u{999999}",
])("refuses %p", (source) => {
  expect(() => new Pattern(source)).toThrow();
});

test("a program that repetitions blow up is refused", () => {
  expect(() => new Pattern("((a{99}){99}){99}")).toThrow();
});

test("takes linear time where backtracking takes for ever", () => {
  const budget = new MatchBudget(PLENTY);
  expect(new Pattern("(a+)+$").match(`${"a".repeat(2000)}!`, budget)).toBeUndefined();
  expect(new Pattern("(.*)(.*)(.*)(.*)(.*)x").match("a".repeat(2000), budget)).toBeUndefined();
  expect(budget.isSpent).toBe(false);
});

test("stops when its steps are spent", () => {
  const budget = new MatchBudget(1000);
  expect(new Pattern("[a-z]*[a-z]*[a-z]*[0-9]").match("a".repeat(100_000), budget)).toBeUndefined();
  expect(budget.isSpent).toBe(true);
});
