export const CLIPBOARD_RULES = ["allow", "refuse"] as const;
export type ClipboardRule = (typeof CLIPBOARD_RULES)[number];

/** What a session's program may do to the clipboards of its viewers (OSC 52). */
export interface ClipboardPolicy {
  /** Copies to it. */
  readonly write: ClipboardRule;
  /** Reads what is on it. */
  readonly read: ClipboardRule;
  /** Of text, before base64; a larger copy is dropped as a whole, and the user is told. */
  readonly max_bytes: number;
}

export const CLIPBOARD_DEFAULTS: ClipboardPolicy = { write: "allow", read: "refuse", max_bytes: 1_048_576 };

/** The largest copy that a session may be allowed. */
export const CLIPBOARD_MOST_BYTES = 16_777_216;
