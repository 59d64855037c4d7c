import { protocolError } from "@pohunek/protocol/wire";
import type { CommandContext } from "../context.ts";
import { plainText } from "../output/plain-text.ts";
import { readAnswer } from "../terminal/standard-input.ts";
import { remoteHost } from "./target.ts";

/** Starting something on another host needs a person's yes, or `--yes` where nobody can be asked. */
export function confirmRemoteStart(context: CommandContext, isConfirmed: boolean): void {
  const host = remoteHost(context.host);
  if (host === undefined || isConfirmed) return;
  if (context.wantsJson || !context.terminal.isInput || !context.terminal.isErrors) {
    throw protocolError("confirmation_required", { message: `starting a session on ${host} needs a confirmation` });
  }
  context.output.complain(`Start a session on ${plainText(host)}? [y/N] `);
  if (!/^y(?:es)?$/i.test(readAnswer() ?? "")) throw protocolError("confirmation_declined");
}
