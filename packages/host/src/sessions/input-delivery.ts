import type { MidTurnEffect, UnpastedChoice } from "@pohunek/protocol/wire";
import { protocolError } from "@pohunek/protocol/wire";
import { planLine, planPrompt } from "../agents/input/input-plan.ts";
import type { RuntimeDefinition } from "../agents/runtime-definition.ts";
import type { WorkerClient } from "../worker-api/client.ts";
import type { WritePlanResult } from "../worker-api/operations.ts";
import { KEYED_PLANS_SINCE } from "../worker-api/version.ts";
import type { WriteFragment } from "../worker-api/write-reservations.ts";
import type { PromptWish } from "./agent-standing.ts";
import { judgePrompt, standingOf } from "./agent-standing.ts";
import { EchoCount } from "./echo-count.ts";
import { runningWorker } from "./reachable-worker.ts";
import type { Session } from "./session.ts";

/** What is typed, and how. */
export interface Typed extends PromptWish {
  readonly text: string;
  readonly unpasted?: UnpastedChoice;
}

/** One text on its way. Either it is withdrawn before a byte was sent, or it is sent and can't be withdrawn any more. */
export interface Delivery {
  readonly typed: Typed;
  /** Absent for a shell or a command, which gets bytes as they are. */
  readonly agent?: RuntimeDefinition;
  /** Names the plan at the worker beyond this daemon. */
  readonly key?: string;
  readonly endsAt: number;
  readonly withdrawal: AbortController;
  readonly sent: PromiseWithResolvers<void>;
  /** Of the activity right before the submission: what comes after it may be due to this input. */
  readonly onBoundary?: (revision: number) => void;
  /** The body is written, and the submission waits for the last look. */
  readonly onHeld?: () => void;
  isSent: boolean;
}

export interface Delivered {
  readonly boundary: number;
  readonly midTurn?: MidTurnEffect;
  readonly writtenMs: number;
  readonly outputOffset: number;
  readonly isEchoed: boolean;
}

/** The text is in the composer and was not submitted. */
export class LeftOver extends Error {
  override readonly name = "LeftOver";
}

/**
 * How long the worker holds a plan for the last look. A daemon that died meanwhile is back in a second or two, and then may
 * still submit it.
 */
const HOLD_MS = 5000;
/** Looks at a screen that goes on changing, before the last one counts although there is newer output. */
const LOOKS = 4;

/** Writes a text when its turn has come. */
export async function deliver(session: Session, delivery: Delivery): Promise<Delivered> {
  const { signal } = delivery.withdrawal;
  signal.throwIfAborted();
  const worker = runningWorker(session);
  using reservation = await worker.reserveWrite({ signal });
  signal.throwIfAborted();
  const { agent, typed } = delivery;
  const isKeyed = delivery.key !== undefined && worker.version >= KEYED_PLANS_SINCE;
  const isHeld = isKeyed && agent !== undefined;
  const echo = agent === undefined ? undefined : new EchoCount(typed.text);
  let takesPaste = session.live?.terminal?.bracketed_paste === true;
  if (isHeld) {
    const snapshot = await worker.snapshot();
    echo?.before(snapshot.visible_lines);
    session.lookAgain?.(snapshot);
    takesPaste = snapshot.bracketed_paste;
    signal.throwIfAborted();
  }
  const plan = planOf(delivery, takesPaste);
  const midTurn = agent === undefined ? undefined : judgePrompt(session, agent, typed);
  const leftMs = Math.max(1, Math.round(delivery.endsAt - performance.now()));
  const boundary = noteBoundary(session, delivery);
  if (!isHeld) {
    session.activity?.submitted();
  }
  delivery.isSent = true;
  delivery.sent.resolve();
  const result = await reservation.send(plan, {
    timeoutMs: leftMs,
    ...(isKeyed ? { key: delivery.key } : {}),
    ...(isHeld ? { holdMs: HOLD_MS } : {}),
  });
  if (agent !== undefined && (result.outcome === "held" || result.outcome === "withdrawn")) {
    return await submitHeld(session, delivery, { worker, result, echo });
  }
  const { written_at_ms: writtenMs, output_offset: outputOffset } = result;
  return { boundary, midTurn, writtenMs, outputOffset, isEchoed: false };
}

interface HeldPlan {
  readonly worker: WorkerClient;
  readonly result?: WritePlanResult;
  readonly echo?: EchoCount;
}

/**
 * Looks at the agent once more, and submits only if it would still take a prompt: a question may have come while the body was
 * typed, and the byte that submits would answer it. The worker compares the end of the output, so nothing falls in between.
 */
export async function submitHeld(session: Session, delivery: Delivery, held: HeldPlan): Promise<Delivered> {
  const { agent, typed, key = "" } = delivery;
  const { worker, echo } = held;
  delivery.onHeld?.();
  for (let look = 1; agent !== undefined && held.result?.outcome !== "withdrawn"; look += 1) {
    const snapshot = await worker.snapshot();
    session.lookAgain?.(snapshot);
    const isEchoed = echo?.isIn(snapshot.visible_lines) ?? false;
    const midTurn = await judgeOrWithdraw(worker, key, () => judgeTyped(session, agent, { typed, isEchoed }));
    const boundary = noteBoundary(session, delivery);
    const bound = look < LOOKS ? { output_offset: snapshot.output_offset } : {};
    const settled = await worker.settlePlan({ key, submit: true, ...bound });
    if (settled.outcome === "written") {
      session.activity?.submitted();
      const { written_at_ms: writtenMs, output_offset: outputOffset } = settled;
      return { boundary, midTurn, writtenMs, outputOffset, isEchoed };
    }
    if (settled.outcome === "withdrawn") {
      break;
    }
  }
  throw new LeftOver("the plan was not submitted in time", {
    cause: protocolError("session_input_blocked", { message: "the text was typed but not submitted in time" }),
  });
}

/** After the typing an agent that can't be told counts as ready when the text is seen: no question took it. */
function judgeTyped(
  session: Session,
  agent: RuntimeDefinition,
  { typed, isEchoed }: { typed: Typed; isEchoed: boolean },
): MidTurnEffect | undefined {
  return isEchoed && standingOf(session) === "unclear" ? undefined : judgePrompt(session, agent, typed);
}

async function judgeOrWithdraw<Result>(worker: WorkerClient, key: string, judge: () => Result): Promise<Result> {
  try {
    return judge();
  } catch (cause) {
    await worker.settlePlan({ key, submit: false });
    throw new LeftOver("the agent would not take the text any more", { cause });
  }
}

function noteBoundary(session: Session, delivery: Delivery): number {
  const boundary = session.activity?.current?.revision ?? 0;
  delivery.onBoundary?.(boundary);
  return boundary;
}

function planOf({ agent, typed }: Delivery, takesPaste: boolean): WriteFragment[] {
  const { text, unpasted } = typed;
  return agent === undefined
    ? planLine({ text, takesPaste, unpasted: unpasted ?? "raw" })
    : planPrompt(agent.input, { text, takesPaste, unpasted: unpasted ?? "refuse" });
}
