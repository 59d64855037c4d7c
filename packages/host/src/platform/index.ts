import { darwin } from "./darwin/index.ts";
import { linux } from "./linux/index.ts";
import type { Platform } from "./platform.ts";

export type { EndOptions, EndResult } from "./end-processes.ts";
export { endGeneration } from "./end-processes.ts";
export type {
  ChildStatus,
  FileCalls,
  LineDiscipline,
  PeerIdentity,
  Platform,
  ProcessCalls,
  ProcessFacts,
  PtyCalls,
  PtyPair,
  PtyReader,
  Readiness,
  SelfCalls,
  SignalOutcome,
  SocketCalls,
  SpawnOptions,
  TcpEnd,
  WindowSize,
} from "./platform.ts";
export { WOULD_BLOCK } from "./platform.ts";
export type { GenerationMarks, GenerationProcesses, TreeSearch } from "./process-tree.ts";
export { findGeneration, GENERATION_MARKER, SESSION_MARKER, WORKER_MARKER } from "./process-tree.ts";
export { isSystemError, SystemError } from "./system-error.ts";

/** The calls of the operating system we run on. Everything else in the host is the same on all of them. */
export const platform: Platform = process.platform === "darwin" ? darwin : linux;
