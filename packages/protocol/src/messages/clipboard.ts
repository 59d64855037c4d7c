import { z } from "zod";
import { closedEnum, openEnum, openObject, schemaNotes } from "../schema.ts";
import { CLIPBOARD_MOST_BYTES, CLIPBOARD_RULES } from "../wire/clipboard.ts";

/** A session's own rules about the clipboard (OSC 52), beside those of the host's settings. */
export const clipboardWish = z.object({
  write: closedEnum(CLIPBOARD_RULES).optional(),
  read: closedEnum(CLIPBOARD_RULES).optional(),
  max_bytes: z.int().min(0).max(CLIPBOARD_MOST_BYTES).optional(),
});

/** The rules that a client keeps on behalf of its user: see docs/terminal.md. */
export const clipboardPolicy = openObject({
  write: openEnum(CLIPBOARD_RULES),
  read: openEnum(CLIPBOARD_RULES),
  max_bytes: z.int().min(0),
}).register(schemaNotes, { label: "ClipboardPolicy" });
