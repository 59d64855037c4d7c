import { ptr } from "bun:ffi";
import type { PeerIdentity } from "../platform.ts";
import { libc } from "./libc.ts";
import { processCalls } from "./processes.ts";

const SOL_SOCKET = 1;
const SO_PEERCRED = 17;

/** SO_PEERCRED: credentials of the process that connected, as they were when it did. */
export function readPeer(fd: number): PeerIdentity | undefined {
  const credentials = new Int32Array(3);
  const length = new Uint32Array([credentials.byteLength]);
  if (libc.getsockopt(fd, SOL_SOCKET, SO_PEERCRED, ptr(credentials), ptr(length)) < 0) {
    return undefined;
  }
  const [pid = 0, uid = -1, gid = -1] = credentials;
  // Pid 0: a process of another pid namespace, or no peer (a TCP socket answers so).
  return pid > 0 ? { pid, uid, gid, startIdentity: processCalls.read(pid)?.startIdentity } : undefined;
}
