import { describe, expect, test } from "bun:test";
import { until } from "../support/index.ts";
import { Viewer } from "./support/viewer.ts";
import { WorkerUnderTest } from "./support/worker-under-test.ts";

describe("retained output", () => {
  test("is read from any cursor, in pieces that join", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("stty -onlcr; seq 20000; printf ready; exec cat");
    await session.shows("ready");
    const expected = `${Array.from({ length: 20_000 }, (_, index) => index + 1).join("\n")}\nready`;
    expect((await session.output()).toString()).toBe(expected);
    let text = "";
    for (let at = 0, hasMore = true; hasMore; ) {
      const piece = await session.client.readOutput({ after_offset: at, max_bytes: 7_001 });
      expect(piece.start_offset).toBe(at);
      expect(piece.gap).toBeUndefined();
      const bytes = Buffer.from(piece.data_base64, "base64");
      expect(bytes.length).toBe(piece.next_offset - piece.start_offset);
      expect(piece.has_more).toBe(piece.next_offset < piece.runtime_end_offset);
      text += bytes.toString("latin1");
      at = piece.next_offset;
      hasMore = piece.has_more;
    }
    expect(text).toBe(expected);
    const tail = await session.client.readOutput({ max_bytes: 5 });
    expect(Buffer.from(tail.data_base64, "base64").toString()).toBe("ready");
    expect(tail.start_offset).toBe(expected.length - 5);
  });

  test("that is gone is told as a gap", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("stty -onlcr; seq 300000; printf ready; exec cat", {
      history_bytes: 1_048_576,
    });
    await session.shows("ready");
    const piece = await session.client.readOutput({ after_offset: 1_000, max_bytes: 10 });
    const start = piece.runtime_end_offset - 1_048_576;
    expect(piece).toMatchObject({
      history_start_offset: start,
      start_offset: start,
      gap: { start_offset: 1_000, end_offset: start },
      has_more: true,
    });
  });

  test("at the end waits for more, and says when there was none", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("stty -echo; printf ready; read x; printf more; exec cat");
    await session.shows("ready");
    const { output } = await session.client.inspect();
    const none = await session.client.readOutput({ after_offset: output.end_offset, max_bytes: 10, wait_ms: 50 });
    expect(none).toMatchObject({ timed_out: true, data_base64: "", has_more: false });
    const waiting = session.client.readOutput({ after_offset: output.end_offset, max_bytes: 10, wait_ms: 10_000 });
    await session.type("\n");
    const some = await waiting;
    expect(some.timed_out).toBe(false);
    expect(Buffer.from(some.data_base64, "base64").toString()).toBe("more");
  });

  test("waits end with the program, and are limited in number", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("stty -echo; printf ready; read x; exit 0");
    await session.shows("ready");
    const { output } = await session.client.inspect();
    const wait = () => session.client.readOutput({ after_offset: output.end_offset, max_bytes: 10, wait_ms: 10_000 });
    const waiting = Array.from({ length: 64 }, wait);
    expect(await wait().catch((error: unknown) => error)).toMatchObject({ code: "session_waiter_limit_reached" });
    await session.type("\n");
    const results = await Promise.all(waiting);
    expect(results.every(({ timed_out: isTimedOut }) => !isTimedOut)).toBe(true);
  });
});

describe("the screen", () => {
  test("is told with cursor, size, title and progress, bound to an output offset", async () => {
    await using worker = await WorkerUnderTest.start();
    const script = "printf '\\033]0;a title\\007\\033]9;4;1;40\\007\\033[2;3Hhere\\033[?2004h'; exec cat";
    await using session = await worker.run(script, { cols: 40, rows: 10 });
    await session.shows("here");
    const snapshot = await session.client.snapshot();
    const { output } = await session.client.inspect();
    expect(snapshot).toMatchObject({
      cols: 40,
      rows: 10,
      title: "a title",
      progress: { state: "set", percent: 40 },
      cursor: { row: 1, col: 6, visible: true },
      alternate_screen: false,
      bracketed_paste: true,
      output_offset: output.end_offset,
    });
    expect(snapshot.visible_lines).toHaveLength(10);
    expect(snapshot.visible_lines[1]).toBe("  here");
  });

  test("is read as text: visible, recent, unwrapped, and tells what was cut", async () => {
    await using worker = await WorkerUnderTest.start();
    const long = "w".repeat(50);
    const script = `seq 30; echo ${long}; printf ready; exec cat`;
    await using session = await worker.run(script, { cols: 20, rows: 5 });
    await session.shows("ready");
    const read = (source: "visible" | "recent" | "recent_unwrapped", lines: number) =>
      session.client.readText({ source, lines });
    expect((await read("visible", 5)).lines).toEqual(["30", "w".repeat(20), "w".repeat(20), "w".repeat(10), "ready"]);
    expect(await read("recent_unwrapped", 3)).toMatchObject({ lines: ["30", long, "ready"], truncated: true });
    const all = await read("recent", 1_000);
    expect(all).toMatchObject({ truncated: false, alternate_screen: false });
    expect(all.lines).toHaveLength(34);
  });

  test("is looked at without attaching or changing anything", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("trap 'echo resized' WINCH; printf ready; while :; do read x || :; done");
    await session.shows("ready");
    using viewer = await Viewer.attach(session.client);
    await viewer.isSynced();
    const before = await session.client.inspect();
    await session.client.snapshot();
    await session.client.readText({ source: "recent", lines: 10 });
    await session.client.readOutput({ max_bytes: 100 });
    const after = await session.client.inspect();
    expect([after.attached, after.cols, after.rows]).toEqual([1, before.cols, before.rows]);
    expect(viewer.text).not.toContain("resized");
  });
});

describe("sizes", () => {
  test("reach the program once for each real change, in order", async () => {
    await using worker = await WorkerUnderTest.start();
    const script = "trap 'stty size' WINCH; printf ready; while :; do sleep 0.02; done";
    await using session = await worker.run(script);
    await session.shows("ready");
    expect(await session.client.resize({ cols: 80, rows: 24 })).toEqual({ cols: 80, rows: 24, changed: false });
    for (const cols of [90, 91, 92]) {
      expect(await session.client.resize({ cols, rows: 30 })).toEqual({ cols, rows: 30, changed: true });
      await session.shows(`30 ${cols}`);
    }
    expect(await session.client.resize({ cols: 92, rows: 30 })).toMatchObject({ changed: false });
    await session.event("geometry_changed", ({ cols }) => cols === 92);
    const text = (await session.output()).toString();
    expect(text.match(/30 \d+/g)).toEqual(["30 90", "30 91", "30 92"]);
  });

  test.each([
    [
      { cols: 0, rows: 0 },
      { cols: 80, rows: 24 },
    ],
    [
      { cols: 2, rows: 1 },
      { cols: 2, rows: 1 },
    ],
    [
      { cols: 65_535, rows: 65_535 },
      { cols: 500, rows: 200 },
    ],
    [
      { cols: 0, rows: 50 },
      { cols: 80, rows: 50 },
    ],
  ])("of %o become %o", async (wanted, taken) => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("printf ready; exec cat");
    await session.shows("ready");
    expect(await session.client.resize(wanted)).toMatchObject(taken);
    const { cols, rows } = await session.client.snapshot();
    expect({ cols, rows }).toEqual(taken);
  });

  test("are limited as the launch says, from the start", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("stty size; exec cat", { cols: 300, rows: 0, max_cols: 120, max_rows: 40 });
    await session.shows("24 120");
    expect(await session.client.resize({ cols: 200, rows: 100 })).toMatchObject({ cols: 120, rows: 40 });
  });
});

describe("events", () => {
  test("tell output, title, bell and the foreground group as they change", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run(["/bin/bash", "--norc", "-i"], { env: { PS1: "$ " } });
    await session.shows("$");
    await session.type("printf '\\033]2;named\\007\\007'\r");
    await session.event("terminal_changed", ({ title }) => title === "named");
    await session.event("terminal_changed", ({ bell }) => bell === true);
    await session.type("cat\r");
    await session.event("identity_changed", ({ foreground }) => foreground.program === "cat");
    await session.type("\x03");
    await until("the shell to be back", () => {
      const last = session.events.filter((event) => event.event === "identity_changed").at(-1);
      return last?.foreground.program === "bash";
    });
    const offsets = session.events
      .filter((event) => event.event === "output_advanced")
      .map((event) => event.end_offset);
    expect(offsets).toEqual([...offsets].sort((left, right) => left - right));
  });

  test("of a flood are merged", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run(
      "stty -echo; printf ready; read x; head -c 20000000 /dev/zero; printf end; exec cat",
    );
    await session.shows("ready");
    const started = performance.now();
    await session.type("\n");
    await session.event("output_advanced", ({ end_offset: end }) => end === 20_000_008);
    const intervals = (performance.now() - started) / 50;
    const count = session.events.filter((event) => event.event === "output_advanced").length;
    expect(count).toBeLessThan(intervals + 5);
  }, 30_000);

  test("answers to terminal queries reach the program while nobody is attached", async () => {
    await using worker = await WorkerUnderTest.start();
    const script = "stty raw -echo; printf '\\033[6n'; dd bs=1 count=6 status=none | cat -v; printf ' answered'; cat";
    await using session = await worker.run(script);
    await session.shows("answered");
    expect((await session.client.snapshot()).visible_lines[0]).toContain("^[[1;1R");
  });
});
