import type { ActivityDetail } from "@pohunek/protocol";
import { isDecimal, newInputId, protocolError } from "@pohunek/protocol/wire";
import type { CommandResult } from "../command-line/command.ts";
import { command } from "../command-line/command.ts";
import { usageError } from "../command-line/usage-error.ts";
import type { CommandContext } from "../context.ts";
import { plainText } from "../output/plain-text.ts";
import type { OpenTarget } from "../sessions/open-target.ts";
import { openTarget } from "../sessions/open-target.ts";
import { inputStateText } from "../sessions/receipt-words.ts";
import { confirm } from "../terminal/confirm.ts";
import { SESSION_ARGUMENT } from "./arguments.ts";

type Question = NonNullable<ActivityDetail["question"]>;

export const sessionAnswer = command({
  name: "session answer",
  aliases: ["answer"],
  summary: "Show what an agent asks, or answer it",
  isDaily: true,
  details: [
    "Without a choice it prints the question, its options and its revision, and ends with 1 when there is none. With one it " +
      "chooses that option, by number or by text, if the question is still the one of --revision. Without --revision a " +
      "person is shown the question and asked.",
  ],
  arguments: [
    SESSION_ARGUMENT,
    { name: "choice", summary: "Number or text of an option", isRest: true, isOptional: true },
  ],
  flags: {
    revision: { type: "text", value: "N", summary: "The question that was seen" },
    yes: { type: "switch", short: "y", summary: "Answer the question that stands there now, without asking" },
    id: { type: "text", value: "ID", summary: "Name the answer: sent twice under one id it is given once" },
  },
  async run(context, { words: [session, ...rest], flags: { revision, yes, id } }) {
    if (revision !== undefined && !isDecimal(revision)) throw usageError("--revision is a number that answer prints");
    await using target = await openTarget(context, session);
    const choice = rest.join(" ");
    if (choice === "") return await showQuestion(target);
    const seen = revision ?? (await confirmQuestion(context, target, { choice, isConfirmed: yes }));
    const { client, sessionId } = target;
    const given = { session_id: sessionId, revision: seen, choice, input_id: id ?? newInputId() };
    const result = await client.call("session.answer", given);
    const label = plainText(target.label);
    return { ok: result, human: () => `answered ${label}: ${inputStateText(result.receipt)}\n` };
  },
});

async function questionNow({ client, sessionId }: OpenTarget): Promise<Question | undefined> {
  const { activity, activity_detail: detail } = await client.call("session.inspect", sessionId);
  return activity === "blocked" ? detail?.question : undefined;
}

async function showQuestion(target: OpenTarget): Promise<CommandResult> {
  const question = await questionNow(target);
  return {
    ok: { question: question ?? null },
    human: () => (question === undefined ? `${plainText(target.label)} asks nothing\n` : questionText(question)),
    exitCode: question === undefined ? 1 : 0,
  };
}

function questionText({ text, options, revision }: Question): string {
  const lines = options.map(({ key, label, selected }, index) => {
    const number = plainText(key ?? String(index + 1));
    return `${selected ? ">" : " "} ${number}. ${plainText(label)}`;
  });
  return `${[plainText(text), ...lines, `revision ${revision}`].join("\n")}\n`;
}

interface Wanted {
  readonly choice: string;
  readonly isConfirmed: boolean;
}

/** The revision of the question that a person has just seen, or has said not to want to see. */
async function confirmQuestion(
  context: CommandContext,
  target: OpenTarget,
  { choice, isConfirmed }: Wanted,
): Promise<Question["revision"]> {
  const question = await questionNow(target);
  if (question === undefined) throw protocolError("session_question_gone");
  if (!isConfirmed) {
    const shown = questionText(question).trimEnd();
    confirm(context, { question: `${shown}\nAnswer ${plainText(choice)}?`, what: "an answer without --revision" });
  }
  return question.revision;
}
