import { isProtocolError } from "@pohunek/protocol/wire";
import type { Client } from "@pohunek/sdk";
import type { CommandContext } from "../context.ts";
import { connectHost } from "./connect-host.ts";

/** A process that was killed may keep its socket for a moment, and whoever connects to that is cut off. */
const SETTLE_MS = 3_000;
const STEP_MS = 50;

/** Connects to the daemon after one that has just died, and starts it. */
export async function connectNext(context: CommandContext): Promise<Client> {
  const endsAt = performance.now() + SETTLE_MS;
  for (;;) {
    try {
      const client = await connectHost(context, { startsDaemon: true });
      await client.handshake();
      return client;
    } catch (error) {
      if (!isProtocolError(error, "daemon_unreachable") || performance.now() >= endsAt) throw error;
      await Bun.sleep(STEP_MS);
    }
  }
}
