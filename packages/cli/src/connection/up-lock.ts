import { closeSync, openSync } from "node:fs";
import type { CommandContext } from "../context.ts";
import { daemonPlace } from "./connect-host.ts";

/**
 * Waits until no other `up` of this user looks for its session, and keeps the others out until it is disposed of. The
 * daemon must run: its folder holds the lock. The kernel gives the lock back when this process ends in any way.
 */
export async function lockUp(context: CommandContext): Promise<Disposable> {
  const { runtimeDir } = await daemonPlace(context);
  const fd = openSync(`${runtimeDir}/pohunek/up.lock`, "a", 0o600);
  context.terminal.calls.lock(fd);
  return { [Symbol.dispose]: () => closeSync(fd) };
}
