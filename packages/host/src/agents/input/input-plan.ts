import { encodeUtf8, protocolError } from "@pohunek/protocol/wire";
import { WORKER_LIMITS } from "../../worker-api/limits.ts";
import type { WriteFragment } from "../../worker-api/write-reservations.ts";
import type { InputRules } from "../runtime-definition.ts";
import { preparePrompt, withoutLastLineEnd } from "./prompt-text.ts";

const PASTE_BEGIN = "\x1b[200~";
const PASTE_END = "\x1b[201~";
const SUBMIT = encodeUtf8("\r");

/** What becomes of several lines for a program that did not ask for pastes, and would take each line for itself. */
export type Unpasted = "raw" | "refuse";

export interface PlannedText {
  readonly text: string;
  /** The program's own wish, as its terminal is now (mode 2004). */
  readonly takesPaste: boolean;
  readonly unpasted: Unpasted;
}

/**
 * A prompt for an agent, as two fragments: the body, which clears what is in the composer, and the byte that submits, which
 * comes after the silence that the agent needs. Text is marked as a paste only while the program asks for that.
 */
export function planPrompt(rules: InputRules, { text, takesPaste, unpasted }: PlannedText): WriteFragment[] {
  const prompt = preparePrompt(text, rules.textPolicy);
  if (prompt === "") {
    throw protocolError("session_input_rejected", {
      message: "there is nothing to submit, and a key alone is not sent to an agent",
      details: { reason: "empty" },
    });
  }
  const isPaste = rules.bracketedPaste && takesPaste;
  if (!isPaste && unpasted === "refuse" && prompt.includes("\n")) {
    throw notPasted();
  }
  const clear = rules.clearLine?.keys.repeat(rules.clearLine.repeat) ?? "";
  const body = encodeUtf8(isPaste ? `${clear}${PASTE_BEGIN}${prompt}${PASTE_END}` : `${clear}${prompt}`);
  if (body.length + SUBMIT.length > WORKER_LIMITS.planBytes) {
    throw protocolError("session_input_rejected", {
      message: "the text is too long once its control characters are shown as pictures",
      details: { reason: "too_long" },
    });
  }
  return [{ data: body, delayMs: rules.submitDelayMs }, { data: SUBMIT }];
}

/** Clears the composer and submits nothing; undefined where the agent's package says no way to do it. */
export function planClear({ clearLine }: InputRules): WriteFragment[] | undefined {
  return clearLine === undefined ? undefined : [{ data: encodeUtf8(clearLine.keys.repeat(clearLine.repeat)) }];
}

/**
 * A line for a shell or any other program, which gets bytes as they are. One that asked for bracketed paste gets several
 * lines as one paste, so that they are run together. A text with escape sequences of its own could end the paste early, so
 * it is never wrapped.
 */
export function planLine({ text, takesPaste, unpasted }: PlannedText): WriteFragment[] {
  const line = withoutLastLineEnd(text);
  const hasLines = line.includes("\n");
  const isPaste = takesPaste && hasLines && !line.includes("\x1b");
  if (hasLines && !isPaste && unpasted === "refuse") {
    throw notPasted();
  }
  const body = encodeUtf8(isPaste ? `${PASTE_BEGIN}${line}${PASTE_END}` : line);
  return body.length === 0 ? [{ data: SUBMIT }] : [{ data: body }, { data: SUBMIT }];
}

function notPasted(): Error {
  return protocolError("session_input_not_pasted");
}
