import { afterEach, beforeEach, expect, test } from "bun:test";
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EventOutbox } from "./audit-log.ts";
import { AuditLog } from "./audit-log.ts";
import type { OutboxEntry } from "./store.ts";

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "paudit-"));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

class Outbox implements EventOutbox {
  entries: OutboxEntry[] = [];
  forgets = true;

  add(...seqs: number[]): void {
    this.entries.push(...seqs.map((seq) => ({ seq, line: JSON.stringify({ event: `e${seq}` }) })));
  }

  pendingEvents(limit: number): OutboxEntry[] {
    return this.entries.slice(0, limit);
  }

  forgetEvents(upToSeq: number): void {
    if (!this.forgets) {
      throw new Error("disk full");
    }
    this.entries = this.entries.filter((entry) => entry.seq > upToSeq);
  }
}

const may = (): Date => new Date("2024-05-31T23:59:59Z");
const june = (): Date => new Date("2024-06-01T00:00:00Z");

function loggedSeqs(): number[] {
  return readdirSync(dir)
    .sort()
    .flatMap((name) => readFileSync(join(dir, name), "utf8").trimEnd().split("\n"))
    .map((line) => (JSON.parse(line) as { seq: number }).seq);
}

test("events reach the log in order, once, in a file for each month", () => {
  const outbox = new Outbox();
  outbox.add(1, 2);
  new AuditLog(dir, outbox, may).drain();
  outbox.add(3);
  new AuditLog(dir, outbox, june).drain();
  expect(readdirSync(dir).sort()).toEqual(["2024-05.jsonl", "2024-06.jsonl"]);
  expect(loggedSeqs()).toEqual([1, 2, 3]);
  expect(outbox.entries).toEqual([]);
});

test("events that were logged but not forgotten before a crash are not logged twice", () => {
  const outbox = new Outbox();
  outbox.add(1, 2, 3);
  outbox.forgets = false;
  const log = new AuditLog(dir, outbox, may);
  expect(() => log.drain()).toThrow("disk full");
  expect(() => log.drain()).toThrow("disk full");
  outbox.forgets = true;
  outbox.add(4);
  new AuditLog(dir, outbox, may).drain();
  expect(loggedSeqs()).toEqual([1, 2, 3, 4]);
});

test("a line cut short by a crash is written again whole", () => {
  const outbox = new Outbox();
  outbox.add(1);
  new AuditLog(dir, outbox, may).drain();
  appendFileSync(join(dir, "2024-05.jsonl"), '{"seq":2,"ev');
  outbox.add(2);
  new AuditLog(dir, outbox, may).drain();
  expect(loggedSeqs()).toEqual([1, 2]);
});

test("a store that starts anew with low numbers loses no event", () => {
  const outbox = new Outbox();
  outbox.add(500);
  new AuditLog(dir, outbox, may).drain();
  outbox.add(1, 2);
  new AuditLog(dir, outbox, may).drain();
  expect(loggedSeqs()).toEqual([500, 1, 2]);
});
