import type { InputMoment, MidTurnEffect } from "@pohunek/protocol/wire";
import { protocolError } from "@pohunek/protocol/wire";
import type { RuntimeDefinition } from "../agents/runtime-definition.ts";
import type { Session } from "./session.ts";

/** Whether an agent would take a prompt. `unclear`: nothing shows what it does, so it may show a question nobody knows. */
export type Standing = "ready" | "working" | "blocked" | "unclear";

/** A turn that was submitted and has not begun on the screen counts as begun. */
export function standingOf(session: Session): Standing {
  const activity = session.activity?.current?.activity;
  switch (activity) {
    case undefined:
      return "unclear";
    case "idle":
      return isTurnAwaited(session) ? "working" : "ready";
    case "working":
    case "blocked":
      return activity;
  }
}

/** A prompt was submitted, and nothing shows yet that the agent has begun with it. */
export function isTurnAwaited({ awaitedTurn }: Session): boolean {
  return awaitedTurn !== undefined && performance.now() < awaitedTurn.untilMs;
}

export interface PromptWish {
  readonly when?: InputMoment;
  readonly isForced?: boolean;
}

/**
 * Decides whether a prompt may be typed now, and tells what it does to a running turn. Fails with session_agent_blocked,
 * session_agent_working or session_agent_not_ready.
 */
export function judgePrompt(session: Session, agent: RuntimeDefinition, wish: PromptWish): MidTurnEffect | undefined {
  const standing = standingOf(session);
  const { midTurn, clearLine } = agent.input;
  if (wish.isForced) {
    return standing === "working" ? midTurn : undefined;
  }
  // A program that was started anew has an empty composer.
  const isLeftOver = session.leftOver?.runtimeId === session.record.runtime.runtimeId;
  if (isLeftOver && clearLine === undefined) {
    throw protocolError("session_input_rejected", {
      message: "an earlier text is in the agent's composer, and its package says no way to clear that",
      details: { reason: "left_over" },
    });
  }
  switch (standing) {
    case "ready":
      return undefined;
    case "blocked":
      throw protocolError("session_agent_blocked");
    case "working":
      if (wish.when === "now" || (wish.when === undefined && midTurn === "queued")) {
        return midTurn;
      }
      throw protocolError("session_agent_working", { message: EFFECTS[midTurn], details: { mid_turn: midTurn } });
    case "unclear":
      // A package without rules can never tell; then only the program's own signal counts.
      if (agent.detection.rules.length === 0) {
        return undefined;
      }
      throw protocolError("session_agent_not_ready");
  }
}

const EFFECTS: Readonly<Record<MidTurnEffect, string>> = {
  queued: "the agent is in the middle of a turn; it would keep the text for later",
  steering: "the agent is in the middle of a turn, which the text would steer",
  cuts_request: "the agent is in the middle of a turn, whose running request the text would cut",
};
