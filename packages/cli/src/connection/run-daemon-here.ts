import type { CommandContext } from "../context.ts";
import type { DaemonPlace } from "./runtime-root.ts";
import { daemonCommand } from "./start-daemon.ts";

/** Runs the daemon on this terminal until it ends, and returns its exit code. */
export async function runDaemonHere(
  context: CommandContext,
  place: DaemonPlace,
  extra: Readonly<Record<string, string>>,
): Promise<number> {
  const daemon = Bun.spawn([process.execPath], {
    ...daemonCommand(context, place, extra),
    stdin: "ignore",
    stdout: "inherit",
    stderr: "inherit",
  });
  // The terminal's Ctrl-C reaches both; this program only has to wait for the other's end.
  using _interrupt = context.signals.on("SIGINT", () => undefined);
  using _terminate = context.signals.on("SIGTERM", () => daemon.kill("SIGTERM"));
  using _hangup = context.signals.on("SIGHUP", () => daemon.kill("SIGTERM"));
  return await daemon.exited;
}
