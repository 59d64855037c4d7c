import { resolve } from "node:path";
import type { ParamsOf, ResultOf } from "@pohunek/protocol";
import { isProtocolError, protocolError } from "@pohunek/protocol/wire";
import type { Client } from "@pohunek/sdk";
import type { CommandContext } from "../context.ts";
import { tellDoubleName } from "./name-clash.ts";

/**
 * Starts a session. A worker names no program in its messages, which go to logs; to who typed its name it is named here. When
 * the daemon dies over it, the next one tells what came of it.
 */
export async function startSession(
  context: CommandContext,
  client: Client,
  params: ParamsOf<"session.new">,
): Promise<ResultOf<"session.new">> {
  const startedAtMs = Date.now();
  try {
    const started = await client.call("session.new", params);
    await tellDoubleName(context, client, started);
    return started;
  } catch (error) {
    if (isProtocolError(error, "daemon_unreachable")) {
      const { findStarted } = await import("./find-started.ts");
      return await findStarted(context, { params, startedAtMs, error });
    }
    const [program] = params.command ?? [];
    if (program === undefined || !isProtocolError(error, "spawn_failed")) throw error;
    throw protocolError("spawn_failed", {
      message: `"${program}" could not be started: ${error.message}`,
      recover: error.recover ?? nextStep(context, program, params.cwd),
      cause: error,
    });
  }
}

function nextStep(context: CommandContext, program: string, cwd: string | undefined): string {
  const { statSync } = process.getBuiltinModule("node:fs");
  const path = resolve(cwd ?? context.settings.cwd, program);
  if (program.includes("/") && statSync(path, { throwIfNoEntry: false })?.isDirectory() === true) {
    return `Name a program. Your shell is started there by: ${context.settings.programName()} new --cwd ${program}`;
  }
  return "Check its name. Sessions have the PATH that the daemon was started with.";
}
