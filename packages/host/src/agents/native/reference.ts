import { randomUUID } from "node:crypto";
import { isAbsolute } from "node:path";
import { fitsUtf8, hasControlCharacter, protocolError } from "@pohunek/protocol/wire";
import type { ReferenceKind } from "../../store/native-launch.ts";

const ID_BYTES = 512;
const PATH_BYTES = 4096;

/** A reference for a conversation that is about to begin. All agents that take one take a UUID. */
export function newReference(): string {
  return randomUUID();
}

/**
 * Whether a reference may be kept, and put on a command line. An id that looked like an option, or a path that meant
 * another file from another folder, could have an agent do what nobody asked for.
 */
export function isReference(kind: ReferenceKind, value: string): boolean {
  const most = kind === "id" ? ID_BYTES : PATH_BYTES;
  if (value === "" || !fitsUtf8(value, most) || hasControlCharacter(value)) {
    return false;
  }
  return kind === "id" ? !value.startsWith("-") : isAbsolute(value);
}

/** Fails with invalid_session_ref. The reference itself is in no message: it names a private conversation. */
export function checkReference(kind: ReferenceKind, value: string): void {
  if (!isReference(kind, value)) {
    throw protocolError("invalid_session_ref");
  }
}
