import { closeSync, readSync } from "node:fs";
import { uptime } from "node:os";
import type { StandbyOrder } from "../worker-api/bootstrap.ts";

const LINE_BYTES = 8_192;
const LINE_FEED = 0x0a;

/**
 * Waits for the arguments of the worker that this process is to become; all of it sleeps in one read. Undefined when the
 * daemon has ended without a use for it, or when they come so late that another one has been started: a process may be
 * stopped for any time.
 */
export function waitForArguments(standbyFd: number): readonly string[] | undefined {
  try {
    const line = readLine(standbyFd);
    const order = line === undefined ? undefined : (JSON.parse(line) as StandbyOrder);
    return order !== undefined && uptime() <= order.use_by_s ? order.args : undefined;
  } finally {
    closeSync(standbyFd);
  }
}

function readLine(fd: number): string | undefined {
  const buffer = Buffer.alloc(LINE_BYTES);
  let filled = 0;
  while (filled < LINE_BYTES) {
    const count = readSync(fd, buffer, filled, LINE_BYTES - filled, null);
    if (count === 0) {
      return undefined;
    }
    filled += count;
    const end = buffer.subarray(0, filled).indexOf(LINE_FEED);
    if (end !== -1) {
      return buffer.toString("utf8", 0, end);
    }
  }
  return undefined;
}
