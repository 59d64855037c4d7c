import type { ParamsOf, ResultOf } from "@pohunek/protocol";
import { isProtocolError, protocolError } from "@pohunek/protocol/wire";
import type { Client } from "@pohunek/sdk";

/** Starts a session. A worker names no program in its messages, which go to logs; to who typed its name it is named here. */
export async function startSession(client: Client, params: ParamsOf<"session.new">): Promise<ResultOf<"session.new">> {
  try {
    return await client.call("session.new", params);
  } catch (error) {
    const [program] = params.command ?? [];
    if (program === undefined || !isProtocolError(error, "spawn_failed")) throw error;
    throw protocolError("spawn_failed", {
      message: `"${program}" could not be started: ${error.message}`,
      recover: error.recover ?? "Check its name. Sessions have the PATH that the daemon was started with.",
      cause: error,
    });
  }
}
