import { describe, expect, test } from "bun:test";
import type { InputRules } from "../runtime-definition.ts";
import type { PlannedText } from "./input-plan.ts";
import { planClear, planLine, planPrompt } from "./input-plan.ts";

const RULES: InputRules = {
  bracketedPaste: true,
  submitDelayMs: 200,
  submitDelayConfigurable: false,
  textPolicy: "unrestricted",
  ready: "screen_idle",
  startupGraceMs: 0,
  midTurn: "queued",
  restoresInterrupted: false,
  interruptKeys: "\x1b",
};

const PASTED: Omit<PlannedText, "text"> = { takesPaste: true, unpasted: "refuse" };

function written(fragments: readonly { data: Uint8Array; delayMs?: number }[]): (string | number | undefined)[] {
  return fragments.flatMap(({ data, delayMs }) => [Buffer.from(data).toString(), delayMs]);
}

const codeOf = (call: () => unknown): unknown => {
  try {
    call();
  } catch (error) {
    const { code, details } = error as { code: string; details?: { reason?: string } };
    return details?.reason ?? code;
  }
  return "no refusal";
};

describe("a prompt for an agent", () => {
  test("is two fragments: the body, which owns the delay, and the byte that submits", () => {
    const plan = planPrompt(RULES, { ...PASTED, text: "hello" });
    expect(written(plan)).toEqual(["\x1b[200~hello\x1b[201~", 200, "\r", undefined]);
    const raw = planPrompt({ ...RULES, bracketedPaste: false, submitDelayMs: 150 }, { ...PASTED, text: "hello" });
    expect(written(raw)).toEqual(["hello", 150, "\r", undefined]);
  });

  test("clears the composer in front of itself where the package says how", () => {
    const rules = { ...RULES, clearLine: { keys: "\x15", repeat: 3 } };
    expect(written(planPrompt(rules, { ...PASTED, text: "a" }))[0]).toBe("\x15\x15\x15\x1b[200~a\x1b[201~");
    expect(written(planClear(rules) ?? [])).toEqual(["\x15\x15\x15", undefined]);
    expect(planClear(RULES)).toBeUndefined();
  });

  test("leaves out the line ends at its end, which would stay in the composer", () => {
    for (const text of ["a\nb\n", "a\r\nb\r\n", "a\nb\n\n", "a\rb"]) {
      expect(written(planPrompt(RULES, { ...PASTED, text }))[0]).toBe("\x1b[200~a\nb\x1b[201~");
    }
  });

  test("is marked as a paste only while the program asks for that", () => {
    const unasked = { takesPaste: false, unpasted: "refuse" } as const;
    expect(written(planPrompt(RULES, { ...unasked, text: "one line" }))[0]).toBe("one line");
    expect(codeOf(() => planPrompt(RULES, { ...unasked, text: "two\nlines" }))).toBe("session_input_not_pasted");
    expect(written(planPrompt(RULES, { ...unasked, text: "two\nlines", unpasted: "raw" }))[0]).toBe("two\nlines");
  });

  test("holds nothing that ends a paste or means anything to a terminal", () => {
    const text = "a\x1b[201~\rrm -rf\x03\x9b201~\x7f\tb";
    const [body] = written(planPrompt(RULES, { ...PASTED, text }));
    expect(body).toBe("\x1b[200~a␛[201~\nrm -rf␃\ufffd201~␡\tb\x1b[201~");
    const strict: InputRules = { ...RULES, textPolicy: "hermes_safe_text" };
    expect(codeOf(() => planPrompt(strict, { ...PASTED, text }))).toBe("control_character");
    expect(written(planPrompt(strict, { ...PASTED, text: "a\tb\nc" }))[0]).toBe("\x1b[200~a\tb\nc\x1b[201~");
  });

  test("is refused when it is empty, or too long for one plan", () => {
    expect(codeOf(() => planPrompt(RULES, { ...PASTED, text: "\n" }))).toBe("empty");
    expect(codeOf(() => planPrompt(RULES, { ...PASTED, text: "\x1b".repeat(200_000) }))).toBe("too_long");
  });
});

describe("a line for a shell", () => {
  const shell: Omit<PlannedText, "text"> = { takesPaste: true, unpasted: "raw" };

  test("is written as it is, and several lines as a paste where the shell asks for that", () => {
    expect(written(planLine({ ...shell, text: "ls" }))).toEqual(["ls", undefined, "\r", undefined]);
    expect(written(planLine({ ...shell, text: "" }))).toEqual(["\r", undefined]);
    expect(written(planLine({ ...shell, text: "a\nb\n" }))[0]).toBe("\x1b[200~a\nb\x1b[201~");
    expect(written(planLine({ ...shell, text: "a\nb\x1b[201~" }))[0]).toBe("a\nb\x1b[201~");
    expect(written(planLine({ ...shell, text: "a\nb", takesPaste: false }))[0]).toBe("a\nb");
  });

  test("may be refused where its lines would be taken one by one", () => {
    const careful: Omit<PlannedText, "text"> = { takesPaste: false, unpasted: "refuse" };
    expect(codeOf(() => planLine({ ...careful, text: "a\nb" }))).toBe("session_input_not_pasted");
    expect(written(planLine({ ...careful, text: "a\n" }))[0]).toBe("a");
  });
});
