import { z } from "zod";
import {
  closedEnum,
  count,
  decimalString,
  defineMethods,
  openEnum,
  openObject,
  schemaNotes,
  timestamp,
  timestampParam,
  waitMs,
} from "../schema.ts";
import { AGENT_ACTIVITIES, READ_SOURCES, SESSION_STATES, WAIT_REASONS } from "../wire/enums.ts";
import { LIMITS } from "../wire/limits.ts";
import {
  activity,
  activityDetailField,
  screenSize,
  sessionId,
  sessionInfo,
  stateSource,
  workerId,
  workerInstanceId,
} from "./session-info.ts";

const identityShape = { worker_instance_id: workerInstanceId, runtime_generation: decimalString };
const expectedRuntime = z.object(identityShape).register(schemaNotes, { label: "RuntimeIdentity" });

const readLines = z
  .number()
  .int()
  .min(LIMITS.readLinesMinimum)
  .max(LIMITS.readLinesMaximum)
  .register(schemaNotes, { label: `${LIMITS.readLinesMinimum}..${LIMITS.readLinesMaximum}` });

const maxBytes = z
  .number()
  .int()
  .min(1)
  .max(LIMITS.outputRawBytes)
  .register(schemaNotes, { label: `1..${LIMITS.outputRawBytes}` });

/** One change of a session's activity. */
const activityChange = openObject({
  at: timestamp,
  /** Absent: it was not known. */
  activity: activity.optional(),
  activity_source: stateSource,
  activity_detail: activityDetailField,
  revision: decimalString,
}).register(schemaNotes, { label: "ActivityChange", isOurs: true });

const WAIT_PREDICATES = [
  "runtime",
  "after_updated_at",
  "after_terminal_watermark",
  "after_output_offset",
  "states",
  "activities",
] as const;

export const sessionObserve = defineMethods({
  "session.screen": {
    params: z.strictObject({ session_id: sessionId }),
    result: openObject({
      session_id: sessionId,
      worker_id: workerId,
      ...identityShape,
      watermark: decimalString,
      dimensions: screenSize,
      cursor: openObject({ row: count, col: count, visible: z.boolean() }),
      alternate_screen: z.boolean(),
      title: z.string().optional(),
      progress: z.string().optional(),
      visible_lines: z.array(z.string()),
    }),
  },
  "session.read": {
    params: z.object({
      session_id: sessionId,
      source: closedEnum(READ_SOURCES).optional(),
      lines: readLines.optional(),
      format: z.string().optional(),
    }),
    result: openObject({
      text: z.string(),
      source_used: openEnum(READ_SOURCES),
      revision: decimalString,
      alternate_screen: z.boolean(),
      lines_requested: count,
      truncated: z.boolean(),
      ...identityShape,
    }),
  },
  "session.detection": {
    params: z.object({ session_id: sessionId }),
    result: openObject({
      session_id: sessionId,
      supported_regions: z.array(z.string()),
      previews: z.array(openObject({ kind: z.string(), region: z.string(), text: z.string() })),
    }),
  },
  "session.explain": {
    params: z.object({ session_id: sessionId }),
    result: openObject({
      session_id: sessionId,
      /** Whose rules judge: `runtime NAME`, `profile NAME`, a file of the host, or `shell`. */
      detector: z.string(),
      current: activityChange.optional(),
      /** Sources that did not decide, in the order of their rank. */
      sources: z.array(openObject({ source: z.string(), reason: z.string() })),
      rules: z.array(
        openObject({
          rule: z.string(),
          source: z.string(),
          region: z.string(),
          state: activity,
          /** Why it does not decide; absent: it does, or would. */
          rejected: z.string().optional(),
        }),
      ),
      /** The last changes, the newest last. */
      history: z.array(activityChange),
    }),
  },
  "session.output": {
    params: z
      .object({
        session_id: sessionId,
        runtime: expectedRuntime.optional(),
        after_offset: decimalString.optional(),
        max_bytes: maxBytes,
        wait_ms: waitMs.optional(),
      })
      .refine(
        (params) => params.after_offset === undefined || params.runtime !== undefined,
        "after_offset needs runtime",
      )
      .refine(
        (params) => params.wait_ms === undefined || params.after_offset !== undefined,
        "wait_ms needs after_offset",
      ),
    result: openObject({
      session_id: sessionId,
      ...identityShape,
      history_start_offset: decimalString,
      start_offset: decimalString,
      next_offset: decimalString,
      runtime_end_offset: decimalString,
      data_base64: z.string(),
      gap: openObject({ start_offset: decimalString, end_offset: decimalString }).optional(),
      has_more: z.boolean(),
      timed_out: z.boolean(),
    }),
  },
  "session.wait": {
    params: z
      .object({
        session_id: sessionId,
        runtime: expectedRuntime.optional(),
        after_updated_at: timestampParam.optional(),
        after_terminal_watermark: decimalString.optional(),
        after_output_offset: decimalString.optional(),
        states: z.array(closedEnum(SESSION_STATES)).min(1).optional(),
        activities: z.array(closedEnum(AGENT_ACTIVITIES)).min(1).optional(),
        timeout_ms: waitMs,
      })
      .refine(
        ({ runtime, after_terminal_watermark: watermark, after_output_offset: offset }) =>
          runtime !== undefined || (watermark === undefined && offset === undefined),
        "after_terminal_watermark and after_output_offset need runtime",
      )
      .refine((params) => WAIT_PREDICATES.some((key) => params[key] !== undefined), "at least one predicate is needed"),
    result: openObject({
      reason: openEnum(WAIT_REASONS),
      session: sessionInfo,
      terminal_watermark: decimalString.optional(),
      output_offset: decimalString.optional(),
    }),
  },
  "session.diff": {
    params: z.object({ session_id: sessionId, base: z.string().optional() }),
    result: openObject({ diff: z.string(), base: z.string(), truncated: z.boolean() }),
  },
});
