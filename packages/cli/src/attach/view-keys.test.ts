import { expect, test } from "bun:test";
import type { ViewKey } from "./view-keys.ts";
import { mergeChanges, readViewKeys } from "./view-keys.ts";

test.each<[string, ViewKey[]]>([
  ["\x1b[A", [{ move_rows: -1 }]],
  ["\x1bOD", [{ move_cols: -4 }]],
  ["\x1b[5~", [{ move_rows: -9 }]],
  ["\x1b[6~j", [{ move_rows: 9 }, { move_rows: 1 }]],
  ["\x1b[H$", [{ move_cols: -1_000_000 }, { move_cols: 1_000_000 }]],
  ["fqt", [{ follow: true }, "leave", "toggle-layout"]],
  ["\x1b[1;5A\x1b[97;5u\x1bqxyž é\x1b", []],
])("%j is %j", (typed, keys) => {
  expect(readViewKeys(Buffer.from(typed), 10)).toEqual(keys);
});

test("moves add up, and following takes them back", () => {
  expect(mergeChanges({ move_rows: -1 }, { move_rows: -1 })).toEqual({ move_cols: 0, move_rows: -2 });
  expect(mergeChanges({ move_cols: 1_000_000 }, { move_cols: 1_000_000 })).toMatchObject({ move_cols: 1_000_000 });
  expect(mergeChanges({ move_rows: 5 }, { follow: true })).toEqual({ follow: true, move_cols: 0, move_rows: 0 });
  expect(mergeChanges({ follow: true }, { move_rows: 5 })).toEqual({ move_cols: 0, move_rows: 5 });
  expect(mergeChanges({ layout: "text" }, { move_rows: -5 })).toEqual({ layout: "text", move_cols: 0, move_rows: -5 });
});
