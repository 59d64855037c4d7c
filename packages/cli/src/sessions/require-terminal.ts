import { usageError } from "../command-line/usage-error.ts";
import type { CommandContext } from "../context.ts";

/** Showing a session takes a keyboard and a screen. */
export function requireTerminal({ terminal }: CommandContext, what: string): void {
  if (terminal.isInput && terminal.isOutput) return;
  throw usageError(`${what} needs a terminal for its input and output`, "pohunek screen, pohunek send");
}
