import type { SessionInfo } from "@pohunek/protocol";
import type { ProtocolError, SessionId } from "@pohunek/protocol/wire";
import { isProtocolError } from "@pohunek/protocol/wire";
import { isEnded } from "../sessions/state-words.ts";
import type { AttachLink, LinkEnd } from "./attach-link.ts";
import type { AttachOutcome } from "./attach-outcome.ts";
import type { ControlClient } from "./control-client.ts";

/** Why a stream has ended. */
export async function endOf(link: AttachLink, control: ControlClient): Promise<LinkEnd> {
  try {
    return await link.explainEnd(await control.open());
  } catch (error) {
    // Nobody there to be asked.
    if (!isProtocolError(error)) throw error;
    return { type: "disconnected" };
  }
}

/** What became of a session that can't be attached to again, for good. */
export async function fateOf(
  sessionId: SessionId,
  { control, error }: { control: ControlClient; error: ProtocolError },
): Promise<AttachOutcome> {
  const session = await inspect(control, sessionId).catch(() => undefined);
  if (session?.runtime?.state === "lost") return { type: "lost", session };
  if (session !== undefined && isEnded(session)) return { type: "ended", session };
  return { type: "failed", error };
}

async function inspect(control: ControlClient, sessionId: SessionId): Promise<SessionInfo> {
  return await (await control.open()).call("session.inspect", sessionId);
}
