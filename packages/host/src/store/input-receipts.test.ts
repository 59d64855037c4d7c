import { afterEach, beforeEach, expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { InputId, SessionId, WorkerInstanceId } from "@pohunek/protocol/wire";
import type { InputReceipt } from "./input-receipts.ts";
import { Store } from "./store.ts";

let dir: string;
let store: Store;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "receipts-"));
  store = new Store(join(dir, "store.sqlite3"));
});

afterEach(() => {
  store[Symbol.dispose]();
  rmSync(dir, { recursive: true, force: true });
});

const SESSION = "s-1" as SessionId;

function receipt(number: number, more: Partial<InputReceipt> = {}): InputReceipt {
  return {
    sessionId: SESSION,
    inputId: `i-${number}` as InputId,
    kind: "prompt",
    digest: "d",
    bytes: 3,
    state: "written",
    attempt: 1,
    isLeftOver: false,
    runtimeId: "w-1" as WorkerInstanceId,
    createdMs: number,
    updatedMs: number,
    expiresMs: number,
    ...more,
  };
}

const ids = (): string[] => store.receipts.list(undefined, 100).map(({ inputId }) => inputId);

test("a receipt is read as it was written", () => {
  const full = receipt(1, {
    state: "queued",
    code: "session_agent_blocked",
    text: "a\nb",
    unpasted: "raw",
    midTurn: "steering",
    isLeftOver: true,
    writtenMs: 5,
    outputOffset: 7,
  });
  store.receipts.add(full);
  expect(store.receipts.find(SESSION, full.inputId)).toEqual(full);
  expect(() => store.receipts.add(full)).toThrow();
  const written = { ...full, state: "written" as const, text: undefined, unpasted: undefined, isLeftOver: false };
  store.receipts.update(written);
  expect(store.receipts.find(SESSION, full.inputId)).toEqual(written);
  expect([store.receipts.queued(), store.receipts.leftOver()]).toEqual([[], []]);
});

test("old ones and those beyond the newest are forgotten, but none that is still queued", () => {
  store.receipts.add(receipt(1, { state: "queued" }));
  for (const number of [2, 3, 4, 5, 6]) store.receipts.add(receipt(number));
  store.receipts.prune({ beforeMs: 4, most: 100 });
  expect(ids()).toEqual(["i-6", "i-5", "i-4", "i-1"]);
  store.receipts.prune({ beforeMs: 0, most: 2 });
  expect(ids()).toEqual(["i-6", "i-5", "i-1"]);
});

test("those of a removed session go with it, and do not come back", () => {
  store.receipts.add(receipt(1));
  store.commit({ removedSession: SESSION, operation: null });
  store.receipts.update(receipt(1, { state: "turn_started" }));
  expect(ids()).toEqual([]);
});
