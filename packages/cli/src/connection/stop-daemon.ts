import { readFileSync } from "node:fs";
import { protocolError } from "@pohunek/protocol/wire";
import type { CommandContext } from "../context.ts";
import type { DaemonPlace } from "./runtime-root.ts";

/** The daemon promises to be gone five seconds after SIGTERM. */
const STOP_TIMEOUT_MS = 8_000;
/** The kernel tells nobody but a parent that a process has ended. */
const POLL_MS = 15;

/** Ends the local daemon and waits until it is gone. Returns its process id. */
export async function stopDaemon(context: CommandContext, place: DaemonPlace): Promise<number> {
  const pid = await daemonPid(context, place);
  process.kill(pid, "SIGTERM");
  const endsAt = performance.now() + STOP_TIMEOUT_MS;
  while (isAlive(pid)) {
    if (performance.now() > endsAt) {
      throw protocolError("request_timeout", {
        message: `the daemon (process ${pid}) did not end within ${STOP_TIMEOUT_MS / 1_000} s`,
      });
    }
    await Bun.sleep(POLL_MS);
  }
  return pid;
}

/** The process that listens on the socket, as the kernel knows it. */
async function daemonPid(context: CommandContext, place: DaemonPlace): Promise<number> {
  try {
    const socket = await Bun.connect({ unix: place.socketPath, socket: { data: () => undefined } });
    try {
      // Bun has it on every socket, but not in its types.
      const { fd } = socket as unknown as { readonly fd: number };
      const pid = context.terminal.calls.peerPid(fd);
      if (pid === undefined) throw new Error("the kernel does not tell the process behind the socket");
      return pid;
    } finally {
      socket.end();
    }
  } catch (cause) {
    throw protocolError("daemon_unreachable", { message: "no daemon answers, so there is none to stop", cause });
  }
}

/** A zombie has ended, whenever its parent takes note of it. */
function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch {
    // ESRCH: gone.
    return false;
  }
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    const state = stat.slice(stat.lastIndexOf(")") + 2, stat.lastIndexOf(")") + 3);
    return state !== "Z" && state !== "X";
  } catch {
    // No /proc on this system, or gone since the signal: a later look tells.
    return true;
  }
}
