/** Longest control line in bytes, without its line feed. */
export const MAX_CONTROL_LINE_BYTES = 1_048_576;

/** Bytes around a result in its envelope: the empty success envelope with the largest version, and 128 bytes of id. */
const SUCCESS_ENVELOPE_BYTES = '{"v":4294967295,"id":"","ok":}'.length + 128;

const MAX_RESULT_BYTES = MAX_CONTROL_LINE_BYTES - SUCCESS_ENVELOPE_BYTES;

/** Room for the other fields of a session.output result beside its base64 data. */
const OUTPUT_METADATA_BYTES = 4_096;

/** Limits of the public protocol. Byte limits count UTF-8 bytes; character limits count Unicode code points. */
export const LIMITS = Object.freeze({
  controlLineBytes: MAX_CONTROL_LINE_BYTES,
  requestIdBytes: 128,
  sessionIdBytes: 128,
  workerInstanceIdBytes: 128,
  inputTextBytes: 262_144,
  /** Ours: the choice of an answer. */
  answerBytes: 1_024,
  /** Ours: how long a queued input may wait, and the receipts in one answer. */
  inputExpiryMs: 86_400_000,
  inputReceipts: 200,
  /** Raw bytes of one session.output answer: what still fits in a line after base64 growth. */
  outputRawBytes: Math.floor((MAX_RESULT_BYTES - OUTPUT_METADATA_BYTES) / 4) * 3,
  /** A result that is text of a screen, after serialization. */
  screenResultBytes: MAX_RESULT_BYTES,
  screenRows: 200,
  screenColumns: 500,
  diffBytes: 524_288,
  waitMinimumMs: 1,
  waitMaximumMs: 8_000,
  waitersGlobal: 128,
  waitersPerSession: 8,
  attachTokenTtlMs: 10_000,
  attachFailureTtlMs: 60_000,
  attachFailureEntries: 128,
  nativeReportAheadMs: 60_000,
  nativeReferenceBytes: 512,
  pathBytes: 4_096,
  metadataKeys: 32,
  metadataKeyBytes: 64,
  metadataValueBytes: 4_096,
  metadataTotalBytes: 16_384,
  sessionNameBytes: 128,
  notificationTitleChars: 160,
  notificationBodyChars: 4_096,
  notificationSourceChars: 256,
  notificationDedupeKeyChars: 512,
  notificationMetadataEntries: 8,
  notificationMetadataChars: 512,
  projectIdBytes: 128,
  readLinesMinimum: 1,
  readLinesMaximum: 1_000,
  unconfirmedProcesses: 64,
  retentionCheckouts: 64,
  hookStdinBytes: 65_536,
  runtimeIdBytes: 64,
  /** Port of an overlay listener when nothing else is configured. */
  remotePort: 18_722,
});
