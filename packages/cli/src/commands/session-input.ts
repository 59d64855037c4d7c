import type { InputReceipt, ParamsOf, ResultOf } from "@pohunek/protocol";
import type { AgentActivity, InputMoment, UnpastedChoice } from "@pohunek/protocol/wire";
import {
  AGENT_ACTIVITIES,
  INPUT_MOMENTS,
  isOpaqueId,
  isProtocolError,
  LIMITS,
  newInputId,
  protocolError,
  UNPASTED_CHOICES,
} from "@pohunek/protocol/wire";
import { command } from "../command-line/command.ts";
import type { FlagValues } from "../command-line/flag.ts";
import { usageError } from "../command-line/usage-error.ts";
import type { CommandContext } from "../context.ts";
import { plainText } from "../output/plain-text.ts";
import type { OpenTarget } from "../sessions/open-target.ts";
import { openTarget } from "../sessions/open-target.ts";
import { inputStateText } from "../sessions/receipt-words.ts";
import { sendOnce } from "../sessions/send-once.ts";
import { readStandardInput } from "../terminal/standard-input.ts";
import { SESSION_ARGUMENT } from "./arguments.ts";

const DEFAULT_TIMEOUT_MS = 60_000;
const SHELL = "shell";

const FLAGS = {
  stdin: { type: "switch", summary: "Take the text from standard input" },
  until: {
    type: "list",
    value: "ACTIVITY",
    choices: AGENT_ACTIVITIES,
    summary: "Wait until the agent does this; can be repeated",
  },
  timeout: { type: "duration", value: "TIME", summary: "Wait at most so long (default 60s)" },
  when: {
    type: "text",
    value: "WHEN",
    choices: INPUT_MOMENTS,
    summary: "Only while the agent is idle, now in any case, or in a queue until it is idle",
  },
  expires: { type: "duration", value: "TIME", summary: "Drop it when it was queued for so long (default 10m)" },
  force: { type: "switch", summary: "Type it even while the agent asks something, which may answer that" },
  id: { type: "text", value: "ID", summary: "Name the input: sent twice under one id it is written once" },
  unpasted: {
    type: "text",
    value: "HOW",
    choices: UNPASTED_CHOICES,
    summary: "Several lines to a program that takes no pastes: raw, or refuse",
  },
} as const;

type SendFlags = FlagValues<typeof FLAGS>;

export const sessionInput = command({
  name: "session input",
  aliases: ["send", "input"],
  summary: "Type text into a session and submit it",
  isDaily: true,
  details: [
    "Text that others wrote is best given by --stdin, where no shell looks at it.",
    "A prompt is refused while the agent asks something: `pohunek answer` answers that. In the middle of a turn it is " +
      "refused where it would change that turn, unless --when says what is meant. `pohunek receipts` tells what came of it.",
  ],
  arguments: [SESSION_ARGUMENT, { name: "text", summary: "What to type", isRest: true, isOptional: true }],
  flags: FLAGS,
  async run(context, { words: [session, ...rest], flags }) {
    if (flags.stdin === rest.length > 0) throw usageError("session input needs the text or --stdin, one of them");
    const until = AGENT_ACTIVITIES.filter((one) => flags.until.includes(one));
    if (flags.timeout !== undefined && until.length === 0) throw usageError("--timeout needs --until");
    if (flags.expires !== undefined && flags.when !== "queue") throw usageError("--expires needs --when queue");
    if (flags.id !== undefined && !isOpaqueId(flags.id)) throw usageError("--id takes letters, digits and - _ . :");
    const text = flags.stdin ? readStandardInput() : rest.join(" ");
    await using target = await openTarget(context, session);
    const timeoutMs = flags.timeout ?? DEFAULT_TIMEOUT_MS;
    const params = { session_id: target.sessionId, text, ...optionsOf(flags) };
    const result =
      until.length === 0
        ? await send(context, target, params)
        : await sendAndWait(context, target, { params, until, timeoutMs });
    return { ok: result, human: () => `sent to ${plainText(target.label)}${outcomeText(result)}\n` };
  },
});

type InputParams = ParamsOf<"session.input">;
type InputResult = ResultOf<"session.input">;

function optionsOf({ when, expires, force, id, unpasted }: SendFlags): Partial<InputParams> {
  return {
    // The parser has checked the choices.
    ...(when === undefined ? {} : { when: when as InputMoment }),
    ...(expires === undefined ? {} : { expires_ms: Math.max(1, Math.min(expires, LIMITS.inputExpiryMs)) }),
    ...(force ? { force } : {}),
    ...(id === undefined ? {} : { input_id: id }),
    ...(unpasted === undefined ? {} : { unpasted: unpasted as UnpastedChoice }),
  };
}

function outcomeText({ activity, receipt }: InputResult): string {
  if (activity !== undefined) return `: ${activity}`;
  return receipt === undefined ? "" : `: ${inputStateText(receipt)}`;
}

/** A shell gets its line without a receipt, unless it was given an id. */
async function send(context: CommandContext, target: OpenTarget, params: InputParams): Promise<InputResult> {
  const isForAgent = target.agent !== undefined && target.agent !== SHELL;
  const inputId = params.input_id ?? (isForAgent ? newInputId() : undefined);
  if (inputId === undefined) return await target.client.call("session.input", params);
  return await sendOnce(context, target.client, { ...params, input_id: inputId });
}

interface WaitedInput {
  readonly params: InputParams;
  readonly until: readonly AgentActivity[];
  readonly timeoutMs: number;
}

/** The daemon bounds a waited input to eight seconds; a longer wait goes on as an ordinary one, without a second input. */
async function sendAndWait(context: CommandContext, target: OpenTarget, input: WaitedInput): Promise<InputResult> {
  const endsAt = performance.now() + input.timeoutMs;
  const firstMs = Math.min(input.timeoutMs, LIMITS.waitMaximumMs);
  const wait = { until: [...input.until], timeout_ms: firstMs };
  if (input.params.input_id !== undefined) return await sendAndFollow(context, target, input);
  try {
    return await target.client.call("session.input", { ...input.params, wait });
  } catch (error) {
    // An agent that needs time between the text and its submission: its receipt tells when the turn has begun.
    if (isProtocolError(error, "session_input_wait_unsupported")) return await sendAndFollow(context, target, input);
    const leftMs = endsAt - performance.now();
    if (!isProtocolError(error, "session_input_timeout") || leftMs <= 0) throw error;
    return await waitFor(target, { accepted: true }, { ...input, endsAt });
  }
}

async function sendAndFollow(context: CommandContext, target: OpenTarget, input: WaitedInput): Promise<InputResult> {
  const endsAt = performance.now() + input.timeoutMs;
  const sent = await send(context, target, { input_id: newInputId(), ...input.params });
  let { receipt } = sent;
  while (receipt !== undefined && !receipt.is_final && performance.now() < endsAt) {
    receipt = await nextReceipt(target, receipt, endsAt - performance.now());
  }
  return await waitFor(target, { ...sent, receipt }, { ...input, endsAt });
}

async function nextReceipt({ client }: OpenTarget, receipt: InputReceipt, leftMs: number): Promise<InputReceipt> {
  const { session_id, input_id } = receipt;
  const wait_ms = Math.max(1, Math.round(Math.min(leftMs, LIMITS.waitMaximumMs)));
  const { receipts } = await client.call("session.input_status", { session_id, input_id, wait_ms });
  return receipts[0] ?? receipt;
}

async function waitFor(
  { client, sessionId }: OpenTarget,
  sent: InputResult,
  { until, endsAt }: { until: readonly AgentActivity[]; endsAt: number },
): Promise<InputResult> {
  const timeoutMs = Math.max(1, endsAt - performance.now());
  const waited = await client.wait({ session_id: sessionId, activities: [...until] }, { timeoutMs });
  if (waited.reason === "timeout") throw protocolError("session_input_timeout");
  return { ...sent, activity: waited.session.activity };
}
