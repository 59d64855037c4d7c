import { darwin } from "./darwin/index.ts";
import { linux } from "./linux/index.ts";
import type { Platform } from "./platform.ts";

export { endGeneration } from "./end-processes.ts";
export { isNamedProcess } from "./named-process.ts";
export type {
  FileCalls,
  PeerIdentity,
  Platform,
  ProcessCalls,
  ProcessFacts,
  PtyCalls,
  PtyPair,
  PtyReader,
  ReadinessSet,
  RunState,
  SocketCalls,
  TcpEnd,
  WindowSize,
} from "./platform.ts";
export { WOULD_BLOCK } from "./platform.ts";
export { findGeneration, SESSION_MARKER } from "./process-tree.ts";
export { isSystemError } from "./system-error.ts";

/** The calls of the operating system we run on. Everything else in the host is the same on all of them. */
export const platform: Platform = process.platform === "darwin" ? darwin : linux;
