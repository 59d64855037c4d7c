import { decodeUtf8 } from "@pohunek/protocol/wire";
import type { AttachKey } from "./attach-keys.ts";
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

const INTERRUPT = 0x03;

export interface ReadKey {
  /** Undefined for bytes that mean nothing to a menu. */
  readonly key: MenuKey | undefined;
  /** How many bytes it took. */
  readonly length: number;
}

/** Reads the next key of what was typed while the menu is open, in whatever encoding the session's program has left the keyboard. */
export function readMenuKey(bytes: Uint8Array, own: readonly AttachKey[]): ReadKey {
  if (bytes[0] !== ESC) return plainKey(bytes, own);
  const sequence = readSequence(bytes, 0);
  if (sequence.type === "incomplete" && bytes.length === 1) return { key: { type: "escape" }, length: 1 };
  // Mouse reports, answers and the like are nothing for a menu, and neither is what came with them.
  if (sequence.type !== "key") return { key: undefined, length: bytes.length };
  return { key: extendedKey(sequence.key, own), length: sequence.length };
}

function plainKey(bytes: Uint8Array, own: readonly AttachKey[]): ReadKey {
  const length = utf8SequenceLength(bytes[0] as number);
  const text = decodeUtf8(bytes.subarray(0, length));
  if (text === undefined) return { key: undefined, length: 1 };
  const code = text.codePointAt(0) ?? 0;
  // Before the named ones, since the client's key may be what is else a named one.
  const type = controlOf(code, own) ?? NAMED.get(code);
  if (type !== undefined) return { key: { type }, length };
  return { key: code < 0x20 ? undefined : { type: "text", text }, length };
}

function utf8SequenceLength(first: number): number {
  return first < 0xc0 ? 1 : first < 0xe0 ? 2 : first < 0xf0 ? 3 : 4;
}

function controlOf(byte: number, own: readonly AttachKey[]): "interrupt" | "menu" | "detach" | undefined {
  return own.find((key) => key.byte === byte)?.action ?? (byte === INTERRUPT ? "interrupt" : undefined);
}

function extendedKey(key: Key, own: readonly AttachKey[]): MenuKey | undefined {
  if (key.event === "release") return undefined;
  const named = NAMED.get(key.code);
  if (named !== undefined) return { type: named };
  if (key.modifiers === CTRL) {
    const control = controlOf(key.code & 0x1f, own);
    return control === undefined ? undefined : { type: control };
  }
  if ((key.modifiers & ~SHIFT) !== 0 || key.code < 0x20 || key.code > 0x10_ffff) return undefined;
  const text = String.fromCodePoint(key.code);
  return { type: "text", text: key.modifiers === SHIFT ? text.toUpperCase() : text };
}
