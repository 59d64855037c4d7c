import { expect, test } from "bun:test";
import type { Activity } from "./activity.ts";
import { QuestionNames } from "./question-names.ts";

function asks(revision: number, text: string | undefined): Activity {
  const question = text === undefined ? {} : { question: { text, options: [{ label: "Yes", isSelected: true }] } };
  return { activity: "blocked", source: "screen", revision, detail: { ...question, evidence: { source: "screen" } } };
}

const idle = (revision: number): Activity => ({ activity: "idle", source: "screen", revision });

test("a question keeps its name while it stands, and gets another one when it is asked again", () => {
  const names = new QuestionNames(100);
  const nameOf = (activity: Activity): number | undefined => names.name(activity).questionRevision;
  expect(nameOf(asks(5, "Run it?"))).toBe(101);
  // Another source tells of it, before the screen was read once more.
  expect(nameOf(asks(6, undefined))).toBeUndefined();
  expect(nameOf(asks(7, "Run it?"))).toBe(101);
  expect(nameOf(asks(8, "Run that?"))).toBe(102);
  names.forget();
  expect(nameOf(asks(8, "Run that?"))).toBe(103);
  expect(nameOf(asks(8, "Run that?"))).toBe(103);
  expect(nameOf(idle(9))).toBeUndefined();
  expect(nameOf(asks(10, "Run that?"))).toBe(104);
});
