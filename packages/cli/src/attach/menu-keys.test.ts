import { expect, test } from "bun:test";
import { DETACH_KEY, MENU_KEY } from "./attach-keys.ts";
import type { MenuKey } from "./menu-keys.ts";
import { readMenuKey } from "./menu-keys.ts";

function read(text: string): (MenuKey | undefined)[] {
  const keys: (MenuKey | undefined)[] = [];
  for (let bytes: Uint8Array = Buffer.from(text); bytes.length > 0; ) {
    const { key, length } = readMenuKey(bytes, [DETACH_KEY, MENU_KEY]);
    keys.push(key);
    bytes = bytes.subarray(length);
  }
  return keys;
}

const text = (character: string): MenuKey => ({ type: "text", text: character });

test.each<[string, (MenuKey | undefined)[]]>([
  ["dK", [text("d"), text("K")]],
  ["ž😀", [text("ž"), text("😀")]],
  ["\r\u007f\b", [{ type: "enter" }, { type: "backspace" }, { type: "backspace" }]],
  ["\u001b", [{ type: "escape" }]],
  ["\u0003\u001c\u001d", [{ type: "interrupt" }, { type: "menu" }, { type: "detach" }]],
  ["\u0001", [undefined]],
  ["\u001b[107u\u001b[107;1:3u\u001b[107;2u", [text("k"), undefined, text("K")]],
  ["\u001b[27u\u001b[13u\u001b[127u", [{ type: "escape" }, { type: "enter" }, { type: "backspace" }]],
  [
    "\u001b[99;5u\u001b[92;5u\u001b[93;5u\u001b[27;5;92~",
    [{ type: "interrupt" }, { type: "menu" }, { type: "detach" }, { type: "menu" }],
  ],
  ["\u001b[107;3u", [undefined]],
  ["\u001b[<0;5;5M", [undefined]],
  ["\u001b[A", [undefined]],
])("%p", (typed, keys) => {
  expect(read(typed)).toEqual(keys);
});
