import type { ParamsOf } from "@pohunek/protocol";
import { isProtocolError } from "@pohunek/protocol/wire";
import type { Transport } from "@pohunek/sdk";
import { connect } from "@pohunek/sdk";
import { until } from "../support/index.ts";

/** What a client gets that was cut off, or whose daemon is being started again. */
const CUT_OFF: readonly string[] = [
  "daemon_unreachable",
  "remote_daemon_unavailable",
  "host_unreachable",
  "session_runtime_reconnecting",
  "daemon_shutting_down",
  "io_error",
];

/** Asks again under the same id until there is an answer: the code of a refusal, or nothing. */
export async function sendUntilAnswered(
  transport: Transport,
  input: ParamsOf<"session.input">,
): Promise<string | undefined> {
  const { code } = await until(
    "an answer",
    async () => {
      try {
        await using client = await connect({ transport });
        await client.call("session.input", input);
        return { code: undefined };
      } catch (error) {
        if (!isProtocolError(error)) throw error;
        return CUT_OFF.includes(error.code) ? undefined : { code: error.code };
      }
    },
    30_000,
  );
  return code;
}
