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
const SHELLS = new Set(["sh", "bash", "dash", "zsh", "fish", "ksh", "ash", "busybox", "env"]);

/** Tells the worker; what that one does not take of the agent's conversation is offered to the daemon. Returns what went wrong. */
export async function deliver(message: HookMessage, delivery: Delivery): Promise<string | undefined> {
  const { place, handler, processes, sequence } = delivery;
  const agent = findAgent(processes, handler.processNames);
  if (agent === undefined) {
    return "no_agent";
  }
  const report = message.type === "identity_report" ? identityOf(message, place.referenceKind) : message;
  if (report === undefined) {
    return "no_reference";
  }
  const expires_at = new Date(Date.now() + VALID_MS).toISOString();
  const answer =
    place.workerSocket === undefined
      ? undefined
      : await exchangeLine(place.workerSocket, {
          ...report,
          runtime_id: place.runtimeId,
          provider: handler.id,
          pid: agent.pid,
          start_identity: agent.startIdentity,
          sequence: String(sequence),
          expires_at,
        });
  if (answer?.["ok"] === true) {
    return undefined;
  }
  const reason = `worker_${answer === undefined ? "unreachable" : codeOf(answer)}`;
  if (message.type !== "identity_report" || place.publicSocket === undefined || message.id === undefined) {
    return reason;
  }
  const outcome = await exchangeLine(place.publicSocket, {
    v: { minimum: PROTOCOL_VERSION, maximum: PROTOCOL_VERSION },
    id: "hook",
    method: "session.report_native_id",
    params: {
      session_id: place.sessionId,
      worker_instance_id: place.runtimeId,
      agent: handler.id,
      pid: agent.pid,
      pid_start_identity: agent.startIdentity,
      sequence: String(sequence),
      expires_at,
      native_session_id: message.id,
      transcript_path: message.path,
    },
  });
  return isRecord(outcome?.["ok"]) ? undefined : `${reason},daemon_${codeOf(outcome?.["err"] ?? {})}`;
}

function identityOf(
  { type, id, path }: HookMessage & { readonly type: "identity_report" },
  kind: HookPlace["referenceKind"],
): object | undefined {
  const native_reference = kind === "path" ? path : kind === "id" ? id : undefined;
  return native_reference === undefined ? undefined : { type, reference_kind: kind, native_reference };
}

/** The nearest process above us that is the agent; one with another name is the nearest that is no shell. */
function findAgent(processes: Platform["processes"], names: readonly string[]): ProcessFacts | undefined {
  let other: ProcessFacts | undefined;
  let current = processes.read(process.ppid);
  for (let step = 0; step < ANCESTORS && current !== undefined; step += 1) {
    if (isNamedProcess(current, names, processes)) {
      return current;
    }
    other ??= SHELLS.has(current.program) ? undefined : current;
    current = current.parent > 1 ? processes.read(current.parent) : undefined;
  }
  return other;
}

/** Codes are ours; whoever else answers gets none into the trace. */
function codeOf(answer: unknown): string {
  const code = isRecord(answer) ? answer["code"] : undefined;
  return typeof code === "string" && /^[a-z_]{1,40}$/.test(code) ? code : "unreachable";
}
