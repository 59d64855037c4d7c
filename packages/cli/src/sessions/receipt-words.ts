import type { InputReceipt } from "@pohunek/protocol";
import { plainText } from "../output/plain-text.ts";

const WORDS: Readonly<Record<string, string>> = {
  queued: "queued",
  written: "written",
  echoed: "on its screen",
  turn_started: "it works on it",
  refused: "refused",
  expired: "expired",
  unknown: "not known",
};

/** How far an input has come, as people read it. */
export function inputStateText({ state, code, mid_turn: midTurn, is_left_over: isLeftOver }: InputReceipt): string {
  const word = WORDS[state] ?? plainText(state);
  const reason = code === undefined ? "" : ` (${plainText(code)})`;
  const turn = midTurn === undefined ? "" : `, ${plainText(midTurn)} in the middle of a turn`;
  return `${word}${reason}${turn}${isLeftOver ? ", left in the composer" : ""}`;
}
