import type { SessionId } from "@pohunek/protocol/wire";
import { isProtocolError } from "@pohunek/protocol/wire";
import type { Client } from "@pohunek/sdk";

/** A last question to the daemon before the terminal is given back must not hold the user up. */
const TIMEOUT_MS = 150;

/** Row (from 1) of the last text on the session's screen; undefined when that is not known in time. */
export async function lastTextRow(connect: () => Promise<Client>, sessionId: SessionId): Promise<number | undefined> {
  try {
    const client = await connect();
    const screen = await client.call("session.screen", { session_id: sessionId }, { timeoutMs: TIMEOUT_MS });
    return screen.visible_lines.findLastIndex((line) => line.trim() !== "") + 1;
  } catch (error) {
    // The cursor's own row has to do.
    if (!isProtocolError(error)) throw error;
    return undefined;
  }
}
