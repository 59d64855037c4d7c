import type { ClipboardPolicy } from "@pohunek/protocol/wire";
import { CLIPBOARD_MOST_BYTES, CLIPBOARD_RULES } from "@pohunek/protocol/wire";
import { asObject, integer, oneOf, onlyMembers } from "./parse.ts";

/** Absent: the defaults of the protocol. */
export function parseClipboardPolicy(value: unknown): ClipboardPolicy | undefined {
  if (value === undefined) {
    return undefined;
  }
  const policy = onlyMembers(asObject(value, "clipboard"), ["write", "read", "max_bytes"]);
  return {
    write: oneOf(policy, "write", CLIPBOARD_RULES),
    read: oneOf(policy, "read", CLIPBOARD_RULES),
    max_bytes: integer(policy, "max_bytes", { min: 0, max: CLIPBOARD_MOST_BYTES }),
  };
}
