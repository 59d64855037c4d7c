import type { AttachMode } from "@pohunek/protocol/wire";
import { isProtocolError } from "@pohunek/protocol/wire";
import type { AttachTarget } from "../attach/attach-client.ts";
import { attachSession } from "../attach/attach-client.ts";
import type { AttachKey } from "../attach/attach-keys.ts";
import type { AttachOutcome } from "../attach/attach-outcome.ts";
import { attachExitCode } from "../attach/attach-outcome.ts";
import { connectHost } from "../connection/connect-host.ts";
import type { CommandContext } from "../context.ts";
import { attachOrigin } from "./attach-origin.ts";

export interface ShowOptions {
  readonly hasMenu: boolean;
  /** Default: interactive. */
  readonly mode?: AttachMode;
  /** Prints the output of a session that has ended before it could be shown, instead of refusing. */
  readonly printsEnded?: boolean;
}

/** Attaches the terminal to a session until the user leaves or it ends. Returns the exit code. */
export async function showSession(
  context: CommandContext,
  target: Promise<AttachTarget>,
  options: ShowOptions,
): Promise<number> {
  try {
    return attachExitCode(await attachTarget(context, target, options));
  } catch (error) {
    if (!isProtocolError(error, "session_not_running")) throw error;
    const { showEnded } = await import("./show-ended.ts");
    return await showEnded(context, await target, options.printsEnded === true);
  }
}

function attachTarget(
  context: CommandContext,
  target: Promise<AttachTarget>,
  options: ShowOptions,
): Promise<AttachOutcome> {
  return attachSession({
    target,
    reconnect: () => connectHost(context),
    origin: attachOrigin(context),
    mode: options.mode ?? "interactive",
    keys: () => attachKeys(context, options.hasMenu),
    terminal: context.terminal,
    signals: context.signals,
  });
}

async function attachKeys({ settings }: CommandContext, hasMenu: boolean): Promise<readonly AttachKey[]> {
  const { loadAttachKeys } = await import("../attach/attach-settings.ts");
  const keys = await loadAttachKeys(settings);
  return hasMenu ? keys : keys.filter(({ action }) => action !== "menu");
}
