import type { AttachMode } from "@pohunek/protocol/wire";
import { isOpaqueId, isProtocolError } from "@pohunek/protocol/wire";
import { attachDirectly } from "@pohunek/sdk";
import type { AttachTarget } from "../attach/attach-client.ts";
import { attachParams, FRESH_TERMINAL } from "../attach/attach-params.ts";
import { connectHost, daemonPlace } from "../connection/connect-host.ts";
import { unixTransport } from "../connection/unix-transport.ts";
import type { CommandContext } from "../context.ts";
import { attachOrigin } from "./attach-origin.ts";
import { parseTarget } from "./target.ts";

export interface DirectWish {
  readonly mode: AttachMode;
  /** The daemon has been asked, and thinks. */
  readonly onAsked: () => void;
}

/** What a proper search finds out more about, or does not have to fail for. */
const SEARCHED = ["session_not_found", "session_not_running", "daemon_unreachable", "version_mismatch", "bad_request"];

/**
 * Attaches to a session of this machine in one journey to the daemon, which takes half the time of a search and an attach.
 * Undefined when that does not do: a name that is no whole name of one session, an older daemon, or none. Over a relay
 * the session is found, and its stream still to be opened.
 */
export async function openDirectly(
  context: CommandContext,
  text: string,
  { mode, onAsked }: DirectWish,
): Promise<AttachTarget | undefined> {
  const { host, session } = parseTarget(text, context.host);
  if (host !== undefined || !isOpaqueId(session)) return undefined;
  const wish = { origin: attachOrigin(context), size: context.terminal.size(), repaint: FRESH_TERMINAL, mode };
  const origin = context.settings.origin();
  try {
    const opened = await attachDirectly({
      transport: unixTransport((await daemonPlace(context)).socketPath),
      ...(origin === undefined ? {} : { origin }),
      params: { ...attachParams(session, wish), by_name: true },
      pid: process.pid,
      client: () => connectHost(context),
      onAsked,
    });
    if (opened === undefined) return undefined;
    const { id, name = id } = opened.session;
    const found = { sessionId: id, label: name, roundTripMs: opened.roundTripMs };
    if (opened.stream !== undefined) return { ...found, stream: opened.stream };
    return { ...found, client: await connectHost(context) };
  } catch (error) {
    if (isProtocolError(error) && SEARCHED.includes(error.code)) return undefined;
    throw error;
  }
}
