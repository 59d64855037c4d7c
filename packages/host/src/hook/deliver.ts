import { isRecord, PROTOCOL_VERSION } from "@pohunek/protocol/wire";
import type { HookHandler, HookMessage } from "../agents/integration/hook-handler.ts";
import type { Platform, ProcessFacts } from "../platform/index.ts";
import { isNamedProcess } from "../platform/index.ts";
import type { HookPlace } from "./config.ts";
import { exchangeLine } from "./exchange-line.ts";

export interface Delivery {
  readonly place: HookPlace;
  readonly handler: HookHandler;
  readonly processes: Platform["processes"];
  /** A reading of the clock that all hooks of this machine share. */
  readonly sequence: bigint;
}

/** A report counts only while it is fresh. */
const VALID_MS = 30_000;
const ANCESTORS = 16;
/** As a worker calls itself; the kernel keeps fifteen characters. */
const WORKER = "pohunek-session";
const SHELLS = new Set(["sh", "bash", "dash", "zsh", "fish", "ksh", "ash", "busybox", "env"]);

/** Tells the worker; what that one does not take of the agent's conversation is offered to the daemon. Returns what went wrong. */
export async function deliver(message: HookMessage, delivery: Delivery): Promise<string | undefined> {
  const { place, handler, processes } = delivery;
  const report = message.type === "identity_report" ? identityOf(message, place.referenceKind) : message;
  if (report === undefined) {
    return "no_reference";
  }
  let reason = "no_agent";
  // The worker knows which process it is by the package's names, so it is asked about each that may be.
  for (const agent of findAgents(processes, handler.processNames)) {
    const claim = claimOf(agent, delivery);
    const fault = await tellWorker({ ...report, ...claim }, place);
    if (fault === undefined) {
      return undefined;
    }
    reason = fault;
    if (fault !== "worker_not_launch_agent") {
      break;
    }
  }
  const [agent] = findAgents(processes, handler.processNames);
  if (message.type !== "identity_report" || message.id === undefined || agent === undefined) {
    return reason;
  }
  const daemon = await tellDaemon({ id: message.id, path: message.path }, { agent, ...delivery });
  return daemon === undefined ? undefined : `${reason},${daemon}`;
}

interface Claim {
  readonly runtime_id: string;
  readonly provider: string;
  readonly pid: number;
  readonly start_identity: string;
  readonly sequence: string;
  readonly expires_at: string;
}

function claimOf({ pid, startIdentity }: ProcessFacts, { place, handler, sequence }: Delivery): Claim {
  return {
    runtime_id: place.runtimeId,
    provider: handler.id,
    pid,
    start_identity: startIdentity,
    sequence: String(sequence),
    expires_at: new Date(Date.now() + VALID_MS).toISOString(),
  };
}

async function tellWorker(line: object, { workerSocket }: HookPlace): Promise<string | undefined> {
  const answer = workerSocket === undefined ? undefined : await exchangeLine(workerSocket, line);
  return answer?.["ok"] === true ? undefined : `worker_${answer === undefined ? "unreachable" : codeOf(answer)}`;
}

async function tellDaemon(
  { id, path }: { id: string; path: string | undefined },
  delivery: Delivery & { readonly agent: ProcessFacts },
): Promise<string | undefined> {
  const { place, agent } = delivery;
  const { provider, pid, start_identity, sequence, expires_at } = claimOf(agent, delivery);
  const params = {
    session_id: place.sessionId,
    worker_instance_id: place.runtimeId,
    agent: provider,
    pid,
    pid_start_identity: start_identity,
    sequence,
    expires_at,
    native_session_id: id,
    transcript_path: path,
  };
  const v = { minimum: PROTOCOL_VERSION, maximum: PROTOCOL_VERSION };
  const outcome =
    place.publicSocket === undefined
      ? undefined
      : await exchangeLine(place.publicSocket, { v, id: "hook", method: "session.report_native_id", params });
  return isRecord(outcome?.["ok"]) ? undefined : `daemon_${codeOf(outcome?.["err"] ?? {})}`;
}

function identityOf(
  { type, id, path }: HookMessage & { readonly type: "identity_report" },
  kind: HookPlace["referenceKind"],
): object | undefined {
  const native_reference = kind === "path" ? path : kind === "id" ? id : undefined;
  return native_reference === undefined ? undefined : { type, reference_kind: kind, native_reference };
}

/**
 * The nearest process above us that is called as the agent. Where none is, those of the session that may be it all the same:
 * the topmost that is no shell, then the nearest.
 */
function findAgents(processes: Platform["processes"], names: readonly string[]): readonly ProcessFacts[] {
  const others: ProcessFacts[] = [];
  let current = processes.read(process.ppid);
  for (let step = 0; step < ANCESTORS && current !== undefined && current.program !== WORKER; step += 1) {
    if (isNamedProcess(current, names, processes)) {
      return [current];
    }
    if (!SHELLS.has(current.program)) {
      others.push(current);
    }
    current = current.parent > 1 ? processes.read(current.parent) : undefined;
  }
  const candidates = [others.at(-1), others[0]];
  return [...new Set(candidates)].filter((each) => each !== undefined);
}

/** Codes are ours; whoever else answers gets none into the trace. */
function codeOf(answer: unknown): string {
  const code = isRecord(answer) ? answer["code"] : undefined;
  return typeof code === "string" && /^[a-z_]{1,40}$/.test(code) ? code : "unreachable";
}
