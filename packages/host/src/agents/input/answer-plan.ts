import { encodeUtf8, protocolError } from "@pohunek/protocol/wire";
import type { WriteFragment } from "../../worker-api/write-reservations.ts";
import type { VisibleQuestion } from "../detection/activity.ts";

/** What may be moved over a list of options. */
const ARROWS = {
  down: { forward: "\x1b[B", back: "\x1b[A" },
  right: { forward: "\x1b[C", back: "\x1b[D" },
} as const;
const CONFIRM = encodeUtf8("\r");
/** A program draws the marker at its new place before it is looked at. */
const DRAW_MS = 100;

/**
 * The option that a choice means: the one with this number or letter, with this text, the n-th where the options show no
 * numbers, or the only one whose text begins so. Fails with session_answer_invalid.
 */
export function findOption({ options }: VisibleQuestion, choice: string): number {
  const wanted = fold(choice);
  const byKey = options.findIndex(({ key }) => key !== undefined && fold(key) === wanted);
  if (byKey !== -1) {
    return byKey;
  }
  const byLabel = options.findIndex(({ label }) => fold(label) === wanted);
  if (byLabel !== -1) {
    return byLabel;
  }
  const number = /^[0-9]+$/.test(wanted) ? Number(wanted) : 0;
  const hasNumbers = options.some(({ key }) => key !== undefined && /^[0-9]+$/.test(key));
  if (!hasNumbers && number >= 1 && number <= options.length) {
    return number - 1;
  }
  const begun = options.flatMap(({ label }, index) => (wanted !== "" && fold(label).startsWith(wanted) ? [index] : []));
  const [only] = begun;
  if (only === undefined || begun.length > 1) {
    throw protocolError("session_answer_invalid", {
      message: only === undefined ? "the question has no such option" : "several options begin with this text",
    });
  }
  return only;
}

/**
 * The keys that choose an option: its number, or the way from the marker to it and then Enter, which is the last fragment.
 * Fails with session_answer_unsupported where the rules don't say how, or no marker is seen: Enter alone could choose any.
 */
export function planAnswer({ options, choose }: VisibleQuestion, option: number): WriteFragment[] {
  const { key } = options[option] ?? {};
  if (choose === "number") {
    return [{ data: encodeUtf8(key ?? unsupported("the option shows no number")) }];
  }
  if (choose === undefined) {
    return unsupported("nothing says which keys choose an option of this question");
  }
  const marked = options.flatMap(({ isSelected }, index) => (isSelected ? [index] : []));
  const [marker] = marked;
  if (marker === undefined || marked.length > 1) {
    return unsupported("it is not seen which option is marked");
  }
  const { forward, back } = ARROWS[choose];
  const moves = option > marker ? forward.repeat(option - marker) : back.repeat(marker - option);
  const confirm = { data: CONFIRM };
  return moves === "" ? [confirm] : [{ data: encodeUtf8(moves), delayMs: DRAW_MS }, confirm];
}

/** Whether the last key of the plan chooses the option now. */
export function isConfirmable({ options, choose }: VisibleQuestion, option: number): boolean {
  return choose === "number" || options[option]?.isSelected === true;
}

function unsupported(message: string): never {
  throw protocolError("session_answer_unsupported", { message });
}

function fold(text: string): string {
  return text.trim().replace(/\.$/, "").toLowerCase();
}
