import type {
  LaunchKind,
  RuntimeState,
  SessionId,
  SessionState,
  SubagentLifecycle,
  WorkerId,
  WorkerInstanceId,
} from "@pohunek/protocol/wire";
import type { NativeLaunch, NativeReference } from "./native-launch.ts";

/** One thing worth knowing that happened while the session was set up. */
export interface SessionWarning {
  readonly kind: string;
  readonly message: string;
  readonly detail?: string;
}

/** A process of one boot: what tells it from every other one that ever had its pid. */
export interface WorkerProcessRecord {
  readonly pid: number;
  readonly startIdentity: string;
  readonly bootId: string;
}

/** A sub-agent of the session's agent, as its hooks told. */
export interface SubagentRecord {
  readonly id: string;
  readonly parentId?: string;
  readonly provider: string;
  readonly agentType?: string;
  readonly lifecycle: SubagentLifecycle;
  readonly revision: number;
  readonly startedAtMs: number;
  readonly updatedAtMs: number;
  readonly finishedAtMs?: number;
}

/** The PTY generation a session runs in now, or ran in last. */
export interface RuntimeRecord {
  readonly state: RuntimeState;
  readonly generation: number;
  readonly workerId: WorkerId;
  /** Public name: `worker_instance_id`. */
  readonly runtimeId: WorkerInstanceId;
  /** The worker's process, once it was met: proof of its death also when its journal is gone. */
  readonly worker?: WorkerProcessRecord;
  /** The session's root process, once it was started. */
  readonly childPid?: number;
  readonly startedAt?: string;
  readonly lastConnectedAt?: string;
  readonly lossReason?: string;
}

/**
 * What the daemon keeps about a session. Environment, input and output are never part of it, nor the arguments of a
 * command: `program` is the base name of what was launched. Of an agent it keeps what a resume needs.
 */
export interface SessionRecord {
  readonly id: SessionId;
  readonly name?: string;
  readonly agent: string;
  readonly agentBase: string;
  readonly launch: LaunchKind;
  readonly program: string;
  readonly cwd: string;
  readonly cols: number;
  readonly rows: number;
  readonly state: SessionState;
  readonly exitCode?: number;
  readonly exitSignal?: string;
  readonly runtime: RuntimeRecord;
  /** How the agent's conversation is taken up again. Present for every session of an agent or a profile. */
  readonly nativeLaunch?: NativeLaunch;
  /** What stands in its place when that is not as it was written. Nothing of it is run. */
  readonly brokenLaunch?: string;
  /** That conversation, once it is known. */
  readonly nativeReference?: NativeReference;
  /** Running ones, and the newest of those that have ended. */
  readonly subagents?: readonly SubagentRecord[];
  readonly metadata: Readonly<Record<string, string>>;
  readonly warnings: readonly SessionWarning[];
  readonly createdAt: string;
  /** Strictly increasing over the changes of one session, whatever the clock does. */
  readonly updatedAt: string;
}
