import type { Activity, VisibleQuestion } from "./activity.ts";
import { isSameQuestion } from "./verdict.ts";

/**
 * Names questions by the revision at which they were first seen: the same one, which two sources tell of or which is lost from
 * sight for a moment, keeps its name until the agent goes on or somebody answers.
 */
export class QuestionNames {
  #last: { readonly question: VisibleQuestion; readonly revision: number } | undefined;
  #highest = 0;

  name(activity: Activity): Activity {
    const { question } = activity.detail ?? {};
    if (activity.activity !== "blocked") {
      this.#last = undefined;
    }
    if (activity.activity !== "blocked" || question === undefined) {
      return activity;
    }
    if (this.#last === undefined || !isSameQuestion(this.#last.question, question)) {
      this.#highest = Math.max(this.#highest + 1, activity.revision);
      this.#last = { question, revision: this.#highest };
    }
    return { ...activity, questionRevision: this.#last.revision };
  }

  /** It was answered. */
  forget(): void {
    this.#last = undefined;
  }
}
