/** The schema library, for who walks the declarations. */
export type { z } from "zod";
export { events } from "./messages/events.ts";
export type { AgentRuntime, DoctorReport, HostRecord } from "./messages/host.ts";
export type { IntegrationStatus } from "./messages/integration.ts";
export type { NotificationPolicy, NotificationRecord } from "./messages/notification.ts";
export type { PackageInfo, PackageRuntimeInfo } from "./messages/package.ts";
export type { ProjectInfo } from "./messages/project.ts";
export type {
  ActivityDetail,
  RuntimeIdentity,
  SessionInfo,
  SessionInfoReply,
  SessionRuntime,
  SessionWarning,
  SubagentInfo,
} from "./messages/session-info.ts";
export { isWithinMetadataLimits } from "./messages/session-info.ts";
export type { InputReceipt, InputReceiptReply } from "./messages/session-input.ts";
export type { RuntimeInventoryEntry } from "./messages/session-lifecycle.ts";
export type { RetentionPolicy } from "./messages/session-settings.ts";
export type {
  AnnouncedEvent,
  EventOf,
  EventPayloadOf,
  HandlerMap,
  ParamsOf,
  ParsedParamsOf,
  ReplyOf,
  ResultOf,
} from "./messages.ts";
export { methods, parseEventPayload, parseParams, parseResult } from "./messages.ts";
export type { Open, SchemaNote } from "./schema.ts";
export { schemaNotes } from "./schema.ts";
export * from "./wire.ts";
