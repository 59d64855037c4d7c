import type { SessionId, WorkerId, WorkerInstanceId } from "@pohunek/protocol/wire";
import { isOpaqueId } from "@pohunek/protocol/wire";
import type { WorkerIdentity } from "./inspection.ts";
import { workerError } from "./worker-error.ts";

/**
 * All that a worker is told by its command line, which every process of the machine may read: ids and paths. What it will
 * run comes over its socket.
 */
export interface WorkerBootstrap {
  readonly identity: WorkerIdentity;
  readonly runtimeRoot: string;
  readonly stateRoot: string;
  /** Inherited pipe: one line is written to it when the socket accepts, then it is closed. */
  readonly readyFd: number | undefined;
  /** Pid of the daemon that this worker must not outlive (backend `subprocess`). */
  readonly endWithParent: number | undefined;
}

/** The command line that `parseBootstrap` reads. */
export function bootstrapArgs(bootstrap: WorkerBootstrap): string[] {
  const { identity, readyFd, endWithParent } = bootstrap;
  const optional = (name: string, value: number | undefined): string[] =>
    value === undefined ? [] : [`--${name}=${value}`];
  return [
    `--session-id=${identity.session_id}`,
    `--worker-id=${identity.worker_id}`,
    `--worker-instance-id=${identity.runtime_id}`,
    `--generation=${identity.generation}`,
    `--runtime-root=${bootstrap.runtimeRoot}`,
    `--state-root=${bootstrap.stateRoot}`,
    ...optional("ready-fd", readyFd),
    ...optional("end-with-parent", endWithParent),
  ];
}

/** Fails with worker_invalid_request. */
export function parseBootstrap(argv: readonly string[]): WorkerBootstrap {
  const values = readOptions(argv);
  return {
    identity: {
      session_id: readId(values, "session-id") as SessionId,
      worker_id: readId(values, "worker-id") as WorkerId,
      runtime_id: readId(values, "worker-instance-id") as WorkerInstanceId,
      generation: readCount(values, "generation") ?? refuse("generation"),
    },
    runtimeRoot: readRoot(values, "runtime-root"),
    stateRoot: readRoot(values, "state-root"),
    readyFd: readCount(values, "ready-fd"),
    endWithParent: readCount(values, "end-with-parent"),
  };
}

/** `--name=value` only: `parseArgs` of node:util would cost each worker half a megabyte. */
function readOptions(argv: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    argv.map((argument) => {
      const [, name, value] = /^--([a-z-]+)=(.*)$/.exec(argument) ?? refuse("option");
      return [name ?? "", value ?? ""];
    }),
  );
}

function refuse(option: string): never {
  throw workerError("worker_invalid_request", `Missing or invalid --${option}.`);
}

/** Ids name files here, so the dots that the alphabet allows must not climb out of a folder. */
function readId(values: ReadonlyMap<string, string>, option: string): string {
  const value = values.get(option);
  return isOpaqueId(value) && !value.startsWith(".") ? value : refuse(option);
}

function readCount(values: ReadonlyMap<string, string>, option: string): number | undefined {
  const value = values.get(option);
  if (value === undefined) {
    return undefined;
  }
  return /^\d{1,15}$/.test(value) ? Number(value) : refuse(option);
}

function readRoot(values: ReadonlyMap<string, string>, option: string): string {
  const value = values.get(option);
  return value?.startsWith("/") ? value : refuse(option);
}

/** A worker that was started before anybody knew what for. */
export interface StandbyBootstrap {
  /** Inherited pipe: the worker's arguments come as one line of JSON; an end without one means that nobody needs it. */
  readonly standbyFd: number;
  readonly readyFd: number;
}

/** The line that makes a standby worker a session's. */
export interface StandbyOrder {
  /** What any other worker gets on its command line. */
  readonly args: readonly string[];
  /** Seconds since the machine's start after which another worker may have been started for this session. */
  readonly use_by_s: number;
}

/** Room in the command line for the one that the worker will show. */
const COMMAND_LINE_ROOM = 512;

/** The command line that `parseStandby` reads. The state root only tells people whose it is. */
export function standbyArgs({ standbyFd, readyFd }: StandbyBootstrap, stateRoot: string): string[] {
  const room = ".".repeat(COMMAND_LINE_ROOM);
  return [`--standby-fd=${standbyFd}`, `--ready-fd=${readyFd}`, `--state-root=${stateRoot}`, `--room=${room}`];
}

/** Undefined for a worker that is told everything by its command line. Fails with worker_invalid_request. */
export function parseStandby(argv: readonly string[]): StandbyBootstrap | undefined {
  const values = readOptions(argv);
  const standbyFd = readCount(values, "standby-fd");
  if (standbyFd === undefined) {
    return undefined;
  }
  return { standbyFd, readyFd: readCount(values, "ready-fd") ?? refuse("ready-fd") };
}
