import { z } from "zod";
import { decimalString, idOf, openObject } from "../schema.ts";
import type { EventName } from "../wire/events.ts";
import type { NotificationId, StreamId } from "../wire/ids.ts";
import { notificationRecord } from "./notification.ts";
import {
  activity,
  activityDetailField,
  runtimeIdentity,
  sessionId,
  sessionInfo,
  stateSource,
  subagentInfo,
  workerInstanceId,
} from "./session-info.ts";
import { runtimeInventoryEntry } from "./session-lifecycle.ts";

const sessionEvent = openObject({ session: sessionInfo });
const attachEvent = openObject({ session_id: sessionId, stream_id: idOf<StreamId>("stream id") });
const notificationEvent = openObject({ record: notificationRecord });

/** Payloads of the events, by name. They lie at the top level of the event, beside `v`, `event` and `id`. */
export const events = {
  session_created: sessionEvent,
  session_updated: sessionEvent,
  session_stopped: sessionEvent,
  session_removed: sessionEvent,
  session_runtime_reconnected: sessionEvent,
  session_runtime_lost: sessionEvent,
  session_runtime_conflict: sessionEvent,
  session_runtime_discovered: openObject({ entry: runtimeInventoryEntry }),
  session_native_recovered: openObject({
    session: sessionInfo,
    previous_worker_instance_id: workerInstanceId.optional(),
    worker_instance_id: workerInstanceId.optional(),
  }),
  agent_state: openObject({
    session_id: sessionId,
    activity,
    source: stateSource,
    runtime: runtimeIdentity.optional(),
    activity_epoch: z.string().optional(),
    revision: decimalString.optional(),
    activity_detail: activityDetailField,
  }),
  subagent_state: openObject({ session_id: sessionId, subagent: subagentInfo, runtime: runtimeIdentity.optional() }),
  attach_opened: attachEvent,
  attach_closed: attachEvent,
  notification_created: notificationEvent,
  notification_updated: notificationEvent,
  notification_deleted: openObject({ notification_id: idOf<NotificationId>("notification id") }),
} satisfies Record<EventName, z.ZodType>;
