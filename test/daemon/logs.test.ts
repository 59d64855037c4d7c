import { expect, test } from "bun:test";
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { startHost, TempRoots, until } from "../support/index.ts";

test("the daemon's log is rotated in time, keeps its number of files, and every line is whole", async () => {
  await using host = await startHost({ config: "[log]\ndaemon_file_bytes = 4096\ndaemon_files = 3\n" });
  await using client = await host.connect();
  for (let round = 0; round < 200; round += 1) {
    await client.call("daemon.health");
  }
  await host.stop();
  const folder = dirname(host.roots.daemonLog);
  const names = readdirSync(folder).filter((name) => name.startsWith("pohunekd.jsonl"));
  expect(names.toSorted()).toEqual(["pohunekd.jsonl", "pohunekd.jsonl.1", "pohunekd.jsonl.2"]);
  const lines = ["pohunekd.jsonl.2", "pohunekd.jsonl.1", "pohunekd.jsonl"].flatMap((name) => {
    const path = join(folder, name);
    expect(statSync(path).size).toBeLessThanOrEqual(4096);
    expect(statSync(path).mode & 0o777).toBe(0o600);
    return readFileSync(path, "utf8").trimEnd().split("\n");
  });
  const ids = lines
    .map((line) => JSON.parse(line) as { request_id?: string })
    .flatMap(({ request_id }) => request_id ?? []);
  const numbers = ids.map((id) => Number(id.replace("t-", "")));
  expect(numbers.at(-1)).toBe(200);
  expect(numbers).toEqual(numbers.map((_, index) => 200 - numbers.length + 1 + index));
});

test("the start removes what is beyond the limits, and no link", async () => {
  const roots = new TempRoots();
  const folder = dirname(roots.daemonLog);
  mkdirSync(folder, { recursive: true, mode: 0o700 });
  const write = (name: string, bytes: number): void => writeFileSync(join(folder, name), "x".repeat(bytes));
  write("pohunekd.jsonl.1", 5000);
  write("pohunekd.jsonl.8", 10);
  write("pohunekd.log.2024-01-31", 10);
  write("pohunek-session-s-1.jsonl.4", 10);
  write("keep.txt", 10);
  symlinkSync(join(folder, "keep.txt"), join(folder, "pohunekd.log.2024-02-01"));
  await using host = await startHost({ roots, config: "[log]\ndaemon_file_bytes = 4096\n" });
  const left = readdirSync(folder).toSorted();
  expect(left).toEqual(["keep.txt", "pohunekd.jsonl", "pohunekd.log.2024-02-01"]);
  expect(lstatSync(join(folder, "pohunekd.log.2024-02-01")).isSymbolicLink()).toBe(true);
  expect(host.log().find(({ event }) => event === "logs_pruned")).toMatchObject({ files: 4 });
});

/** What a worker of this release speaks. */
const WORKER_PROTOCOL = 4;

test("the log tells the course of things: starts, sessions with the source of each change, reconnects, requests", async () => {
  await using host = await startHost();
  const session = await host.newSession();
  await host.call("session.wait", { session_id: session.id, activities: ["idle"], timeout_ms: 8000 });
  await host.kill();
  await host.start();
  await host.call("session.stop", session.id);
  await host.call("session.remove", session.id);
  await host.stop();
  const log = host.log();
  const about = (event: string): Readonly<Record<string, unknown>>[] => log.filter((line) => line["event"] === event);
  expect(about("starting").length).toBe(2);
  expect(about("ready").length).toBe(2);
  expect(about("reconciled").at(-1)).toMatchObject({ sessions: 1, unreadable: 0 });
  expect(about("worker_connected").at(-1)).toMatchObject({
    session_id: session.id,
    worker_instance_id: session.runtime.worker_instance_id,
    worker_protocol: WORKER_PROTOCOL,
  });
  expect(about("session_moved").map(({ runtime, state, source }) => [runtime, state, source])).toEqual([
    ["live", "running", "process"],
    ["live", "running", "process"],
    ["terminal", "stopped", "process"],
  ]);
  expect(about("activity")[0]).toMatchObject({
    session_id: session.id,
    activity: "idle",
    source: "process",
    revision: 1,
  });
  expect(about("session_removed").length).toBe(1);
  expect(about("request").find(({ method }) => method === "session.remove")).toMatchObject({
    origin: "local",
    version: 4,
  });
  expect(about("signal").at(-1)).toMatchObject({ signal: "SIGTERM" });
  expect(log.at(-1)).toMatchObject({ event: "stopped" });
  await until(
    "the session's log to be gone",
    () => !readdirSync(dirname(host.roots.daemonLog)).some((name) => name.includes(session.id)),
  );
  expect(existsSync(host.roots.daemonLog)).toBe(true);
});
