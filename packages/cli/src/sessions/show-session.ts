import { attachSession } from "../attach/attach-client.ts";
import { DETACH_KEY, MENU_KEY } from "../attach/attach-keys.ts";
import { attachExitCode } from "../attach/attach-outcome.ts";
import { connectHost } from "../connection/connect-host.ts";
import type { CommandContext } from "../context.ts";
import type { OpenTarget } from "./open-target.ts";

export interface ShowOptions {
  readonly hasMenu: boolean;
}

/** Attaches the terminal to a session until the user leaves or it ends. Returns the exit code. */
export async function showSession(context: CommandContext, target: OpenTarget, options: ShowOptions): Promise<number> {
  const workerId = context.settings.originWorkerId;
  const outcome = await attachSession({
    sessionId: target.sessionId,
    label: target.label,
    client: target.client,
    reconnect: () => connectHost(context),
    origin: { ...context.settings.origin(), ...(workerId === undefined ? {} : { origin_worker_id: workerId }) },
    keys: options.hasMenu ? [DETACH_KEY, MENU_KEY] : [DETACH_KEY],
    terminal: context.terminal,
    signals: context.signals,
  });
  return attachExitCode(outcome);
}
