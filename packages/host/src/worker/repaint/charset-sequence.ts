import type { CharsetState } from "../engine/terminal-state.ts";
import type { VtWriter } from "./vt-writer.ts";

const DESIGNATE = ["(", ")", "*", "+"] as const;
/** UTF-8 and ASCII print alike. */
const FINAL = ["B", "B", "A", "0"] as const;
const INVOKE_LEFT = ["\x0f", "\x0e", "\x1bn", "\x1bo"] as const;
const SINGLE_SHIFT = ["", "", "\x1bN", "\x1bO"] as const;

/** Character sets as a terminal has them after a reset, under which everything is painted. */
export const INITIAL_CHARSET: CharsetState = { sets: [0, 0, 0, 0], gl: 0, gr: 2, singleShift: undefined };

/**
 * Sets what differs between two states, but for GR: in UTF-8 it has no effect, and xterm.js takes the sequences that set it
 * for those of GL.
 */
export function changeCharset(writer: VtWriter, from: CharsetState, to: CharsetState): void {
  if (to === from) return;
  for (let index = 0; index < DESIGNATE.length; index += 1) {
    const final = FINAL[to.sets[index] ?? 0];
    if (final !== FINAL[from.sets[index] ?? 0]) writer.ascii(`\x1b${DESIGNATE[index]}${final}`);
  }
  if (to.gl !== from.gl) writer.ascii(INVOKE_LEFT[to.gl] ?? "");
  if (to.singleShift !== undefined) writer.ascii(SINGLE_SHIFT[to.singleShift] ?? "");
}

/** Brings any terminal into the initial state. */
export const RESET_CHARSETS = "\x1b(B\x1b)B\x1b*B\x1b+B\x0f";
