import { isProtocolError } from "@pohunek/protocol/wire";
import { command } from "../command-line/command.ts";
import { usageError } from "../command-line/usage-error.ts";
import { connectHost, daemonPlace, requireLocal } from "../connection/connect-host.ts";
import type { CommandContext } from "../context.ts";

export const daemonStart = command({
  name: "daemon start",
  summary: "Start the daemon, here or in the background",
  details: [
    "Without --detach it runs here until Ctrl-C. Sessions never end with it. It is also started by run, new and up.",
  ],
  flags: {
    detach: { type: "switch", short: "d", summary: "In the background; returns when it answers" },
    devSubprocess: { type: "switch", summary: "Sessions are its children and end with it (for development)" },
  },
  async run(context, { flags }) {
    requireLocal(context.host);
    const place = await daemonPlace(context);
    const extra: Record<string, string> = flags.devSubprocess ? { POHUNEK_WORKER_LAUNCHER: "subprocess" } : {};
    if (!flags.detach) {
      if (context.wantsJson) throw usageError("daemon start prints JSON only with --detach");
      const { runDaemonHere } = await import("../connection/run-daemon-here.ts");
      return runDaemonHere(context, place, extra);
    }
    const wasRunning = await isRunning(context);
    if (!wasRunning) {
      const { startDaemon } = await import("../connection/start-daemon.ts");
      await startDaemon(context, place, extra);
    }
    await using client = await connectHost(context);
    const answer = await client.call("daemon.health");
    const what = wasRunning ? "runs already" : "runs now";
    return { ok: answer, human: () => `the daemon ${what}: ${answer.daemon_version}\n` };
  },
});

async function isRunning(context: CommandContext): Promise<boolean> {
  try {
    await using client = await connectHost(context);
    await client.call("daemon.health");
    return true;
  } catch (error) {
    if (!isProtocolError(error, "daemon_unreachable")) throw error;
    return false;
  }
}
