import { z } from "zod";
import {
  boundedText,
  closedEnum,
  count,
  decimalString,
  defineMethods,
  idOf,
  openEnum,
  openObject,
  schemaNotes,
  timestamp,
  timestampParam,
  waitMs,
} from "../schema.ts";
import {
  AGENT_ACTIVITIES,
  INPUT_KINDS,
  INPUT_MOMENTS,
  INPUT_STATES,
  MID_TURN_EFFECTS,
  UNPASTED_CHOICES,
} from "../wire/enums.ts";
import type { InputId } from "../wire/ids.ts";
import { LIMITS } from "../wire/limits.ts";
import { hasControlCharacter } from "../wire/text.ts";
import { activity, runtimeIdentity, sessionId, stateSource, workerInstanceId } from "./session-info.ts";

const positivePid = z.number().int().positive().register(schemaNotes, { label: "pid" });

const nativeReference = boundedText(LIMITS.nativeReferenceBytes)
  .min(1)
  .refine((text) => !text.startsWith("-") && !hasControlCharacter(text), "must not begin with - or hold controls");

const absolutePath = boundedText(LIMITS.pathBytes).startsWith("/");

const inputId = idOf<InputId>("input id");

/** What is known of one input. It holds nothing of the text. */
const inputReceipt = openObject({
  input_id: inputId,
  session_id: sessionId,
  kind: openEnum(INPUT_KINDS),
  state: openEnum(INPUT_STATES),
  /** No more will be found out about it. */
  is_final: z.boolean(),
  /** Why it was refused, as an error code. */
  code: z.string().optional(),
  /** Of the text. */
  bytes: count,
  /** It came in the middle of a turn, and this is what that does. */
  mid_turn: openEnum(MID_TURN_EFFECTS).optional(),
  /** A part of it is in the agent's composer, not submitted. It is cleared before anything else is typed. */
  is_left_over: z.boolean().optional(),
  created_at: timestamp,
  updated_at: timestamp,
  /** Of a queued one: it is dropped then. */
  expires_at: timestamp.optional(),
  /** When the byte that submits was written. */
  written_at: timestamp.optional(),
  /** End of the output then. */
  output_offset: decimalString.optional(),
}).register(schemaNotes, { label: "InputReceipt", isOurs: true });
export type InputReceipt = z.output<typeof inputReceipt>;
export type InputReceiptReply = z.input<typeof inputReceipt>;

const receiptField = inputReceipt.optional().register(schemaNotes, { isOurs: true });

const expiryMs = z.number().int().min(1).max(LIMITS.inputExpiryMs);

export const sessionInput = defineMethods({
  "session.input": {
    params: z.object({
      session_id: sessionId,
      text: boundedText(LIMITS.inputTextBytes),
      wait: z.object({ until: z.array(closedEnum(AGENT_ACTIVITIES)).min(1), timeout_ms: waitMs }).optional(),
      /** Names the input: a second one of the same id writes nothing and gets what came of the first. */
      input_id: inputId.optional().register(schemaNotes, { isOurs: true }),
      /** Absent: now, unless that changes a running turn. */
      when: closedEnum(INPUT_MOMENTS).optional().register(schemaNotes, { isOurs: true }),
      /** Of a queued one. Default ten minutes. */
      expires_ms: expiryMs.optional().register(schemaNotes, { isOurs: true }),
      /** Type whatever the agent seems to do. */
      force: z.boolean().optional().register(schemaNotes, { isOurs: true }),
      /** Default `refuse` for an agent, `raw` for anything else. */
      unpasted: closedEnum(UNPASTED_CHOICES).optional().register(schemaNotes, { isOurs: true }),
    }),
    result: openObject({
      accepted: z.boolean(),
      receipt: receiptField,
      activity: activity.optional(),
      activity_source: stateSource.optional(),
      runtime: runtimeIdentity.optional(),
      activity_epoch: z.string().optional(),
      activity_revision: decimalString.optional(),
    }),
  },
  "session.answer": {
    params: z.object({
      session_id: sessionId,
      /** Of the question that was seen (`activity_detail.question`): an answer to another one is refused. */
      revision: decimalString,
      /** Number or text of an option. */
      choice: boundedText(LIMITS.answerBytes).min(1),
      input_id: inputId.optional(),
    }),
    result: openObject({ accepted: z.boolean(), receipt: inputReceipt }),
  },
  "session.input_status": {
    params: z.object({
      session_id: sessionId.optional(),
      /** Needs the session. */
      input_id: inputId.optional(),
      /** With an input: wait until it is final, or in one of the states. */
      until: z.array(closedEnum(INPUT_STATES)).optional(),
      wait_ms: waitMs.optional(),
      limit: z.number().int().min(1).max(LIMITS.inputReceipts).optional(),
    }),
    /** Newest first. */
    result: openObject({ receipts: z.array(inputReceipt) }),
  },
  "session.report_native_id": {
    params: z.object({
      session_id: sessionId,
      worker_instance_id: workerInstanceId,
      agent: z.string().min(1),
      pid: positivePid,
      pid_start_identity: decimalString,
      sequence: decimalString,
      expires_at: timestampParam,
      native_session_id: nativeReference,
      transcript_path: absolutePath.optional(),
    }),
    result: openObject({ recorded: z.boolean() }),
  },
  "session.report_agent": {
    params: z.object({
      session_id: sessionId,
      source: z.string().min(1),
      agent: z.string().min(1),
      activity: closedEnum(AGENT_ACTIVITIES).optional(),
      seq: decimalString.optional(),
      pid: positivePid.optional(),
      agent_session_id: nativeReference.optional(),
      agent_session_path: absolutePath.optional(),
    }),
    result: openObject({ recorded: z.boolean() }),
  },
  "session.release_agent": {
    params: z.object({
      session_id: sessionId,
      source: z.string().min(1),
      agent: z.string().min(1),
      seq: decimalString.optional(),
    }),
    result: openObject({ released: z.boolean() }),
  },
});
