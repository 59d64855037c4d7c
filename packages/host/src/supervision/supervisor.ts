import type { SessionId, WorkerId, WorkerInstanceId } from "@pohunek/protocol/wire";
import type { JournalFault, WorkerJournal } from "../worker-api/journal.ts";

/** One worker generation, as logical ids: what a supervisor names its job by. */
export interface WorkerKey {
  readonly sessionId: SessionId;
  readonly workerId: WorkerId;
  readonly runtimeId: WorkerInstanceId;
  readonly generation: number;
}

/** Everything needed to start a worker. What it will run is told later, over its socket. */
export interface WorkerJob extends WorkerKey {
  readonly signal?: AbortSignal;
}

/** How this host starts workers; the same for all jobs. */
export interface WorkerProgram {
  /** Absolute path of the versioned executable. */
  readonly executable: string;
  /** Arguments before the worker's own. */
  readonly leadingArgs: readonly string[];
  /** Bootstrap environment: nothing of the daemon's is inherited. */
  readonly env: Readonly<Record<string, string>>;
  readonly runtimeRoot: string;
  readonly stateRoot: string;
  readonly readyMs: number;
}

export interface StartedWorker extends WorkerKey {
  readonly socketPath: string;
}

/**
 * What can be known of a worker without speaking to it. `alive`: the journal's process lives in this boot with the same
 * start identity. `dead`: it certainly does not. `unknown`: the kernel gave no clear answer, so nothing may be signalled.
 */
export type WorkerLife = "alive" | "dead" | "unknown";

export type WorkerSighting =
  | {
      readonly kind: "worker";
      readonly key: WorkerKey;
      readonly journal: WorkerJournal;
      readonly life: WorkerLife;
      readonly socketPath: string;
      readonly hasSocket: boolean;
    }
  /** A journal that can't be used: never evidence for or against a generation. */
  | {
      readonly kind: "unusable";
      readonly claimedSessionId: string;
      readonly file: string;
      readonly reason: JournalFault;
      readonly schema?: number;
    }
  /** A socket with no journal beside it. */
  | { readonly kind: "socket_only"; readonly claimedSessionId: string; readonly socketPath: string };

/**
 * Starts and finds workers. Says nothing about readiness or authority: those come from the worker's handshake alone.
 */
export interface Supervisor extends AsyncDisposable {
  readonly backend: "detached" | "subprocess";
  /** Resolves when the worker's socket accepts. Fails with worker_exited_before_ready or worker_socket_path_invalid. */
  start(job: WorkerJob): Promise<StartedWorker>;
  /** All workers of this host's roots that left a trace, at most `DISCOVERY_MAX`. */
  discover(): Promise<readonly WorkerSighting[]>;
  inspect(key: Pick<WorkerKey, "sessionId" | "workerId">): Promise<WorkerSighting | undefined>;
  /** Removes what a dead or acknowledged worker left: journal, socket and its folder. Refuses while it is alive. */
  retire(key: Pick<WorkerKey, "sessionId" | "workerId">): Promise<void>;
}

/** Journals read in one discovery; a host has far fewer sessions. */
export const DISCOVERY_MAX = 10_000;
