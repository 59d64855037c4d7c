import type { Activity, VisibleQuestion } from "./activity.ts";
import { isSameQuestion } from "./verdict.ts";

/**
 * Names questions by numbers: the same one, which two sources tell of or which is lost from sight for a moment, keeps its name
 * until the agent goes on or somebody answers. The first number is the time, so that no answer to a question of a daemon before
 * fits one of this daemon's.
 */
export class QuestionNames {
  #last: { readonly question: VisibleQuestion; readonly revision: number } | undefined;
  #highest: number;

  constructor(nowMs: number) {
    this.#highest = nowMs;
  }

  name(activity: Activity): Activity {
    const { question } = activity.detail ?? {};
    if (activity.activity !== "blocked") {
      this.#last = undefined;
    }
    if (activity.activity !== "blocked" || question === undefined) {
      return activity;
    }
    if (this.#last === undefined || !isSameQuestion(this.#last.question, question)) {
      this.#highest += 1;
      this.#last = { question, revision: this.#highest };
    }
    return { ...activity, questionRevision: this.#last.revision };
  }

  /** It was answered. */
  forget(): void {
    this.#last = undefined;
  }
}
