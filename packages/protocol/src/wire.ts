export type { VersionAdapter } from "./wire/adapter.ts";
export { adapterFor, introducedIn, isVersionDependent } from "./wire/adapter.ts";
export { encodeAttachPrelude, parseAttachPrelude, readAttachAnswer } from "./wire/attach-prelude.ts";
export { PASTE_END, PASTE_START, PasteFollower } from "./wire/bracketed-paste.ts";
export type { ClipboardPolicy, ClipboardRule } from "./wire/clipboard.ts";
export { CLIPBOARD_DEFAULTS, CLIPBOARD_MOST_BYTES, CLIPBOARD_RULES } from "./wire/clipboard.ts";
export type { Decimal } from "./wire/decimal.ts";
export { compareDecimals, decimal, isDecimal, parseDecimal } from "./wire/decimal.ts";
export * from "./wire/enums.ts";
export type {
  EventEnvelope,
  FailureResponse,
  InvalidEnvelope,
  OriginPair,
  Request,
  Response,
  SuccessResponse,
} from "./wire/envelope.ts";
export {
  encodeEvent,
  encodeFailure,
  encodeLine,
  encodeSuccess,
  INVALID_REQUEST_ID,
  parseEvent,
  parseRequestEnvelope,
  parseResponse,
} from "./wire/envelope.ts";
export type { ErrorClass, ErrorRow } from "./wire/errors/row.ts";
export { ERROR_CLASSES } from "./wire/errors/row.ts";
export type { ErrorCode, ErrorTable } from "./wire/errors.ts";
export { errorRow, errorTable } from "./wire/errors.ts";
export type { EventName } from "./wire/events.ts";
export { EVENT_NAMES, isEventName } from "./wire/events.ts";
export type {
  DaemonId,
  HostId,
  InputId,
  NotificationId,
  ProjectId,
  RuntimeId,
  SessionId,
  StreamId,
  WorkerId,
  WorkerInstanceId,
} from "./wire/ids.ts";
export {
  daemonIdOf,
  isHostId,
  isOpaqueId,
  isRuntimeId,
  isSessionId,
  isStreamId,
  isWorkerInstanceId,
  newInputId,
  newNotificationId,
  newRequestId,
  newSessionId,
  newUlid,
  newWorkerInstanceId,
  streamIdOf,
} from "./wire/ids.ts";
export { LIMITS, MAX_CONTROL_LINE_BYTES } from "./wire/limits.ts";
export { LineDecoder } from "./wire/line-decoder.ts";
export type { ImplementedMethod, MethodName, MethodRow, Right } from "./wire/methods.ts";
export { isMethodName, METHODS, methodRow, servedMethod } from "./wire/methods.ts";
export type { ProtocolErrorOptions, WireError } from "./wire/protocol-error.ts";
export {
  errorFromWire,
  isProtocolError,
  ProtocolError,
  parseWireError,
  protocolError,
} from "./wire/protocol-error.ts";
export { LONGEST_SOCKET, requireShortRuntimeDir, SOCKET_PATH_BYTES, socketPathFault } from "./wire/runtime-dir.ts";
export { decodeUtf8, encodeUtf8, fitsUtf8, hasControlCharacter, isRecord, parseJson } from "./wire/text.ts";
export type { VersionRange } from "./wire/version.ts";
export {
  ConnectionVersion,
  MIN_PROTOCOL_VERSION,
  negotiateVersion,
  PROTOCOL_VERSION,
  SUPPORTED_VERSIONS,
} from "./wire/version.ts";
