import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import { processorMs, until } from "../support/index.ts";
import { Viewer } from "./support/viewer.ts";
import { WorkerUnderTest } from "./support/worker-under-test.ts";

/** Text in which any lost, doubled or misplaced piece shows: numbered lines. */
function numbered(bytes: number): Buffer {
  let text = "";
  for (let line = 0; text.length < bytes; line += 1) {
    text += `${String(line).padStart(7, "0")} the quick brown fox\n`;
  }
  return Buffer.from(text.slice(0, bytes));
}

const RAW = "stty raw -echo; printf ready;";

describe("input", () => {
  test.each([
    [1_000_000, "cat"],
    [5_000_000, "cat"],
    // A program that takes 4 KB and then does something else for a while.
    [400_000, "while dd bs=4096 count=1 status=none 2>/dev/null; do sleep 0.005; done"],
  ])(
    "delivers a paste of %d bytes to %s, every byte in order",
    async (size, reader) => {
      await using worker = await WorkerUnderTest.start();
      const file = join(worker.roots.base, "taken");
      await using session = await worker.run(`${RAW} ${reader} > ${file}`);
      await session.shows("ready");
      using viewer = await Viewer.attach(session.client);
      const paste = numbered(size);
      viewer.stream.write(paste);
      await until("the paste to arrive", () => existsSync(file) && statSync(file).size >= size, 60_000);
      expect(readFileSync(file).equals(paste)).toBe(true);
    },
    90_000,
  );

  test("a program that never reads neither blocks nor spins the worker", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run(`${RAW} while :; do sleep 0.05; printf .; done`);
    await session.shows("ready");
    using viewer = await Viewer.attach(session.client);
    viewer.stream.write(numbered(1_000_000));
    const before = processorMs(worker.pid);
    const started = performance.now();
    for (let round = 0; round < 20; round += 1) {
      const asked = performance.now();
      await session.client.inspect();
      expect(performance.now() - asked).toBeLessThan(1_000);
      await Bun.sleep(100);
    }
    const share = (processorMs(worker.pid) - before) / (performance.now() - started);
    expect(share).toBeLessThan(0.25);
    // Output goes on too.
    const seen = viewer.totalBytes;
    await until("more output", () => viewer.totalBytes > seen);
  }, 30_000);

  test("Ctrl-C reaches a program that is stuck behind a paste, and drops the paste", async () => {
    await using worker = await WorkerUnderTest.start();
    // Canonical mode, so the kernel takes at most a few lines while the program sleeps.
    await using session = await worker.run("trap 'echo interrupted; cat' INT; printf ready; sleep 100; read x");
    await session.shows("ready");
    using viewer = await Viewer.attach(session.client);
    viewer.stream.write(numbered(2_000_000));
    viewer.type("\x03");
    await viewer.sees("interrupted");
    viewer.type("still here\n");
    await until("the line to be echoed and printed", () => viewer.text.split("still here").length >= 3);
    expect(viewer.text.slice(viewer.text.indexOf("interrupted"))).not.toContain("the quick brown fox\r\n0");
  }, 30_000);

  test("Ctrl-C is a byte like any other to a program that wants it so", async () => {
    await using worker = await WorkerUnderTest.start();
    const file = join(worker.roots.base, "taken");
    await using session = await worker.run(`${RAW} sleep 1; head -c 300001 > ${file}`);
    await session.shows("ready");
    using viewer = await Viewer.attach(session.client);
    viewer.stream.write(numbered(300_000));
    viewer.type("\x03");
    await until("all of it", () => existsSync(file) && statSync(file).size === 300_001, 20_000);
    expect(readFileSync(file).at(-1)).toBe(3);
  }, 30_000);

  test("every byte value survives both ways", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("stty raw -echo; printf ready; exec cat");
    await session.shows("ready");
    using viewer = await Viewer.attach(session.client);
    await viewer.isSynced();
    const all = Uint8Array.from({ length: 256 }, (_, value) => value);
    const before = viewer.totalBytes;
    viewer.stream.write(all);
    await until("the echo", () => viewer.totalBytes >= before + 256);
    expect(viewer.bytes.subarray(before)).toEqual(Buffer.from(all));
  });
});

describe("plans", () => {
  test("write both halves with the silence between, and nothing of anybody else in between", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("stty raw -echo; printf ready; exec cat -v");
    await session.shows("ready");
    using viewer = await Viewer.attach(session.client);
    await viewer.isSynced();
    const started = performance.now();
    const plan = session.client.write([{ data: Buffer.from("body"), delayMs: 300 }, { data: Buffer.from("S") }]);
    await viewer.sees("body");
    viewer.type("typed");
    const result = await plan;
    expect(performance.now() - started).toBeGreaterThanOrEqual(299);
    await viewer.sees("typed");
    expect(viewer.text.endsWith("bodyStyped")).toBe(true);
    expect(result.bytes).toBe(5);
  });

  test("a retry returns the first result and writes nothing; a forgotten one is told to be unknown", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("stty raw -echo; printf ready; exec cat");
    await session.shows("ready");
    const { client } = session;
    const plan = (sequence: number, text: string) => ({
      sequence,
      fragments: [{ data_base64: Buffer.from(text).toString("base64") }],
    });
    const first = await client.call("write_plan", plan(7, "once "));
    expect(await client.call("write_plan", plan(7, "once "))).toEqual(first);
    const other = await client.call("write_plan", plan(7, "else")).catch((error: unknown) => error);
    expect(other).toMatchObject({ code: "worker_invalid_request" });
    const below = await client.call("write_plan", plan(3, "late")).catch((error: unknown) => error);
    expect(below).toMatchObject({ code: "worker_write_outcome_unknown" });
    await client.call("write_plan", plan(8, "twice"));
    await session.shows("ready" + "once twice");
  });

  test("a new lease counts from the start, and raw input uses up nothing of what is remembered", async () => {
    await using worker = await WorkerUnderTest.start();
    {
      await using session = await worker.run("stty raw -echo; printf ready; exec cat > /dev/null");
      await session.shows("ready");
      await session.type("a");
      using viewer = await Viewer.attach(session.client);
      for (let frame = 0; frame < 20_000; frame += 1) {
        viewer.type("x");
      }
      const plan = { sequence: 1, fragments: [{ data_base64: Buffer.from("a").toString("base64") }] };
      expect((await session.client.call("write_plan", plan)).bytes).toBe(1);
    }
    await using next = await worker.control();
    await next.type("a");
  }, 30_000);

  test("wait in line for the right to write; giving up before it writes nothing", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("stty raw -echo; printf ready; exec cat");
    await session.shows("ready");
    const { client } = session;
    const first = await client.reserveWrite();
    const controller = new AbortController();
    const abandoned = client.reserveWrite({ signal: controller.signal }).catch((error: unknown) => error);
    const second = client.write([{ data: Buffer.from("second") }]);
    controller.abort(new Error("given up"));
    expect(await abandoned).toMatchObject({ message: "given up" });
    await first.send([{ data: Buffer.from("first ") }]);
    await second;
    await session.shows("readyfirst second");
  });

  test("are refused once the program has ended", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("exit 0");
    await session.event("child_exited");
    const refused = await session.client.write([{ data: Buffer.from("x") }]).catch((error: unknown) => error);
    expect(refused).toMatchObject({ code: "session_input_rejected", details: { reason: "exited" } });
  });
});
