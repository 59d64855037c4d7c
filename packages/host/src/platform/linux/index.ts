import type { Platform } from "../platform.ts";
import { fileCalls } from "./files.ts";
import { readPeer } from "./peer.ts";
import { processCalls } from "./processes.ts";
import { ptyCalls } from "./pty.ts";
import { selfCalls } from "./self.ts";
import { socketCalls } from "./sockets.ts";
import { readTcpOwner } from "./tcp-owner.ts";

export const linux: Platform = {
  pty: ptyCalls,
  processes: processCalls,
  self: selfCalls,
  files: fileCalls,
  sockets: socketCalls,
  readPeer,
  readTcpOwner,
};
