import { isRecord } from "@pohunek/protocol/wire";
import { findHandler } from "../agents/integration/handlers/find-handler.ts";
import { platform } from "../platform/index.ts";
import { readPlace } from "./config.ts";
import { deliver } from "./deliver.ts";
import { writeTrace } from "./trace.ts";

/** More than an agent tells about an event; what is longer is not read to its end. */
const STDIN_BYTES = 65_536;
/** Agents wait for their hooks, some with the user. */
const TOTAL_MS = 4000;

/**
 * `pohunek hook HANDLER EVENT`: what agents' settings run. Tells the session's worker the few names that it may know, and
 * always returns 0, since a hook that fails would hold up its agent. Who reports what is checked before anything is read.
 */
export async function main(args: readonly string[], env: NodeJS.ProcessEnv): Promise<number> {
  const place = readPlace(env);
  if (place === undefined) {
    return 0;
  }
  const [id = "", event = ""] = args;
  const trace = (reason: string, type?: string): void => {
    if (place.trace !== undefined) {
      writeTrace(place.trace, { handler: id, event, type, reason });
    }
  };
  const handler = findHandler(id);
  const read = handler !== undefined && Object.hasOwn(handler.events, event) ? handler.events[event] : undefined;
  if (handler === undefined || read === undefined) {
    trace("unknown_action");
    return 0;
  }
  const sequence = platform.self.nanosecondsSinceBoot();
  const report = async (): Promise<void> => {
    const payload = await readPayload();
    if (typeof payload === "string") {
      trace(payload);
      return;
    }
    for (const message of read(payload)) {
      const reason = await deliver(message, { place, handler, processes: platform.processes, sequence });
      if (reason !== undefined) {
        trace(reason, message.type);
      }
    }
  };
  await Promise.race([
    report().catch(() => trace("internal_failure")),
    Bun.sleep(TOTAL_MS).then(() => trace("timed_out")),
  ]);
  return 0;
}

/** The agent's JSON, or why there is none. */
async function readPayload(): Promise<Readonly<Record<string, unknown>> | "oversized" | "not_json"> {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of Bun.stdin.stream()) {
    bytes += chunk.length;
    if (bytes > STDIN_BYTES) {
      return "oversized";
    }
    chunks.push(chunk);
  }
  try {
    const value: unknown = JSON.parse(Buffer.concat(chunks).toString("utf8"));
    return isRecord(value) ? value : "not_json";
  } catch {
    // SyntaxError: whatever it is, it is no event.
    return "not_json";
  }
}
