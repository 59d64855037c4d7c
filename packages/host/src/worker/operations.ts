import type { WorkerIdentity } from "../worker-api/inspection.ts";
import { WORKER_LIMITS } from "../worker-api/limits.ts";
import type {
  NegotiateResult,
  OpenDataStreamParams,
  OpenDataStreamResult,
  OperationName,
  OperationParams,
  OperationRequest,
  OperationResult,
  WritePlanParams,
  WritePlanResult,
} from "../worker-api/operations.ts";
import type { VersionRange } from "../worker-api/version.ts";
import { highestCommonVersion, KEYED_PLANS_SINCE, OBSERVATION_SINCE, VIEWERS_SINCE } from "../worker-api/version.ts";
import { workerError } from "../worker-api/worker-error.ts";
import type { AttachGrant } from "./attach-streams.ts";
import type { ControlPeer } from "./control-peer.ts";
import type { DataTokens } from "./data-tokens.ts";
import type { InputOutcome } from "./input-queue.ts";
import type { NoteHeld } from "./keyed-plans.ts";
import { KeyedPlans } from "./keyed-plans.ts";
import type { Lease } from "./lease.ts";
import { readOutput, readText, takeSnapshot } from "./observation.ts";
import type { WorkerSession } from "./worker-session.ts";

export interface OperationsContext {
  readonly identity: WorkerIdentity;
  readonly versions: VersionRange;
  readonly session: WorkerSession;
  readonly lease: Lease;
  readonly tokens: DataTokens<AttachGrant>;
}

type Perform<Name extends OperationName> = (
  peer: ControlPeer,
  params: OperationParams<Name>,
) => OperationResult<Name> | Promise<OperationResult<Name>>;

type Operations = { readonly [Name in OperationName]: Perform<Name> };

/** Operations that change nothing and need no lease. */
const OPEN_OPERATIONS: readonly OperationName[] = ["negotiate", "acquire_controller", "inspect"];
const OBSERVATIONS: readonly OperationName[] = ["terminal_snapshot", "read_text", "read_output"];
const NAMING: readonly OperationName[] = ["close_stream", "adjust_view"];
const KEYED: readonly OperationName[] = ["settle_plan", "plan_outcome"];

/** All operations, and the one place that says who may ask for which. */
export function createOperations(
  context: OperationsContext,
): (peer: ControlPeer, request: OperationRequest) => Promise<unknown> {
  const operations = listOperations(context);
  return async (peer, { op, params }) => {
    if (op !== "negotiate" && peer.version === undefined) {
      throw workerError("worker_invalid_state", "Negotiate a version first.");
    }
    if (!OPEN_OPERATIONS.includes(op)) {
      context.lease.require(peer);
    }
    if (NAMING.includes(op) && (peer.version ?? 0) < VIEWERS_SINCE) {
      throw workerError("worker_feature_unavailable", "This version of the worker protocol has no named viewers.");
    }
    if (KEYED.includes(op) && (peer.version ?? 0) < KEYED_PLANS_SINCE) {
      throw workerError("worker_feature_unavailable", "This version of the worker protocol has no keys of plans.");
    }
    if (OBSERVATIONS.includes(op) && (peer.version ?? 0) < OBSERVATION_SINCE) {
      throw workerError("worker_feature_unavailable", "This version of the worker protocol has no observation.");
    }
    return await (operations[op] as Perform<OperationName>)(peer, params);
  };
}

function listOperations(context: OperationsContext): Operations {
  const { session, lease } = context;
  const plans = new KeyedPlans({ outputEnd: () => session.runtime.ring.endOffset });
  return {
    negotiate: (peer, range) => negotiate(context, peer, range),
    acquire_controller: (peer, { controller }) => ({ lease: lease.acquire(peer, controller) }),
    release_controller: (peer) => {
      lease.release(peer);
      return {};
    },
    inspect: () => session.inspect(lease.controller),
    initialize: (_peer, spec) => session.initialize(spec),
    open_data_stream: (peer, params) => openDataStream(context, peer, params),
    close_stream: (_peer, { stream }) => {
      const viewer = session.viewers.find(stream);
      viewer?.end();
      return { closed: viewer !== undefined };
    },
    adjust_view: (_peer, { stream, ...params }) => {
      const facts = session.viewers.find(stream)?.adjust(params);
      return facts ?? refuseView();
    },
    terminal_snapshot: () => {
      const snapshot = takeSnapshot(session.runtime);
      session.collector.noteAnswer(lengthOf(snapshot.visible_lines));
      return snapshot;
    },
    read_text: (_peer, params) => {
      const text = readText(session.runtime, params);
      session.collector.noteAnswer(lengthOf(text.lines));
      return text;
    },
    read_output: async (_peer, params) => {
      const output = await readOutput(session.runtime, session.waiters, params);
      session.collector.noteAnswer(output.data_base64.length);
      return output;
    },
    write_plan: (_peer, plan) => lease.ledger.perform(identifyPlan(plan), () => performPlan({ session, plans }, plan)),
    settle_plan: (_peer, params) => plans.settle(params),
    plan_outcome: (_peer, { key }) => plans.outcome(key),
    resize: (_peer, wanted) => session.viewers.resize(wanted),
    stop: (_peer, { grace_ms: graceMs }) => session.stop(graceMs ?? WORKER_LIMITS.stopGraceMs),
    acknowledge_terminal: () => {
      session.acknowledge();
      return {};
    },
  };
}

function lengthOf(lines: readonly string[]): number {
  return lines.reduce((sum, line) => sum + line.length, 0);
}

function refuseView(): never {
  throw workerError("worker_invalid_request", "No viewer of this name gets pictures.");
}

function negotiate(context: OperationsContext, peer: ControlPeer, offered: VersionRange): NegotiateResult {
  const { identity, versions } = context;
  const version = highestCommonVersion(offered, versions);
  if (version === undefined) {
    const details = { min: versions.min, max: versions.max };
    throw workerError("worker_protocol_incompatible", "There is no common version.", { details });
  }
  peer.version = version;
  return { ...identity, version, range: versions, frame_payload_bytes: WORKER_LIMITS.framePayloadBytes };
}

function openDataStream(
  { session, tokens }: OperationsContext,
  peer: ControlPeer,
  params: OpenDataStreamParams,
): OpenDataStreamResult {
  const { version = 0 } = peer;
  // Refused here, where the caller can act on it, rather than on the second connection.
  void session.streams;
  return { token: tokens.grant({ ...params, version }), expires_in_ms: WORKER_LIMITS.dataTokenMs };
}

function identifyPlan(plan: WritePlanParams): { sequence: number; digest: string } {
  const content = JSON.stringify([plan.fragments, plan.key ?? null]);
  return { sequence: plan.sequence, digest: new Bun.CryptoHasher("sha256").update(content).digest("base64") };
}

async function performPlan(
  { session, plans }: { session: WorkerSession; plans: KeyedPlans },
  plan: WritePlanParams,
): Promise<WritePlanResult> {
  const { key } = plan;
  if (key === undefined) {
    return await writePlan(session, plan);
  }
  const { digest } = identifyPlan(plan);
  const result = await plans.perform({ key, digest }, (noteHeld) => writePlan(session, plan, noteHeld));
  // Of a plan that another daemon had sent.
  return { ...result, sequence: plan.sequence };
}

async function writePlan(session: WorkerSession, plan: WritePlanParams, onHeld?: NoteHeld): Promise<WritePlanResult> {
  const endsAt = plan.timeout_ms === undefined ? undefined : performance.now() + plan.timeout_ms;
  const { runtime } = session;
  if (runtime.exit || runtime.input.isFull) {
    const reason = runtime.exit ? "exited" : "queue_full";
    throw workerError("session_input_rejected", "The program takes no input now.", { details: { reason } });
  }
  const fragments = plan.fragments.map(({ data_base64: data, delay_ms: delayMs }) => ({
    bytes: Buffer.from(data, "base64"),
    delayMs: delayMs ?? 0,
  }));
  const bytes = fragments.reduce((sum, fragment) => sum + fragment.bytes.length, 0);
  const result = (): WritePlanResult => ({
    sequence: plan.sequence,
    bytes,
    output_offset: runtime.ring.endOffset,
    written_at_ms: Date.now(),
  });
  const { hold_ms: holdMs } = plan;
  const hold =
    holdMs === undefined || onHeld === undefined
      ? undefined
      : {
          ms: holdMs,
          onHeld: (settle: (isSubmitted: boolean) => void) => onHeld({ ...result(), outcome: "held" }, settle),
        };
  const outcome = await session.viewers.gate.admit(() => runtime.input.writePlan(fragments, { endsAt, hold }));
  runtime.foreground.noteActivity();
  if (outcome.kind === "withdrawn") {
    return { ...result(), outcome: "withdrawn" };
  }
  if (outcome.kind !== "written") {
    throw notWritten(outcome, bytes);
  }
  return result();
}

function notWritten({ kind, writtenBytes }: InputOutcome, bytes: number): Error {
  const details = { written_bytes: writtenBytes, bytes };
  if (kind === "discarded") {
    const message = "The input was dropped before all of it was written.";
    return workerError("worker_write_outcome_unknown", message, { details });
  }
  return writtenBytes === 0
    ? workerError("session_input_blocked", "The program does not read its input; nothing was written.", { details })
    : workerError(
        "session_input_incomplete",
        `The program does not read its input: ${writtenBytes} of ${bytes} bytes were written, the rest was dropped.`,
        { details },
      );
}
