import type { CommandContext } from "../context.ts";
import { plainText } from "../output/plain-text.ts";
import { confirm } from "../terminal/confirm.ts";
import { remoteHost } from "./target.ts";

/** Starting something on another host needs a person's yes, or `--yes` where nobody can be asked. */
export function confirmRemoteStart(context: CommandContext, isConfirmed: boolean): void {
  const host = remoteHost(context.host);
  if (host === undefined || isConfirmed) return;
  confirm(context, { question: `Start a session on ${plainText(host)}?`, what: `starting a session on ${host}` });
}
