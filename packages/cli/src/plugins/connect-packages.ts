import { protocolError } from "@pohunek/protocol/wire";
import type { Client } from "@pohunek/sdk";
import { connectHost } from "../connection/connect-host.ts";
import type { CommandContext } from "../context.ts";
import { remoteHost } from "../sessions/target.ts";

/** Packages are managed on the host itself: another host is refused before anything is asked. */
export async function connectPackages(context: CommandContext): Promise<Client> {
  if (remoteHost(context.host) !== undefined) throw protocolError("plugin_local_only");
  return await connectHost(context, { startsDaemon: true });
}
