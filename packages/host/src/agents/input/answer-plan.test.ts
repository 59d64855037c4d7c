import { describe, expect, test } from "bun:test";
import type { VisibleQuestion } from "../detection/activity.ts";
import { findOption, isConfirmable, planAnswer } from "./answer-plan.ts";

const numbered: VisibleQuestion = {
  text: "Do you want to run it?",
  options: [
    { key: "1", label: "Yes", isSelected: true },
    { key: "2", label: "Yes, and don't ask again", isSelected: false },
    { key: "3", label: "No, exit", isSelected: false },
  ],
  choose: "number",
};
const plain: VisibleQuestion = {
  text: "Allow?",
  options: ["Allow once", "Always allow", "Reject"].map((label, index) => ({ label, isSelected: index === 2 })),
  choose: "right",
};

const keys = (question: VisibleQuestion, option: number): string[] =>
  planAnswer(question, option).map(({ data }) => Buffer.from(data).toString());

const codeOf = (call: () => unknown): unknown => {
  try {
    return call();
  } catch (error) {
    return (error as { code: string }).code;
  }
};

describe("a choice", () => {
  test("means the option of that number, text, place or beginning", () => {
    expect(["2", "3.", "yes", "NO, EXIT", "no"].map((choice) => findOption(numbered, choice))).toEqual([1, 2, 0, 2, 2]);
    expect(["1", "3", "always"].map((choice) => findOption(plain, choice))).toEqual([0, 2, 1]);
  });

  test("that means none or several is refused", () => {
    for (const choice of ["4", "0", "", "perhaps", "al"]) {
      expect(codeOf(() => findOption(choice === "al" ? plain : numbered, choice))).toBe("session_answer_invalid");
    }
  });
});

describe("an answer", () => {
  test("is the option's number, or the way from the marker to it and Enter", () => {
    expect(keys(numbered, 2)).toEqual(["3"]);
    expect(keys(plain, 0)).toEqual(["\x1b[D\x1b[D", "\r"]);
    expect(keys({ ...numbered, choose: "down" }, 2)).toEqual(["\x1b[B\x1b[B", "\r"]);
    expect(keys(plain, 2)).toEqual(["\r"]);
    expect([isConfirmable(plain, 2), isConfirmable(plain, 0), isConfirmable(numbered, 2)]).toEqual([true, false, true]);
  });

  test("is never a guess", () => {
    const unmarked = { ...plain, options: plain.options.map((option) => ({ ...option, isSelected: false })) };
    const unknown = { text: plain.text, options: plain.options };
    for (const question of [unmarked, unknown, { ...plain, choose: "number" as const }]) {
      expect(codeOf(() => planAnswer(question, 0))).toBe("session_answer_unsupported");
    }
  });
});
