import { dirname } from "node:path";
import type { ParamsOf, SessionInfo } from "@pohunek/protocol";
import { connectHost, daemonPlace, isAbsent } from "../connection/connect-host.ts";
import type { CommandContext } from "../context.ts";

/** The sessions of the host. Where neither a daemon nor a worker runs there are none, which is a failure in JSON only. */
export async function listPatiently(
  context: CommandContext,
  params: ParamsOf<"session.list">,
): Promise<readonly SessionInfo[]> {
  try {
    // Not closed: the process ends at once.
    const client = await connectHost(context);
    return await client.call("session.list", params);
  } catch (error) {
    if (context.wantsJson || !isAbsent(error) || (await hasWorkers(context))) throw error;
    context.output.complain("The daemon is not running, and neither is any session.\n");
    return [];
  }
}

/** Sessions go on without their daemon; each has a folder beside its socket as long as its worker runs. */
async function hasWorkers(context: CommandContext): Promise<boolean> {
  const { socketPath } = await daemonPlace(context);
  const { existsSync, readdirSync } = process.getBuiltinModule("node:fs");
  const workers = `${dirname(socketPath)}/workers`;
  return existsSync(workers) && readdirSync(workers).length > 0;
}
