import type { AttachAction, AttachKey } from "./attach-keys.ts";

const NAME = /^ctrl-([a-z\\\]^_@])$/;
/** In the plain encoding these are Tab, Enter and Enter again, which no client can keep for itself. */
const TAKEN = "ijm";
const CONTROL_BITS = 0x1f;

/** Reads `ctrl-]` and the like. Undefined for what is no key that a client can have for its own. */
export function readKeyName(action: AttachAction, name: string): AttachKey | undefined {
  const [, character = ""] = NAME.exec(name.toLowerCase()) ?? [];
  if (character === "" || TAKEN.includes(character)) return undefined;
  const code = character.charCodeAt(0);
  return { action, byte: code & CONTROL_BITS, code, label: `Ctrl-${character}` };
}
