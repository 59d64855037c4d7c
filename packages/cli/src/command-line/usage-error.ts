import type { ProtocolError } from "@pohunek/protocol/wire";
import { protocolError } from "@pohunek/protocol/wire";

/** The command line is wrong; `recover` says how it would be right. */
export function usageError(message: string, recover?: string): ProtocolError<"cli_usage"> {
  return protocolError("cli_usage", { message, recover });
}
