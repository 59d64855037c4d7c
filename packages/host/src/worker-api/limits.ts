/** Sizes and times of the worker protocol. Durations in ms, sizes in bytes. */
export const WORKER_LIMITS = {
  /** Longest control line, LF excluded. */
  controlLineBytes: 1_048_576,
  /** Payload of one data frame. */
  framePayloadBytes: 65_536,
  /** First line of a data connection. */
  openLineBytes: 1_024,
  /** Ring of retained output: default and most. */
  historyBytes: 10_000_000,
  historyBytesMax: 268_435_456,
  historyBytesMin: 1_048_576,
  /** Lines of scrollback in the terminal engine. */
  historyLines: 1_000,
  /** Raw bytes of one read_output answer, so that it fits a control line in base64. */
  readOutputBytes: 783_240,
  readTextLines: 1_000,
  observationWaitMs: 10_000,
  /** Waiting read_output calls at once. */
  observationWaiters: 64,
  dataTokenMs: 10_000,
  dataTokens: 4_096,
  /** Plans whose result is remembered for a retry. */
  rememberedPlans: 4_096,
  planFragments: 2,
  /** Both fragments of a plan together. */
  planBytes: 524_288,
  planDelayMs: 10_000,
  planTimeoutMaxMs: 60_000,
  /** Longest that a plan waits for its submission. */
  planHoldMaxMs: 30_000,
  /** Plans with a key whose outcome outlives the lease: a few hundred bytes each. */
  keyedPlans: 1_024,
  /** Input not yet taken by the PTY: beyond it plans are refused and attach streams are paused. */
  inputQueueBytes: 8_388_608,
  initDeadlineMs: 30_000,
  connectMs: 10_000,
  stopGraceMs: 500,
  stopGraceMaxMs: 60_000,
  /** An exit outcome waits this long for a daemon to acknowledge it. */
  outcomeRetentionMs: 86_400_000,
  cols: 500,
  rows: 200,
  /** Survivors listed by name after a stop. */
  listedSurvivors: 64,
} as const;
