import type { ParamsOf, ResultOf } from "@pohunek/protocol";
import type { ErrorCode } from "@pohunek/protocol/wire";
import { isProtocolError } from "@pohunek/protocol/wire";
import type { Client } from "@pohunek/sdk";
import { connectHost } from "../connection/connect-host.ts";
import type { CommandContext } from "../context.ts";

/** The connection, not the session, has failed: whether the input was written is not known. */
const CUT_OFF: readonly ErrorCode[] = [
  "daemon_unreachable",
  "daemon_shutting_down",
  "remote_daemon_unavailable",
  "host_unreachable",
  "request_timeout",
  "session_runtime_reconnecting",
  "io_error",
];
/** A daemon that was restarted is back by then. */
const WINDOW_MS = 20_000;
const STEP_MS = 200;

type InputParams = ParamsOf<"session.input"> & { input_id: string };

/** Sends an input that has an id, again when the connection was cut: its id keeps it from being written twice. */
export async function sendOnce(
  context: CommandContext,
  client: Client,
  params: InputParams,
): Promise<ResultOf<"session.input">> {
  const endsAt = performance.now() + WINDOW_MS;
  let connected = client;
  for (;;) {
    try {
      return await connected.call("session.input", params);
    } catch (error) {
      const isCutOff = CUT_OFF.some((code) => isProtocolError(error, code));
      if (!isCutOff || performance.now() > endsAt) throw error;
    } finally {
      if (connected !== client) await connected.close();
    }
    await Bun.sleep(STEP_MS);
    connected = await connectAgain(context, endsAt);
  }
}

async function connectAgain(context: CommandContext, endsAt: number): Promise<Client> {
  for (;;) {
    try {
      return await connectHost(context);
    } catch (error) {
      if (!isProtocolError(error, "daemon_unreachable") || performance.now() > endsAt) throw error;
    }
    await Bun.sleep(STEP_MS);
  }
}
