/** What the scripted model answers to one request. */

export interface ToolCall {
  readonly name: string;
  /** Arguments as JSON, or the text of a tool that takes plain text. */
  readonly input: Readonly<Record<string, unknown>> | string;
}

export interface Reply {
  /** Silence before the first byte of the answer. */
  readonly delayMs?: number;
  /** Thinks aloud for so long before the text. */
  readonly thinkingMs?: number;
  readonly text?: readonly string[];
  /** Pause between the pieces of the text. */
  readonly everyMs?: number;
  readonly tool?: ToolCall;
  /** An HTTP error in place of an answer. */
  readonly status?: number;
  readonly retryAfterSeconds?: number;
  /** `never`: headers and then nothing. `broken`: the connection ends in the middle of the text. */
  readonly ending?: "never" | "broken";
}
