import type { ProtocolError } from "@pohunek/protocol/wire";
import { isProtocolError } from "@pohunek/protocol/wire";
import { isRestartFailure } from "../connection/restart-failure.ts";
import type { Mailbox } from "../mailbox.ts";
import type { AttachEvent } from "./attach-event.ts";
import type { AttachInput } from "./attach-input.ts";
import type { AttachOutcome } from "./attach-outcome.ts";
import type { LocalScreen } from "./local-screen.ts";

/** A restarting daemon is back within this time, or its user has to be told. */
const WINDOW_MS = 20_000;
const STEP_MS = 500;
/** A restart that takes no longer is not worth a word on the screen. */
const QUIET_MS = 800;

export interface ReconnectRequest {
  readonly events: Mailbox<AttachEvent>;
  readonly screen: LocalScreen;
  readonly input: AttachInput;
  /** Gives the terminal back to the shell, stops, and settles when the shell lets this program go on. */
  readonly stop: () => Promise<void>;
  /** How the key is called that leaves. */
  readonly leaveKey: string;
  /** Attaches again. Undefined means success; throws what stopped it. */
  readonly tryOnce: () => Promise<AttachOutcome | undefined>;
}

/** True for failures of an attach that a restart of the daemon explains. */
export function isTemporary(error: ProtocolError): boolean {
  // A stream id of the daemon that has gone is unknown to the next.
  return isRestartFailure(error) || error.code === "attach_not_found";
}

/** Tries to get back to a session whose daemon has gone away. Undefined when that worked. */
export async function reconnect(request: ReconnectRequest): Promise<AttachOutcome | undefined> {
  const startedMs = performance.now();
  let isTold = false;
  const stop = async (): Promise<void> => {
    await request.stop();
    // The keys are ours again, and what the shell printed meanwhile is not to be written over.
    request.screen.begin();
    isTold = false;
  };
  for (;;) {
    let failure: ProtocolError;
    try {
      return await request.tryOnce();
    } catch (error) {
      if (!isProtocolError(error) || !isTemporary(error)) throw error;
      failure = error;
    }
    // Else it is the daemon that can't be asked.
    const isWorker = failure.code === "session_runtime_reconnecting";
    const elapsedMs = performance.now() - startedMs;
    if (elapsedMs >= WINDOW_MS) return isWorker ? { type: "failed", error: failure } : { type: "unreachable" };
    if (!isTold && elapsedMs >= QUIET_MS) {
      isTold = true;
      const { screen, leaveKey } = request;
      const what = isWorker ? "the session does not answer" : "the daemon does not answer; the session goes on";
      screen.showNotice(` ${what}, trying again (${leaveKey} leaves) `);
    }
    const outcome = await waitForUser({ ...request, stop }, STEP_MS);
    if (outcome !== undefined) return outcome;
  }
}

/** While the session is not connected: an outcome, when the user wants to leave. */
export async function waitForUser(
  { events, input, stop }: Pick<ReconnectRequest, "events" | "input" | "stop">,
  ms: number,
): Promise<AttachOutcome | undefined> {
  const event = await events.next(ms);
  switch (event?.type) {
    case "key":
      if (event.action === "detach") return { type: "detached", by: "key" };
      // There is nothing that a menu could do now.
      input.release();
      return undefined;
    case "signal":
      return { type: "detached", by: event.name };
    case "gone":
      return { type: "detached", by: "terminal" };
    case "suspend":
      await stop();
      return undefined;
    default:
      return undefined;
  }
}
