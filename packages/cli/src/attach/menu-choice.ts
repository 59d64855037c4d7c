import type { SessionInfo } from "@pohunek/protocol";
import type { SessionId } from "@pohunek/protocol/wire";
import type { AttachOutcome, Detacher } from "./attach-outcome.ts";

/** What came of the menu. */
export type MenuChoice =
  | { readonly type: "back" }
  | { readonly type: "suspend" }
  /** Bytes of the menu's own key, for the session. */
  | { readonly type: "send"; readonly bytes: Uint8Array }
  /** Go on with this session: another one, or the same by another name. */
  | { readonly type: "session"; readonly sessionId: SessionId; readonly label: string }
  | { readonly type: "outcome"; readonly outcome: AttachOutcome };

export const BACK: MenuChoice = { type: "back" };

export function detached(by: Detacher): MenuChoice {
  return { type: "outcome", outcome: { type: "detached", by } };
}

/** The session has ended: there is nothing to go back to. */
export function ended(session: SessionInfo): MenuChoice {
  return { type: "outcome", outcome: { type: session.runtime?.state === "lost" ? "lost" : "ended", session } };
}
