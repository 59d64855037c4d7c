import type { ParamsOf } from "@pohunek/protocol";
import { LIMITS } from "@pohunek/protocol/wire";
import { command } from "../command-line/command.ts";
import { usageError } from "../command-line/usage-error.ts";
import { plainLines } from "../output/plain-text.ts";
import { openTarget } from "../sessions/open-target.ts";
import { SESSION_ARGUMENT } from "./arguments.ts";
import { readDecimal, readIdentity } from "./runtime-flags.ts";

const DEFAULT_BYTES = 16_384;

export const sessionOutput = command({
  name: "session output",
  aliases: ["output"],
  summary: "Print raw output that a session has kept, from any offset on",
  arguments: [SESSION_ARGUMENT],
  flags: {
    workerInstanceId: { type: "text", value: "ID", summary: "The worker that the offset belongs to" },
    runtimeId: { type: "text", value: "ID", summary: "The same, by its older name", isHidden: true },
    runtimeGeneration: { type: "text", value: "N", summary: "The generation of that worker" },
    afterOffset: { type: "text", value: "N", summary: "The first byte wanted; without it the newest bytes" },
    maxBytes: {
      type: "integer",
      value: "N",
      range: [1, LIMITS.outputRawBytes],
      summary: `At most so many bytes (default ${DEFAULT_BYTES})`,
    },
    waitMs: {
      type: "integer",
      value: "MS",
      range: [LIMITS.waitMinimumMs, LIMITS.waitMaximumMs],
      summary: "Wait so long for output beyond the offset",
    },
  },
  async run(context, { words, flags }) {
    const worker = flags.workerInstanceId ?? flags.runtimeId;
    const runtime = readIdentity(worker, flags.runtimeGeneration);
    if (flags.afterOffset !== undefined && runtime === undefined) {
      throw usageError("--after-offset needs --worker-instance-id and --runtime-generation");
    }
    if (flags.waitMs !== undefined && flags.afterOffset === undefined)
      throw usageError("--wait-ms needs --after-offset");
    await using target = await openTarget(context, words[0]);
    const params: ParamsOf<"session.output"> = {
      session_id: target.sessionId,
      max_bytes: flags.maxBytes ?? DEFAULT_BYTES,
      ...(runtime === undefined ? {} : { runtime }),
      ...(flags.afterOffset === undefined ? {} : { after_offset: readDecimal("--after-offset", flags.afterOffset) }),
      ...(flags.waitMs === undefined ? {} : { wait_ms: flags.waitMs }),
    };
    const result = await target.client.call("session.output", params);
    if (context.wantsJson) return { ok: result, human: () => "" };
    const bytes = Buffer.from(result.data_base64, "base64");
    // Raw for a file or a pipe; a terminal must not be driven by what another program once wrote.
    if (context.terminal.isOutput) context.output.print(plainLines(bytes.toString("utf8")));
    else context.output.printBytes(bytes);
    return 0;
  },
});
