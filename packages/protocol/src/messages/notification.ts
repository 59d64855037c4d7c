import { z } from "zod";
import {
  boundedChars,
  boundedText,
  closedEnum,
  count,
  defineMethods,
  idOf,
  noParams,
  openEnum,
  openObject,
  orNull,
  schemaNotes,
  timestamp,
} from "../schema.ts";
import { NOTIFICATION_KINDS, NOTIFICATION_SEVERITIES, NOTIFICATION_STATUSES } from "../wire/enums.ts";
import type { NotificationId } from "../wire/ids.ts";
import { LIMITS } from "../wire/limits.ts";
import { sessionId } from "./session-info.ts";

const notificationId = idOf<NotificationId>("notification id");
const sourceText = boundedChars(LIMITS.notificationSourceChars);

const sourceShape = { provider: sourceText, provider_event: sourceText, host_local_source_id: sourceText };

const metadataText = boundedChars(LIMITS.notificationMetadataChars);
const metadata = z
  .record(metadataText, metadataText)
  .refine((entries) => Object.keys(entries).length <= LIMITS.notificationMetadataEntries, "has more than 8 entries");

export const notificationRecord = openObject({
  id: notificationId,
  source: openObject(sourceShape),
  kind: openEnum(NOTIFICATION_KINDS),
  severity: openEnum(NOTIFICATION_SEVERITIES),
  status: openEnum(NOTIFICATION_STATUSES),
  title: z.string(),
  body: z.string(),
  metadata: z.record(z.string(), z.string()).optional(),
  session_id: z.string().optional(),
  agent_kind: z.string().optional(),
  source_id: z.string().optional(),
  dedupe_key: z.string().optional(),
  project_id: z.string().optional(),
  created_at: timestamp,
  read_at: timestamp.optional(),
  acked_at: timestamp.optional(),
  archived_at: timestamp.optional(),
  deleted_at: timestamp.optional(),
  superseded_by: notificationId.optional(),
}).register(schemaNotes, { label: "NotificationRecord" });
export type NotificationRecord = z.output<typeof notificationRecord>;

const flagShape = {
  agent_blocked: z.boolean(),
  approval_required: z.boolean(),
  turn_completed: z.boolean(),
  session_finished: z.boolean(),
  error: z.boolean(),
  system: z.boolean(),
};
const retentionShape = {
  sweep_interval_secs: count,
  info_ttl_secs: count,
  warning_ttl_secs: count,
  resolved_attention_ttl_secs: count,
  resolved_error_ttl_secs: count,
  archived_ttl_secs: count,
  compaction_min_actions: count,
};
const windowShape = { attention_dedupe_window_secs: count, attention_debounce_secs: count };
const policyLabel = { label: "NotificationPolicy" };

const notificationPolicy = openObject({
  ...windowShape,
  enabled: openObject(flagShape),
  providers: z.record(z.string(), openObject(flagShape)),
  retention: openObject(retentionShape),
}).register(schemaNotes, policyLabel);
export type NotificationPolicy = z.output<typeof notificationPolicy>;

/** Strict when it is set: a policy that is not understood completely must not be half applied. */
const policyChange = z
  .strictObject({
    ...windowShape,
    enabled: z.strictObject(flagShape),
    providers: z.record(z.string(), z.strictObject(flagShape)),
    retention: z.strictObject(retentionShape),
  })
  .register(schemaNotes, policyLabel);

export const notification = defineMethods({
  "notification.create": {
    params: z.object({
      source: z.object(sourceShape),
      kind: closedEnum(NOTIFICATION_KINDS),
      severity: closedEnum(NOTIFICATION_SEVERITIES),
      title: boundedChars(LIMITS.notificationTitleChars),
      body: boundedChars(LIMITS.notificationBodyChars),
      metadata: metadata.optional(),
      session_id: sessionId.optional(),
      agent_kind: z.string().optional(),
      source_id: sourceText.optional(),
      dedupe_key: boundedChars(LIMITS.notificationDedupeKeyChars).optional(),
      project_id: boundedText(LIMITS.projectIdBytes).optional(),
    }),
    result: openObject({ created: z.boolean(), record: notificationRecord }),
  },
  "notification.list": {
    params: orNull(
      z.object({
        status: closedEnum(NOTIFICATION_STATUSES).optional(),
        kind: closedEnum(NOTIFICATION_KINDS).optional(),
        severity: closedEnum(NOTIFICATION_SEVERITIES).optional(),
        provider: z.string().optional(),
        session_id: z.string().optional(),
        created_after: z.string().optional(),
        created_before: z.string().optional(),
        limit: count.optional(),
        cursor: z.string().optional(),
      }),
    ),
    result: openObject({ notifications: z.array(notificationRecord), next_cursor: z.string().optional() }),
  },
  "notification.update": {
    params: z.object({ id: notificationId, status: closedEnum(NOTIFICATION_STATUSES) }),
    result: openObject({ record: notificationRecord }),
  },
  "notification.delete": {
    params: z.object({ id: notificationId }),
    result: openObject({ id: notificationId, deleted: z.boolean() }),
  },
  "notification.policy.get": {
    params: noParams("notification.policy.get"),
    result: openObject({ policy: notificationPolicy }),
  },
  "notification.policy.set": {
    params: z.object({ policy: policyChange }),
    result: openObject({ policy: notificationPolicy }),
  },
  "notification.retention.prune": {
    params: orNull(
      z.object({
        dry_run: z.boolean().optional(),
        status: closedEnum(NOTIFICATION_STATUSES).optional(),
        before: z.string().optional(),
        limit: count.optional(),
      }),
    ),
    result: openObject({ dry_run: z.boolean(), pruned: z.array(notificationId) }),
  },
});
