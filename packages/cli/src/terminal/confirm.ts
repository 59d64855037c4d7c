import { protocolError } from "@pohunek/protocol/wire";
import type { CommandContext } from "../context.ts";
import { readAnswer } from "./standard-input.ts";

/** Asks a person. Fails with confirmation_declined, and with confirmation_required where nobody can be asked. */
export function confirm(context: CommandContext, { question, what }: { question: string; what: string }): void {
  if (context.wantsJson || !context.terminal.isInput || !context.terminal.isErrors) {
    throw protocolError("confirmation_required", { message: `${what} needs a confirmation` });
  }
  context.output.complain(`${question} [y/N] `);
  if (!/^y(?:es)?$/i.test(readAnswer() ?? "")) throw protocolError("confirmation_declined");
}
