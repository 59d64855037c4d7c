import type { Decimal } from "@pohunek/protocol/wire";
import { decimal, protocolError } from "@pohunek/protocol/wire";
import type { VisibleQuestion } from "../agents/detection/activity.ts";
import { findOption, isConfirmable, planAnswer } from "../agents/input/answer-plan.ts";
import type { WriteFragment } from "../worker-api/write-reservations.ts";
import type { Session } from "./session.ts";

/** An answer to the question that its giver saw. */
export interface AnswerWish {
  /** Of the question. */
  readonly revision: Decimal;
  readonly choice: string;
}

/** The question on the screen, if it is the one that was answered. Fails with session_question_gone or _changed. */
function questionOf({ activity }: Session, { revision }: AnswerWish): VisibleQuestion {
  const current = activity?.current;
  const question = current?.activity === "blocked" ? current.detail?.question : undefined;
  if (current === undefined || question === undefined) {
    throw protocolError("session_question_gone");
  }
  if (decimal(current.questionRevision ?? current.revision) !== revision) {
    throw protocolError("session_question_changed");
  }
  return question;
}

export function planAnswerOf(session: Session, answer: AnswerWish): WriteFragment[] {
  const question = questionOf(session, answer);
  return planAnswer(question, findOption(question, answer.choice));
}

/** Whether the key that confirms would choose the wanted option; false while the marker is on its way. */
export function isAnswerConfirmable(session: Session, answer: AnswerWish): boolean {
  const question = questionOf(session, answer);
  return isConfirmable(question, findOption(question, answer.choice));
}
