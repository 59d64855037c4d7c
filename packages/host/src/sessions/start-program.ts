import type { RuntimeRecord } from "../store/session-record.ts";
import type { Supervisor, WorkerKey } from "../supervision/supervisor.ts";
import { WorkerClient } from "../worker-api/client.ts";
import type { WorkerEvent } from "../worker-api/events.ts";
import type { Inspection } from "../worker-api/inspection.ts";
import type { LaunchSpec } from "../worker-api/launch-spec.ts";
import { within } from "../worker-api/within.ts";
import type { Session } from "./session.ts";
import { workerProcessOf } from "./worker-life.ts";
import type { WorkerLink } from "./worker-link.ts";
import type { WorkerWatch } from "./worker-watch.ts";

export interface StartProgramOptions {
  readonly supervisor: Pick<Supervisor, "start">;
  readonly controller: string;
  readonly key: WorkerKey;
  readonly spec: LaunchSpec;
  readonly reach: (step: "worker_started" | "initialized") => void;
}

/** A program that a new worker has started. Its events wait until a link takes them. */
export interface StartedProgram {
  readonly client: WorkerClient;
  readonly inspection: Inspection;
  /** Gives the link all events so far, and those to come. */
  readonly follow: (link: WorkerLink) => void;
}

/** A new worker answers in milliseconds. One that does not in this time is given up, before the client gives up us. */
const ANSWER_MS = 10_000;

/** Starts a worker, takes its lease and has it start the program. When that fails, the worker is still to be ended. */
export async function startProgram(options: StartProgramOptions): Promise<StartedProgram> {
  const { supervisor, controller, key, spec, reach } = options;
  const { socketPath } = await supervisor.start(key);
  reach("worker_started");
  const early: WorkerEvent[] = [];
  let link: WorkerLink | undefined;
  const client = await WorkerClient.connect(socketPath, {
    onEvent: (event) => (link === undefined ? early.push(event) : link.handleEvent(event)),
  });
  try {
    await within(client.acquireController(controller), { ms: ANSWER_MS });
    const inspection = await within(client.initialize(spec), { ms: ANSWER_MS });
    reach("initialized");
    const follow = (follower: WorkerLink): void => {
      link = follower;
      early.splice(0).forEach((event) => follower.handleEvent(event));
    };
    return { client, inspection, follow };
  } catch (cause) {
    await client[Symbol.asyncDispose]();
    throw cause;
  }
}

/** What a session's record says of a program that was just started. */
export function runtimeFactsOf(
  inspection: Inspection,
  at: Date,
): Pick<RuntimeRecord, "startedAt" | "lastConnectedAt" | "childPid" | "worker"> {
  return {
    startedAt: new Date(inspection.started_at_ms).toISOString(),
    lastConnectedAt: at.toISOString(),
    childPid: inspection.child?.pid,
    worker: workerProcessOf(inspection),
  };
}

/** From here on the session follows its program. Its record names the program's worker already. */
export function beginProgram(
  session: Session,
  { client, inspection, follow }: StartedProgram,
  watch: WorkerWatch,
): void {
  const link = watch.follow(session);
  watch.begin(session, client, inspection);
  follow(link);
}
