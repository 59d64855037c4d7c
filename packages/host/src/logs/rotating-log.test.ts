import { afterEach, beforeEach, expect, test } from "bun:test";
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pruneLogs, removeSessionLogs } from "./log-files.ts";
import { createLogger } from "./logger.ts";
import { RotatingLog } from "./rotating-log.ts";

let dir: string;

beforeEach(() => {
  dir = mkdtempSync(join(tmpdir(), "plog-"));
});

afterEach(() => {
  rmSync(dir, { recursive: true, force: true });
});

function linesOf(name: string): unknown[] {
  const text = readFileSync(join(dir, name), "utf8");
  expect(text.endsWith("\n")).toBe(true);
  return text
    .trimEnd()
    .split("\n")
    .map((line) => JSON.parse(line) as unknown);
}

test("a file is rotated before a line would cross its limit, and the oldest rotation goes", () => {
  using log = new RotatingLog({ path: join(dir, "a.jsonl"), fileBytes: 100, files: 3 });
  for (let index = 0; index < 40; index += 1) {
    log.append(JSON.stringify({ index, pad: "x".repeat(20) }));
  }
  log.flush();
  expect(readdirSync(dir).sort()).toEqual(["a.jsonl", "a.jsonl.1", "a.jsonl.2"]);
  const kept = ["a.jsonl.2", "a.jsonl.1", "a.jsonl"].flatMap((name) => {
    expect(statSync(join(dir, name)).size).toBeLessThanOrEqual(100);
    return linesOf(name).map((line) => (line as { index: number }).index);
  });
  expect(kept.at(-1)).toBe(39);
  expect(kept).toEqual(kept.map((_, offset) => 40 - kept.length + offset));
  expect(statSync(join(dir, "a.jsonl")).mode & 0o777).toBe(0o600);
});

test("a line larger than a file becomes a small warning", () => {
  using log = new RotatingLog({ path: join(dir, "a.jsonl"), fileBytes: 200, files: 2 });
  log.append(JSON.stringify({ secret: "s".repeat(500) }));
  log.flush();
  expect(linesOf("a.jsonl")).toEqual([
    expect.objectContaining({ level: "warn", event: "log_event_too_large", bytes: 514 }),
  ]);
});

test("an unwritable file loses lines whole, and the loss is told once writing works again", () => {
  const path = join(dir, "sub", "a.jsonl");
  using log = new RotatingLog({ path, fileBytes: 1000, files: 2 });
  log.append('{"n":1}');
  log.append('{"n":2}');
  log.flush();
  log.append('{"n":3}');
  log.flush();
  expect(log.dropped).toBe(3);
  mkdirSync(join(dir, "sub"));
  log.append('{"n":4}');
  log.flush();
  expect(log.dropped).toBe(0);
  expect(linesOf("sub/a.jsonl")).toEqual([expect.objectContaining({ event: "log_lines_dropped", lines: 3 }), { n: 4 }]);
});

test("two writers of one family follow each other's rotation", () => {
  const lock = { run: (body: () => void) => body() };
  const options = { path: join(dir, "a.jsonl"), fileBytes: 80, files: 4, lock };
  using first = new RotatingLog(options);
  using second = new RotatingLog(options);
  for (let index = 0; index < 8; index += 1) {
    const writer = index % 2 === 0 ? first : second;
    writer.append(JSON.stringify({ index, pad: "x".repeat(10) }));
    writer.flush();
  }
  const names = readdirSync(dir).sort().reverse();
  const kept = names.flatMap((name) => linesOf(name).map((line) => (line as { index: number }).index));
  expect(kept).toEqual([0, 1, 2, 3, 4, 5, 6, 7]);
});

test("a log is never written through a symlink", () => {
  const outside = join(dir, "outside");
  writeFileSync(outside, "");
  symlinkSync(outside, join(dir, "a.jsonl"));
  using log = new RotatingLog({ path: join(dir, "a.jsonl"), fileBytes: 1000, files: 2 });
  log.append('{"n":1}');
  log.flush();
  expect(log.dropped).toBe(1);
  expect(readFileSync(outside, "utf8")).toBe("");
});

test("a logger writes only its level and above", () => {
  const lines: string[] = [];
  const logger = createLogger({ append: (line) => lines.push(line) }, "warn");
  logger.info("quiet");
  logger.warn("loud", { code: "x" });
  expect(lines.map((line) => JSON.parse(line) as unknown)).toEqual([
    expect.objectContaining({ level: "warn", event: "loud", code: "x" }),
  ]);
});

test("pruning removes owned rotations beyond the limits and legacy files, and leaves symlinks and strangers alone", () => {
  const files = {
    "pohunekd.jsonl": 10,
    "pohunekd.jsonl.1": 10,
    "pohunekd.jsonl.2": 200,
    "pohunekd.jsonl.8": 10,
    "pohunekd.log.2024-05-01": 10,
    "pohunek-session-s-1.jsonl": 10,
    "pohunek-session-s-1.jsonl.1": 90,
    "pohunek-session-s-1.jsonl.4": 10,
    "notes.txt": 999,
  };
  for (const [name, bytes] of Object.entries(files)) {
    writeFileSync(join(dir, name), "x".repeat(bytes));
  }
  symlinkSync(join(dir, "notes.txt"), join(dir, "pohunekd.log.2024-05-02"));
  const uid = statSync(join(dir, "notes.txt")).uid;
  const limits = { daemon: { fileBytes: 100, files: 8 }, session: { fileBytes: 50, files: 4 } };
  expect(pruneLogs(dir, uid + 1, limits)).toEqual([]);
  expect(pruneLogs(dir, uid, limits).sort()).toEqual([
    "pohunek-session-s-1.jsonl.1",
    "pohunek-session-s-1.jsonl.4",
    "pohunekd.jsonl.2",
    "pohunekd.jsonl.8",
    "pohunekd.log.2024-05-01",
  ]);
  expect(existsSync(join(dir, "pohunekd.log.2024-05-02"))).toBe(true);
});

test("removing a session's logs takes exactly its family", () => {
  const names = [
    "pohunek-session-s-1.jsonl",
    "pohunek-session-s-1.jsonl.1",
    "pohunek-session-s-1.jsonl.lock",
    "pohunek-session-s-12.jsonl",
  ];
  for (const name of names) {
    writeFileSync(join(dir, name), "x");
  }
  symlinkSync(join(dir, "pohunek-session-s-12.jsonl"), join(dir, "pohunek-session-s-1.jsonl.2"));
  removeSessionLogs(dir, statSync(dir).uid, "s-1");
  expect(readdirSync(dir).sort()).toEqual(["pohunek-session-s-1.jsonl.2", "pohunek-session-s-12.jsonl"]);
});
