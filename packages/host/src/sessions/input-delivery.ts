import type { MidTurnEffect, UnpastedChoice } from "@pohunek/protocol/wire";
import { protocolError } from "@pohunek/protocol/wire";
import { planLine, planPrompt } from "../agents/input/input-plan.ts";
import type { RuntimeDefinition } from "../agents/runtime-definition.ts";
import type { WorkerClient } from "../worker-api/client.ts";
import type { WritePlanResult } from "../worker-api/operations.ts";
import { KEYED_PLANS_SINCE, OBSERVATION_SINCE } from "../worker-api/version.ts";
import type { WriteFragment } from "../worker-api/write-reservations.ts";
import type { PromptWish } from "./agent-standing.ts";
import { judgePrompt, standingOf } from "./agent-standing.ts";
import { clearLongPrompt, missingClearKeys } from "./clear-long-prompt.ts";
import { EchoCount } from "./echo-count.ts";
import { runningWorker } from "./reachable-worker.ts";
import type { Session } from "./session.ts";
import type { AnswerWish } from "./visible-question.ts";
import { isAnswerConfirmable, planAnswerOf } from "./visible-question.ts";

/** What is typed, and how. */
export interface Typed extends PromptWish {
  readonly text: string;
  readonly unpasted?: UnpastedChoice;
  /** In place of the text: an answer to a question on the screen. */
  readonly answer?: AnswerWish;
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
  /** Status reports of the program right before the submission. */
  readonly reports?: number;
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

/** How long, and how often, the marker of a question is waited for on its way to an option. */
const CONFIRM_MS = 2000;
const CONFIRM_LOOK_MS = 50;

/** How long the text is waited for on the screen: of an agent that has drawn something since, and of one that has not. */
const DRAWN_MS = 300;
const SILENT_MS = 1500;
const ECHO_LOOK_MS = 50;
/** A text that was seen late came just now: the submission must not look like a part of it. */
const AFTER_ECHO_MS = 100;

/** Writes a text when its turn has come. */
export async function deliver(session: Session, delivery: Delivery): Promise<Delivered> {
  const { signal } = delivery.withdrawal;
  signal.throwIfAborted();
  const worker = runningWorker(session);
  await clearBefore(session, delivery, worker);
  using reservation = await worker.reserveWrite({ signal });
  signal.throwIfAborted();
  const { agent, typed } = delivery;
  const isKeyed = delivery.key !== undefined && worker.version >= KEYED_PLANS_SINCE;
  const isHeld = isKeyed && (agent !== undefined || typed.answer !== undefined);
  const echo = agent === undefined ? undefined : new EchoCount(typed.text);
  let takesPaste = session.live?.terminal?.bracketed_paste === true;
  let outputBefore = 0;
  if (isHeld || needsModeNow(worker, delivery)) {
    const snapshot = await worker.snapshot();
    echo?.before(snapshot.visible_lines);
    session.lookAgain?.(snapshot);
    takesPaste = snapshot.bracketed_paste;
    outputBefore = snapshot.output_offset;
    signal.throwIfAborted();
  }
  const plan = planOf(session, delivery, takesPaste);
  if (typed.answer !== undefined && plan.length > 1 && !isHeld) {
    throw protocolError("session_answer_unsupported", { message: "the session's worker is of an older release" });
  }
  const midTurn = agent === undefined || typed.answer !== undefined ? undefined : judgePrompt(session, agent, typed);
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
  if (isHeld && (result.outcome === "held" || result.outcome === "withdrawn")) {
    return await submitHeld(session, delivery, { worker, result, echo, outputBefore });
  }
  const { written_at_ms: writtenMs, output_offset: outputOffset } = result;
  return { boundary, midTurn, writtenMs, outputOffset, isEchoed: false };
}

/** What the worker told last is up to 50 ms old: as long as a shell takes from one prompt to the next. */
function needsModeNow(worker: WorkerClient, { typed }: Delivery): boolean {
  return worker.version >= OBSERVATION_SINCE && typed.text.includes("\n");
}

async function clearBefore(session: Session, { agent, typed }: Delivery, worker: WorkerClient): Promise<void> {
  const missing = agent === undefined || typed.answer !== undefined ? 0 : missingClearKeys(session, agent);
  if (agent !== undefined && missing > 0) {
    session.lookAgain?.(await worker.snapshot());
    judgePrompt(session, agent, typed);
    await clearLongPrompt(worker, agent, missing);
  }
}

interface HeldPlan {
  readonly worker: WorkerClient;
  readonly result?: WritePlanResult;
  readonly echo?: EchoCount;
  /** End of the output before the text was written. */
  readonly outputBefore?: number;
}

/**
 * Looks at the agent once more, and submits only if that is still right: a question may have come while the body was typed,
 * which the byte that submits would answer, or another one in place of that which is answered. The worker compares the end of
 * the output, so nothing falls in between.
 */
export async function submitHeld(session: Session, delivery: Delivery, held: HeldPlan): Promise<Delivered> {
  const { typed, key = "" } = delivery;
  const { worker, echo } = held;
  const endsAt = performance.now() + CONFIRM_MS;
  delivery.onHeld?.();
  if (echo !== undefined && typed.answer === undefined) {
    await whenShown(worker, echo, held.outputBefore ?? 0);
  }
  for (let look = 1; held.result?.outcome !== "withdrawn"; look += 1) {
    const snapshot = await worker.snapshot();
    session.lookAgain?.(snapshot);
    const isEchoed = echo?.isIn(snapshot.visible_lines) ?? false;
    const verdict = await judgeOrWithdraw(worker, delivery, () => judgeHeld(session, delivery, isEchoed));
    if (verdict === "not_yet") {
      await withdrawLate(worker, delivery, endsAt);
      continue;
    }
    const boundary = noteBoundary(session, delivery);
    const bound = look < LOOKS ? { output_offset: snapshot.output_offset } : {};
    const settled = await worker.settlePlan({ key, submit: true, ...bound });
    if (settled.outcome === "written") {
      session.activity?.submitted();
      const { written_at_ms: writtenMs, output_offset: outputOffset } = settled;
      const { status_reports: reports = 0 } = snapshot;
      const isSeen = isEchoed && typed.answer === undefined;
      return { boundary, midTurn: verdict, writtenMs, outputOffset, isEchoed: isSeen, reports };
    }
    if (settled.outcome === "withdrawn") {
      break;
    }
  }
  const cause = protocolError("session_input_blocked", { message: "the text was typed but not submitted in time" });
  throw typed.answer === undefined ? new LeftOver("the plan was not submitted in time", { cause }) : cause;
}

/**
 * Waits until the agent has taken the text: one that is busy reads text and submission in one go, and may then drop the
 * submission. Text that it shows as something else (a mark for a paste) is not waited for long.
 */
async function whenShown(worker: WorkerClient, echo: EchoCount, outputBefore: number): Promise<void> {
  const startedAt = performance.now();
  for (let isFirst = true; ; isFirst = false) {
    const { visible_lines: lines, output_offset: offset } = await worker.snapshot();
    if (echo.isIn(lines)) {
      await Bun.sleep(isFirst ? 0 : AFTER_ECHO_MS);
      return;
    }
    if (performance.now() - startedAt > (offset > outputBefore ? DRAWN_MS : SILENT_MS)) return;
    await Bun.sleep(ECHO_LOOK_MS);
  }
}

/** After the typing an agent that can't be told counts as ready when the text is seen: no question took it. */
function judgeHeld(
  session: Session,
  { agent, typed }: Delivery,
  isEchoed: boolean,
): MidTurnEffect | "not_yet" | undefined {
  if (typed.answer !== undefined) {
    return isAnswerConfirmable(session, typed.answer) ? undefined : "not_yet";
  }
  if (agent === undefined || (isEchoed && standingOf(session) === "unclear")) {
    return undefined;
  }
  return judgePrompt(session, agent, typed);
}

/** The marker of a question is on its way to the option that is wanted; one that does not get there confirms nothing. */
async function withdrawLate(worker: WorkerClient, { key = "" }: Delivery, endsAt: number): Promise<void> {
  if (performance.now() > endsAt) {
    await worker.settlePlan({ key, submit: false });
    throw protocolError("session_question_changed", {
      message: "the marker did not get to the option; nothing was confirmed",
    });
  }
  await Bun.sleep(CONFIRM_LOOK_MS);
}

async function judgeOrWithdraw<Verdict>(
  worker: WorkerClient,
  { key = "", typed }: Delivery,
  judge: () => Verdict,
): Promise<Verdict> {
  try {
    return judge();
  } catch (cause) {
    await worker.settlePlan({ key, submit: false });
    throw typed.answer === undefined ? new LeftOver("the agent would not take the text any more", { cause }) : cause;
  }
}

function noteBoundary(session: Session, delivery: Delivery): number {
  const boundary = session.activity?.current?.revision ?? 0;
  delivery.onBoundary?.(boundary);
  return boundary;
}

function planOf(session: Session, { agent, typed }: Delivery, takesPaste: boolean): WriteFragment[] {
  const { text, unpasted, answer } = typed;
  if (answer !== undefined) {
    return planAnswerOf(session, answer);
  }
  return agent === undefined
    ? planLine({ text, takesPaste, unpasted: unpasted ?? "raw" })
    : planPrompt(agent.input, { text, takesPaste, unpasted: unpasted ?? "refuse" });
}
