import { Database } from "bun:sqlite";
import { describe, expect, test } from "bun:test";
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { runDaemon, startHost, TempRoots } from "../support/index.ts";

const FIRST_SCHEMA = readFileSync(join(import.meta.dir, "store-schema-1.sql"), "utf8");

/** A store as the first schema had it, with one session that ended. */
function makeFirstStore(roots: TempRoots): string {
  mkdirSync(roots.data, { recursive: true, mode: 0o700 });
  const path = join(roots.data, "store.sqlite3");
  const db = new Database(path, { create: true });
  db.run("PRAGMA journal_mode = WAL");
  db.transaction(() => {
    for (const statement of FIRST_SCHEMA.split(";").filter((text) => text.trim() !== "")) {
      db.run(statement);
    }
  })();
  db.close();
  return path;
}

/** The version in the file's header: SQLite itself would leave files of its own beside it. */
function schemaOf(path: string): number {
  return readFileSync(path).readUInt32BE(60);
}

async function refusedStart(roots: TempRoots): Promise<string> {
  const { code, stderr } = await runDaemon(roots.environment());
  expect(code).toBe(1);
  expect(existsSync(roots.socket)).toBe(false);
  return stderr;
}

describe("an older store", () => {
  test("is migrated once, after its bytes were kept aside, with all that it holds", async () => {
    const roots = new TempRoots();
    const path = makeFirstStore(roots);
    const before = readFileSync(path);
    await using host = await startHost({ roots });
    expect(await host.list()).toMatchObject([
      {
        id: "s-OLD",
        name: "from before",
        state: "done",
        exit_code: 0,
        metadata: { kept: "yes" },
        runtime: { state: "terminal", worker_instance_id: "w-OLD" },
      },
    ]);
    const backup = `${path}.pre-schema-1`;
    expect(Buffer.compare(readFileSync(backup), before)).toBe(0);
    expect(statSync(backup).mode & 0o777).toBe(0o600);
    expect(schemaOf(backup)).toBe(1);
    await host.stop();
    expect(schemaOf(path)).toBe(6);
    await host.start();
    expect((await host.list()).length).toBe(1);
    expect(readdirSync(roots.data).filter((name) => name.includes("pre-schema")).length).toBe(1);
    expect(host.log().find(({ event }) => event === "store_migrated")).toMatchObject({ from_schema: 1 });
  });

  test("keeps the first copy of its bytes when an earlier migration was interrupted", async () => {
    const roots = new TempRoots();
    const path = makeFirstStore(roots);
    writeFileSync(`${path}.pre-schema-1`, "the first copy");
    await using host = await startHost({ roots });
    expect((await host.list()).length).toBe(1);
    expect(readFileSync(`${path}.pre-schema-1`, "utf8")).toBe("the first copy");
  });
});

describe("a store that must not be touched", () => {
  test("because a newer release wrote it is refused, byte for byte unchanged", async () => {
    using roots = new TempRoots();
    const path = makeFirstStore(roots);
    const db = new Database(path);
    db.run("PRAGMA user_version = 99");
    db.close();
    const before = readFileSync(path);
    const names = readdirSync(roots.data);
    const stderr = await refusedStart(roots);
    expect(stderr).toContain("store_schema_newer");
    expect(stderr).toContain("99");
    expect(Buffer.compare(readFileSync(path), before)).toBe(0);
    expect(
      readdirSync(roots.data)
        .filter((name) => name !== "daemon.lock" && name !== "events")
        .sort(),
    ).toEqual(names.sort());
  });

  test("because it is not a store is refused with a hint, unchanged", async () => {
    using roots = new TempRoots();
    mkdirSync(roots.data, { recursive: true });
    const path = join(roots.data, "store.sqlite3");
    for (const content of [
      "not a database at all, but long enough to have a header of one hundred bytes, or so one should think",
      "short",
    ]) {
      writeFileSync(path, content);
      const stderr = await refusedStart(roots);
      expect(stderr).toContain("store_unreadable");
      expect(stderr).toContain("pre-schema");
      expect(readFileSync(path, "utf8")).toBe(content);
    }
  });
});

test("rows that can't be read are kept, told with a warning and a hint, and shown by the doctor; the others are served", async () => {
  const roots = new TempRoots();
  const path = makeFirstStore(roots);
  const db = new Database(path);
  db.run(
    "INSERT INTO sessions SELECT 's-BROKEN', name, agent, agent_base, cwd, cols, rows, 'dancing', exit_code, runtime_state, generation, worker_id, runtime_id, child_pid, started_at, last_connected_at, loss_reason, metadata, warnings, created_at, updated_at FROM sessions",
  );
  db.run(
    "INSERT INTO sessions SELECT 's-WORSE', name, agent, agent_base, cwd, cols, rows, state, exit_code, runtime_state, generation, worker_id, runtime_id, child_pid, started_at, last_connected_at, loss_reason, '{\"a\":1}', warnings, created_at, updated_at FROM sessions WHERE id = 's-OLD'",
  );
  db.close();
  await using host = await startHost({ roots });
  expect((await host.list()).map(({ id }) => id)).toEqual(["s-OLD"]);
  const warnings = host.log().filter(({ event }) => event === "session_row_unreadable");
  expect(warnings).toMatchObject([
    {
      level: "warn",
      session_id: "s-BROKEN",
      reason: "state has an unknown value",
    },
    { level: "warn", session_id: "s-WORSE", reason: "metadata has a value that is no text" },
  ]);
  expect(warnings[0]?.["hint"]).toContain("sqlite3");
  const { report } = await host.call<{
    report: { overall: string; checks: { name: string; status: string; detail: string }[] };
  }>("daemon.doctor");
  const finding = report.checks.find(({ name }) => name === "store");
  expect(finding?.status).toBe("warn");
  expect(finding?.detail).toContain("s-BROKEN");
  await host.stop();
  const after = new Database(path, { readonly: true });
  expect(after.query<{ count: number }, []>("SELECT count(*) AS count FROM sessions").get()?.count).toBe(3);
  after.close();
});

test("the audit log tells the life of sessions in order, once, across crashes, and holds no secret", async () => {
  await using host = await startHost({
    env: { MY_TOKEN: "env-sentinel" },
    config: '[environment]\nforward = ["MY_TOKEN"]\n',
  });
  const { id } = await host.newSession({
    command: ["/bin/sh", "-c", "echo argv-sentinel output; cat"],
    name: "name",
    metadata: { k: "v" },
    input: "input-sentinel",
  });
  await host.kill();
  await host.start();
  await host.call("session.stop", id);
  await host.kill();
  await host.start();
  await host.call("session.remove", id);
  await host.stop();
  const folder = join(host.roots.data, "events");
  const lines = readdirSync(folder)
    .sort()
    .flatMap((name) => readFileSync(join(folder, name), "utf8").trimEnd().split("\n"));
  const events = lines.map(
    (line) => JSON.parse(line) as { seq: number; event: string; session_id: string; ts: string },
  );
  expect(events.map(({ event }) => event)).toEqual([
    "session_starting",
    "session_created",
    "session_runtime_reconnected",
    "session_stopped",
    "session_removed",
  ]);
  expect(events.every(({ session_id, ts }) => session_id === id && !Number.isNaN(Date.parse(ts)))).toBe(true);
  expect(events.map(({ seq }) => seq)).toEqual(events.map((_, index) => index + 1));

  const everything =
    await Bun.$`grep -rl -e env-sentinel -e argv-sentinel -e input-sentinel ${host.roots.data} ${host.roots.state} ${host.roots.runtime}`
      .nothrow()
      .text();
  expect(everything).toBe("");
});
