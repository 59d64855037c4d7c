import { protocolError } from "@pohunek/protocol/wire";
import type { InputRules } from "../runtime-definition.ts";

const LINE_ENDS = /\r\n?/g;
const LAST_LINE_ENDS = /[\r\n]+$/;
const TAB = 0x09;
const LINE_FEED = 0x0a;
const DELETE = 0x7f;
/** U+2400 and following show the control characters as pictures; U+2421 shows DELETE. */
const PICTURES = 0x2400;
const PICTURE_OF_DELETE = "\u2421";
/** C1 controls have no pictures, and some terminals act on them as on escape sequences. */
const REPLACEMENT = "\ufffd";
const CONTROLS = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g;

/**
 * The text of a prompt as an agent may get it: its last line ends gone, since they would travel inside the paste and leave
 * the prompt in the composer, and without a byte that means something to a terminal. Where the policy is `unrestricted` such
 * bytes are shown as pictures; where it allows only plain text they are refused with session_input_rejected.
 */
export function preparePrompt(text: string, policy: InputRules["textPolicy"]): string {
  const lines = text.replace(LINE_ENDS, "\n").replace(LAST_LINE_ENDS, "");
  if (policy === "unrestricted") {
    return lines.replace(CONTROLS, pictureOf);
  }
  const index = lines.search(CONTROLS);
  if (index !== -1) {
    throw protocolError("session_input_rejected", {
      message: `the agent takes plain text only, and there is a control character at position ${index}`,
      details: { reason: "control_character", position: index },
    });
  }
  return lines;
}

function pictureOf(control: string): string {
  const code = control.charCodeAt(0);
  if (code === DELETE) {
    return PICTURE_OF_DELETE;
  }
  const isControl = code < 0x20 && code !== TAB && code !== LINE_FEED;
  return isControl ? String.fromCharCode(PICTURES + code) : REPLACEMENT;
}

/** One line end at the end of a text is how files and pipes end; it is not a line of its own. */
export function withoutLastLineEnd(text: string): string {
  return text.replace(/\r?\n$/, "");
}
