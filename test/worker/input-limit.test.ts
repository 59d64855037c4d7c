import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/index.ts";
import { Viewer } from "./support/viewer.ts";
import type { ControlledWorker } from "./support/worker-under-test.ts";
import { WorkerUnderTest } from "./support/worker-under-test.ts";

/** More than the kernel keeps for a program that does not read. */
const LARGE = 400_000;

function text(bytes: number, letter: string): Buffer {
  return Buffer.alloc(bytes, letter);
}

/** A program that begins to read when it is told. */
class Sleeper {
  readonly session: ControlledWorker;
  readonly #base: string;

  private constructor(session: ControlledWorker, base: string) {
    this.session = session;
    this.#base = base;
  }

  static async start(worker: WorkerUnderTest): Promise<Sleeper> {
    const { base } = worker.roots;
    const wait = `while [ ! -e ${base}/go ]; do sleep 0.02; done`;
    const session = await worker.run(`stty raw -echo; printf ready; ${wait}; exec cat > ${base}/taken`);
    await session.shows("ready");
    return new Sleeper(session, base);
  }

  wake(): void {
    writeFileSync(join(this.#base, "go"), "");
  }

  /** All that the program got, once that ends with `last`. */
  async got(last: string): Promise<string> {
    const taken = join(this.#base, "taken");
    return await until("the last of it", () => {
      const got = existsSync(taken) && readFileSync(taken, "latin1");
      return got && got.endsWith(last) && got;
    });
  }

  /** Lets it read, sends it `END`, and gives all that it got. */
  async readToEnd(): Promise<string> {
    this.wake();
    await this.session.type("END");
    return await this.got("END");
  }
}

async function failureOf(work: Promise<unknown>): Promise<{ code: string; details: Record<string, number> }> {
  return (await work.then(
    () => ({ code: "none" }),
    (cause: unknown) => cause,
  )) as { code: string; details: Record<string, number> };
}

describe("a plan with a time limit, for a program that does not read", () => {
  test("tells how much was written, and nothing of the rest is written later", async () => {
    await using worker = await WorkerUnderTest.start();
    const sleeper = await Sleeper.start(worker);
    await using session = sleeper.session;
    const startedAt = performance.now();
    const plan = session.client.write([{ data: text(LARGE, "a") }, { data: text(1, "S") }], { timeoutMs: 300 });
    const { code, details } = await failureOf(plan);
    const took = performance.now() - startedAt;
    expect(code).toBe("session_input_incomplete");
    expect(took).toBeGreaterThanOrEqual(295);
    expect(took).toBeLessThan(3000);
    const { written_bytes: written = 0, bytes } = details;
    expect(bytes).toBe(LARGE + 1);
    expect(written).toBeGreaterThan(0);
    expect(written).toBeLessThan(LARGE);
    expect(await sleeper.readToEnd()).toBe(`${"a".repeat(written)}END`);
  });

  test("is answered the same way when it is sent again, and is not written again", async () => {
    await using worker = await WorkerUnderTest.start();
    const sleeper = await Sleeper.start(worker);
    await using session = sleeper.session;
    const fragments = [{ data_base64: text(LARGE, "a").toString("base64") }];
    const plan = { sequence: 1, fragments, timeout_ms: 100 };
    const first = await failureOf(session.client.call("write_plan", plan));
    expect(first.code).toBe("session_input_incomplete");
    const again = await failureOf(session.client.call("write_plan", plan));
    expect([again.code, again.details]).toEqual([first.code, first.details]);
    sleeper.wake();
    // A later sequence goes on behind what was written.
    await session.client.call("write_plan", { sequence: 2, fragments: [{ data_base64: btoa("END") }] });
    expect(await sleeper.got("END")).toBe(`${"a".repeat(first.details["written_bytes"] ?? 0)}END`);
  });

  test("behind input that is stuck writes nothing, leaves that input as it is, and others behind it go on", async () => {
    await using worker = await WorkerUnderTest.start();
    const sleeper = await Sleeper.start(worker);
    await using session = sleeper.session;
    using viewer = await Viewer.attach(session.client);
    viewer.stream.write(text(LARGE, "p"));
    await until("the paste to be stuck", async () => {
      const { code } = await failureOf(session.client.write([{ data: text(1, "x") }], { timeoutMs: 50 }));
      return code === "session_input_blocked";
    });
    const plan = failureOf(
      session.client.write([{ data: text(1000, "b"), delayMs: 50 }, { data: text(1, "S") }], { timeoutMs: 300 }),
    );
    viewer.type("typed");
    const { code, details } = await plan;
    expect(code).toBe("session_input_blocked");
    expect(details).toMatchObject({ written_bytes: 0, bytes: 1001 });
    const got = await sleeper.readToEnd();
    expect(got.replaceAll("x", "")).toBe(`${"p".repeat(LARGE)}typedEND`);
  }, 30_000);

  test("does not count its own silence, and is written whole by a program that reads in time", async () => {
    await using worker = await WorkerUnderTest.start();
    const sleeper = await Sleeper.start(worker);
    await using session = sleeper.session;
    const plan = session.client.write([{ data: text(LARGE, "a"), delayMs: 600 }, { data: text(1, "S") }], {
      timeoutMs: 5000,
    });
    const got = sleeper.readToEnd();
    expect((await plan).bytes).toBe(LARGE + 1);
    expect(await got).toBe(`${"a".repeat(LARGE)}SEND`);
    const quick = session.client.write([{ data: text(3, "q"), delayMs: 400 }, { data: text(1, "S") }], {
      timeoutMs: 200,
    });
    expect((await quick).bytes).toBe(4);
  }, 30_000);

  test("without a limit waits for the program, as a daemon of an earlier release expects it", async () => {
    await using worker = await WorkerUnderTest.start();
    const sleeper = await Sleeper.start(worker);
    await using session = sleeper.session;
    const plan = session.client.write([{ data: text(LARGE, "a") }]);
    // The worker has taken it up by the time that it answers something later.
    await session.client.inspect();
    expect(await Promise.race([plan, Promise.resolve("waits")])).toBe("waits");
    expect(await sleeper.readToEnd()).toBe(`${"a".repeat(LARGE)}END`);
    expect((await plan).bytes).toBe(LARGE);
  }, 30_000);
});
