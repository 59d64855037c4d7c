import { z } from "zod";
import {
  boundedText,
  closedEnum,
  decimalString,
  defineMethods,
  openObject,
  schemaNotes,
  timestampParam,
  waitMs,
} from "../schema.ts";
import { AGENT_ACTIVITIES } from "../wire/enums.ts";
import { LIMITS } from "../wire/limits.ts";
import { hasControlCharacter } from "../wire/text.ts";
import { activity, runtimeIdentity, sessionId, stateSource, workerInstanceId } from "./session-info.ts";

const positivePid = z.number().int().positive().register(schemaNotes, { label: "pid" });

const nativeReference = boundedText(LIMITS.nativeReferenceBytes)
  .min(1)
  .refine((text) => !text.startsWith("-") && !hasControlCharacter(text), "must not begin with - or hold controls");

const absolutePath = boundedText(LIMITS.pathBytes).startsWith("/");

export const sessionInput = defineMethods({
  "session.input": {
    params: z.object({
      session_id: sessionId,
      text: boundedText(LIMITS.inputTextBytes),
      wait: z.object({ until: z.array(closedEnum(AGENT_ACTIVITIES)).min(1), timeout_ms: waitMs }).optional(),
    }),
    result: openObject({
      accepted: z.boolean(),
      activity: activity.optional(),
      activity_source: stateSource.optional(),
      runtime: runtimeIdentity.optional(),
      activity_epoch: z.string().optional(),
      activity_revision: decimalString.optional(),
    }),
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
