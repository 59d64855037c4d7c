import type { ProtocolError } from "@pohunek/protocol/wire";
import { isProtocolError, protocolError } from "@pohunek/protocol/wire";
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

export interface UserWait {
  readonly events: Mailbox<AttachEvent>;
  readonly input: AttachInput;
  /** Gives the terminal back to the shell, stops, and settles when the shell lets this program go on. */
  readonly stop: () => Promise<void>;
}

interface ReconnectRequest extends UserWait {
  readonly screen: LocalScreen;
  /** Whether the session is shown again, which is the case a moment before `tryOnce` settles. */
  readonly isOpen: () => boolean;
  /** How the key is called that leaves. */
  readonly leaveKey: string;
  /** Attaches again. Undefined means success; throws what stopped it, or the signal's reason. */
  readonly tryOnce: (signal: AbortSignal) => Promise<AttachOutcome | undefined>;
}

/** True for failures of an attach that a restart of the daemon explains. */
export function isTemporary(error: ProtocolError): boolean {
  // A stream id of the daemon that has gone is unknown to the next.
  return isRestartFailure(error) || error.code === "attach_not_found";
}

/** Tries to get back to a session whose daemon has gone away or hangs. Undefined when that worked. */
export async function reconnect(request: ReconnectRequest): Promise<AttachOutcome | undefined> {
  const patience = new Patience(request);
  for (;;) {
    const trying = new AbortController();
    const attempt = begin(request, trying.signal);
    while (attempt.result === undefined && !trying.signal.aborted) {
      const left = await patience.wait(() => trying.abort());
      if (left === undefined) continue;
      trying.abort();
      return left;
    }
    if (trying.signal.aborted) continue;
    if (attempt.result?.error === undefined) return attempt.result?.outcome;
    const left = await patience.waitAfter(attempt.result.error);
    if (left !== undefined) return left;
  }
}

interface Attempt {
  result: { readonly outcome?: AttachOutcome | undefined; readonly error?: unknown } | undefined;
}

/** An attempt whose end wakes who waits for an event. */
function begin({ tryOnce, events }: ReconnectRequest, signal: AbortSignal): Attempt {
  const attempt: Attempt = { result: undefined };
  const settle = (result: Attempt["result"]): void => {
    attempt.result = result;
    events.put({ type: "typed" });
  };
  tryOnce(signal).then(
    (outcome) => settle({ outcome }),
    (error: unknown) => settle({ error: error ?? new Error("the attach failed") }),
  );
  return attempt;
}

/** The user while it is tried: told when it takes long, heard all the time, and asked for no more than the whole time. */
class Patience {
  readonly #request: ReconnectRequest;
  readonly #startedMs = performance.now();
  #isTold = false;
  /** Why it did not work the last time; undefined while the first attempt is not answered. */
  #failure: ProtocolError | undefined;

  constructor(request: ReconnectRequest) {
    this.#request = request;
  }

  /** Waits a moment. An outcome when the user leaves or the time is over; `onStop` is called before this program is stopped. */
  async wait(onStop: () => void): Promise<AttachOutcome | undefined> {
    const elapsedMs = performance.now() - this.#startedMs;
    if (elapsedMs >= WINDOW_MS) return this.#giveUp();
    if (!this.#isTold && elapsedMs >= QUIET_MS) this.#tell();
    const { events, isOpen } = this.#request;
    const event = await events.next(this.#isTold ? STEP_MS : Math.min(STEP_MS, QUIET_MS - elapsedMs));
    if (event !== undefined && isOpen()) {
      // It has just worked: this is for whoever goes on.
      events.put(event);
      return undefined;
    }
    return reactTo(event, { ...this.#request, stop: () => this.#stop(onStop) });
  }

  /** The pause behind an attempt that failed for a reason that may pass; any other reason is thrown. */
  async waitAfter(error: unknown): Promise<AttachOutcome | undefined> {
    if (!isProtocolError(error) || !isTemporary(error)) throw error;
    // Which of them does not answer is another thing to tell.
    if (error.code !== this.#failure?.code) this.#isTold = false;
    this.#failure = error;
    return this.wait(() => undefined);
  }

  get #isWorker(): boolean {
    return this.#failure?.code === "session_runtime_reconnecting";
  }

  #tell(): void {
    const { screen, input, leaveKey } = this.#request;
    this.#isTold = true;
    // A menu may have left it held, and the key that leaves must be heard.
    input.release();
    const what = this.#isWorker ? "the session does not answer" : "the daemon does not answer; the session goes on";
    screen.showNotice(` ${what}, trying again (${leaveKey} leaves) `);
  }

  #giveUp(): AttachOutcome {
    if (this.#failure !== undefined && !this.#isWorker) return { type: "unreachable" };
    const hangs = { message: "the daemon does not answer", recover: "pohunek daemon restart" };
    return { type: "failed", error: this.#failure ?? protocolError("request_timeout", hangs) };
  }

  async #stop(onStop: () => void): Promise<void> {
    onStop();
    await this.#request.stop();
    // The keys are ours again, and what the shell printed meanwhile is not to be written over.
    this.#request.screen.begin();
    this.#isTold = false;
  }
}

/** While the session is not connected: an outcome, when the user wants to leave. */
export async function waitForUser(wait: UserWait, ms: number): Promise<AttachOutcome | undefined> {
  return reactTo(await wait.events.next(ms), wait);
}

async function reactTo(
  event: AttachEvent | undefined,
  { input, stop }: Pick<UserWait, "input" | "stop">,
): Promise<AttachOutcome | undefined> {
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
