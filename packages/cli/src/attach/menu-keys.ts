import { decodeUtf8 } from "@pohunek/protocol/wire";
import type { Key } from "./key-sequence.ts";
import { readSequence } from "./key-sequence.ts";

/** A key as the menu understands it. */
export type MenuKey =
  | { readonly type: "text"; readonly text: string }
  | { readonly type: "escape" | "enter" | "backspace" | "interrupt" | "menu" | "detach" };

const ESC = 0x1b;
const SHIFT = 1;
const CTRL = 4;

const NAMED: ReadonlyMap<number, "escape" | "enter" | "backspace"> = new Map([
  [27, "escape"],
  [13, "enter"],
  [10, "enter"],
  [127, "backspace"],
  [8, "backspace"],
]);

const CONTROLS: ReadonlyMap<number, "interrupt" | "menu" | "detach"> = new Map([
  [0x03, "interrupt"],
  [0x1c, "menu"],
  [0x1d, "detach"],
]);

/** Reads what was typed while the menu is open, in whatever encoding the session's program has left the keyboard. */
export function readMenuKeys(bytes: Uint8Array): MenuKey[] {
  const keys: MenuKey[] = [];
  let at = 0;
  while (at < bytes.length) {
    if (bytes[at] !== ESC) {
      const end = nextEscape(bytes, at);
      keys.push(...plainKeys(bytes.subarray(at, end)));
      at = end;
      continue;
    }
    const sequence = readSequence(bytes, at);
    if (sequence.type === "incomplete" && at + 1 === bytes.length) keys.push({ type: "escape" });
    // Mouse reports, answers and the like are nothing for a menu, and neither is what came with them.
    if (sequence.type !== "key") break;
    const key = extendedKey(sequence.key);
    if (key !== undefined) keys.push(key);
    at += sequence.length;
  }
  return keys;
}

function nextEscape(bytes: Uint8Array, from: number): number {
  const found = bytes.indexOf(ESC, from);
  return found === -1 ? bytes.length : found;
}

function plainKeys(bytes: Uint8Array): MenuKey[] {
  return [...(decodeUtf8(bytes) ?? "")].flatMap((character): MenuKey[] => {
    const code = character.codePointAt(0) ?? 0;
    const type = NAMED.get(code) ?? CONTROLS.get(code);
    if (type !== undefined) return [{ type }];
    return code < 0x20 ? [] : [{ type: "text", text: character }];
  });
}

function extendedKey(key: Key): MenuKey | undefined {
  if (key.event === "release") return undefined;
  const named = NAMED.get(key.code);
  if (named !== undefined) return { type: named };
  if (key.modifiers === CTRL) {
    const control = CONTROLS.get(key.code & 0x1f);
    return control === undefined ? undefined : { type: control };
  }
  if ((key.modifiers & ~SHIFT) !== 0 || key.code < 0x20 || key.code > 0x10_ffff) return undefined;
  const text = String.fromCodePoint(key.code);
  return { type: "text", text: key.modifiers === SHIFT ? text.toUpperCase() : text };
}
