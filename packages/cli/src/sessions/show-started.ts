import type { SessionInfo } from "@pohunek/protocol";
import { isProtocolError, protocolError } from "@pohunek/protocol/wire";
import type { Client } from "@pohunek/sdk";
import { connectNext } from "../connection/connect-next.ts";
import { isRestartFailure } from "../connection/restart-failure.ts";
import type { CommandContext } from "../context.ts";
import { plainText } from "../output/plain-text.ts";
import { shellWord } from "../output/shell-word.ts";
import { targetOf } from "./open-target.ts";
import type { ShowOptions } from "./show-session.ts";

/**
 * Shows a session that this command has just started or found. When its daemon goes away before that, another one is asked,
 * once; a failure says that the session is there.
 */
export async function showStarted(
  context: CommandContext,
  started: { readonly client: Client; readonly session: SessionInfo },
  options: ShowOptions,
): Promise<number> {
  const { showSession } = await import("./show-session.ts");
  const { client, session } = started;
  try {
    return await showSession(context, Promise.resolve(targetOf(client, session)), options);
  } catch (error) {
    if (!isProtocolError(error) || !isRestartFailure(error)) throw error;
  }
  try {
    await using again = await connectNext(context);
    return await showSession(context, Promise.resolve(targetOf(again, session)), options);
  } catch (error) {
    if (!isProtocolError(error) || !isRestartFailure(error)) throw error;
    const name = plainText(session.name ?? session.id);
    throw protocolError("daemon_unreachable", {
      message: `"${name}" was started and goes on, but it can't be shown: ${error.message}`,
      recover: `${context.settings.programName()} attach ${shellWord(name)}`,
      cause: error,
    });
  }
}
