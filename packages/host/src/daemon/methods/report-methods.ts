import type { ParsedParamsOf } from "@pohunek/protocol";
import { protocolError } from "@pohunek/protocol/wire";
import type { RuntimeSource } from "../../agents/runtime-definition.ts";
import type { ProcessCalls } from "../../platform/index.ts";
import { hasEnded } from "../../sessions/lifecycle.ts";
import type { NativeReferences } from "../../sessions/native-references.ts";
import type { Registry } from "../../sessions/registry.ts";
import { runtimeOf } from "../../sessions/runtime-of.ts";
import type { Session } from "../../sessions/session.ts";
import { HOOK_LIMITS } from "../../worker-api/hooks.ts";
import type { Handlers } from "../dispatcher.ts";
import type { Origin } from "../origin.ts";

export interface ReportMethodsOptions {
  readonly registry: Registry;
  readonly references: NativeReferences;
  readonly runtimes: Pick<RuntimeSource, "byDigest">;
  readonly processes: Pick<ProcessCalls, "startIdentity">;
  readonly now: () => Date;
}

type ReportMethods = Pick<Handlers, "session.report_native_id" | "session.report_agent" | "session.release_agent">;

/** The newest word of one reporter. */
interface Heard {
  readonly key: string;
  readonly sequence: bigint;
}

/** What agents tell of themselves where there is no worker that would take it. */
export function reportMethods(options: ReportMethodsOptions): ReportMethods {
  const { registry, references } = options;
  const natives = new WeakMap<Session, Heard>();
  const agents = new WeakMap<Session, Heard>();
  return {
    "session.report_native_id": (params, { origin }) => {
      const session = registry.get(params.session_id);
      const sequence = BigInt(params.sequence);
      const fault = faultOf(session, { params, origin, heard: natives.get(session) }, options);
      if (fault !== undefined) {
        throw protocolError("native_report_unattested", { details: { reason: fault } });
      }
      natives.set(session, { key: params.worker_instance_id, sequence });
      const kind = session.record.nativeLaunch?.reference?.kind;
      const value = kind === "path" ? params.transcript_path : params.native_session_id;
      if (value === undefined) {
        throw protocolError("invalid_session_ref");
      }
      references.record(session, value, "reported");
      return { recorded: true };
    },
    "session.report_agent": ({ session_id, source, agent, seq, pid, agent_session_id, agent_session_path }) => {
      const session = registry.get(session_id);
      if (hasEnded(session.record) || !isNews(agents, session, { source, seq })) {
        return { recorded: false };
      }
      const native = { nativeId: agent_session_id, nativePath: agent_session_path };
      session.reportedAgent = { source, agent, base: agent, pid, ...native };
      registry.touch(session);
      return { recorded: true };
    },
    "session.release_agent": ({ session_id, source, agent, seq }) => {
      const session = registry.get(session_id);
      const { reportedAgent: known } = session;
      const isOwn = known?.source === source && known.agent === agent;
      if (!isOwn || !isNews(agents, session, { source, seq })) {
        return { released: false };
      }
      session.reportedAgent = undefined;
      registry.touch(session);
      return { released: true };
    },
  };
}

/** Without a number nothing can be told about the order, so the newest word is the one that came last. */
function isNews(
  heard: WeakMap<Session, Heard>,
  session: Session,
  { source, seq }: { source: string; seq: string | undefined },
): boolean {
  if (seq === undefined) {
    return true;
  }
  const before = heard.get(session);
  const sequence = BigInt(seq);
  if (before?.key === source && sequence <= before.sequence) {
    return false;
  }
  heard.set(session, { key: source, sequence });
  return true;
}

interface Report {
  readonly params: ParsedParamsOf<"session.report_native_id">;
  readonly origin: Origin;
  readonly heard: Heard | undefined;
}

/** Only the session's own root process may say this, by the kernel's word, about itself, in order and in time. */
function faultOf(
  session: Session,
  { params, origin, heard }: Report,
  { runtimes, processes, now }: ReportMethodsOptions,
): string | undefined {
  const { record, live } = session;
  const root = live?.worker === undefined || hasEnded(record) ? undefined : live.child;
  const hooks = runtimeOf(session, runtimes)?.hooks;
  if (hooks?.schema === "frozen_root_entrypoint") {
    return "worker_only";
  }
  if (root === undefined || params.worker_instance_id !== record.runtime.runtimeId) {
    return "stale_runtime";
  }
  if (![record.agent, record.agentBase, hooks?.handler].includes(params.agent)) {
    return "wrong_provider";
  }
  const isRoot =
    origin.kind === "local_owner" &&
    origin.pid === root.pid &&
    params.pid === root.pid &&
    params.pid_start_identity === root.start_identity &&
    processes.startIdentity(root.pid) === root.start_identity;
  if (!isRoot) {
    return "not_root";
  }
  const aheadMs = Date.parse(params.expires_at) - now().getTime();
  if (aheadMs <= 0 || aheadMs > HOOK_LIMITS.claimMs) {
    return aheadMs <= 0 ? "expired" : "expiry_too_far";
  }
  const isStale = heard?.key === params.worker_instance_id && BigInt(params.sequence) <= heard.sequence;
  return isStale ? "stale" : undefined;
}
