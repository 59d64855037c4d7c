import { describe, expect, test } from "bun:test";
import type { WorkerClient } from "../../packages/host/src/worker-api/client.ts";
import type { WritePlanResult } from "../../packages/host/src/worker-api/operations.ts";
import { until } from "../support/index.ts";
import { Viewer } from "./support/viewer.ts";
import { WorkerUnderTest } from "./support/worker-under-test.ts";

const ECHOES = "stty raw -echo; printf ready; exec cat -v";

async function hold(client: WorkerClient, key: string, more: { text?: string; holdMs?: number } = {}) {
  const { text = "body", holdMs = 5000 } = more;
  using reservation = await client.reserveWrite();
  return await reservation.send([{ data: Buffer.from(text), delayMs: 20 }, { data: Buffer.from("S") }], {
    key,
    holdMs,
  });
}

const codeOf = (call: Promise<unknown>): Promise<unknown> =>
  call.then(
    () => "no failure",
    (error: unknown) => (error as { code: string }).code,
  );

describe("a held plan", () => {
  test("waits before its last fragment until it is submitted, and what others type waits behind it", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run(ECHOES);
    await session.shows("ready");
    using viewer = await Viewer.attach(session.client);
    await viewer.isSynced();
    const held = await hold(session.client, "a/1");
    expect(held).toMatchObject({ outcome: "held", bytes: 5 });
    viewer.type("typed");
    expect(await session.client.planOutcome("a/1")).toMatchObject({ state: "held", remembered_since_ms: 0 });
    await session.shows("readybody");
    const settled = await session.client.settlePlan({ key: "a/1", submit: true });
    expect(settled.outcome).toBe("written");
    await session.shows("readybodyStyped");
    expect(await session.client.planOutcome("a/1")).toMatchObject({ state: "written" });
    // Too late to be withdrawn.
    expect(await session.client.settlePlan({ key: "a/1", submit: false })).toMatchObject({ outcome: "written" });
  });

  test("that is withdrawn never submits, and lets the next one through", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run(ECHOES);
    await session.shows("ready");
    await hold(session.client, "a/1");
    expect(await session.client.settlePlan({ key: "a/1", submit: false })).toMatchObject({ outcome: "withdrawn" });
    await session.type("next");
    await session.shows("readybodynext");
    expect(await hold(session.client, "a/1")).toMatchObject({ outcome: "withdrawn" });
    expect(await session.client.planOutcome("a/1")).toMatchObject({ state: "withdrawn" });
  });

  test("is not submitted over output that its sender has not seen", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("stty raw -echo; printf ready; sleep 0.3; printf dialog; exec cat -v");
    await session.shows("ready");
    const { output_offset: before } = await hold(session.client, "a/1");
    await session.shows("dialog");
    const moved = await session.client.settlePlan({ key: "a/1", submit: true, output_offset: before });
    expect(moved.outcome).toBe("moved");
    expect(moved.output_offset).toBeGreaterThan(before);
    const now = (await session.client.inspect()).output.end_offset;
    const settled = await session.client.settlePlan({ key: "a/1", submit: true, output_offset: now });
    expect(["written", "moved"]).toContain(settled.outcome);
    await session.client.settlePlan({ key: "a/1", submit: true });
    await session.shows("dialogbodyS");
  });

  test("of a daemon that died is known to the next one, which may submit it", async () => {
    await using worker = await WorkerUnderTest.start();
    {
      await using session = await worker.run(ECHOES);
      await session.shows("ready");
      await hold(session.client, "a/1");
    }
    await using next = await worker.control();
    expect(await next.client.planOutcome("a/1")).toMatchObject({ state: "held" });
    expect(await hold(next.client, "a/1")).toMatchObject({ outcome: "held" });
    expect(await codeOf(hold(next.client, "a/1", { text: "other" }))).toBe("worker_invalid_request");
    await next.client.settlePlan({ key: "a/1", submit: true });
    await next.shows("readybodyS");
    expect(await next.client.planOutcome("never")).toMatchObject({ state: "never" });
  });

  test("of which nobody says anything is withdrawn in time", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run(ECHOES);
    await session.shows("ready");
    await hold(session.client, "a/1", { holdMs: 100 });
    await until("the plan to be withdrawn", async () => {
      const { state } = await session.client.planOutcome("a/1");
      return state === "withdrawn";
    });
    await session.type("next");
    await session.shows("readybodynext");
  });

  test("ends with the program", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run("stty raw -echo; printf ready; sleep 0.5");
    await session.shows("ready");
    const held: WritePlanResult = await hold(session.client, "a/1");
    expect(held.outcome).toBe("held");
    await session.event("child_exited");
    expect(await codeOf(session.client.settlePlan({ key: "a/1", submit: true }))).toBe("worker_write_outcome_unknown");
    expect(await session.client.planOutcome("a/1")).toMatchObject({ state: "failed", written_bytes: 4 });
  });
});

test("a plan with a key is written once, whichever daemon sends it", async () => {
  await using worker = await WorkerUnderTest.start();
  const write = async (client: WorkerClient): Promise<WritePlanResult> =>
    await client.write([{ data: Buffer.from("once ") }], { key: "b/1" });
  {
    await using session = await worker.run(ECHOES);
    await session.shows("ready");
    await Promise.all([write(session.client), write(session.client)]);
  }
  await using next = await worker.control();
  expect(await write(next.client)).toMatchObject({ bytes: 5, sequence: 1 });
  await next.type("end");
  await next.shows("readyonce end");
});

test("a daemon of version 3 has no keys of plans", async () => {
  await using worker = await WorkerUnderTest.start();
  await using session = await worker.control({ versions: { min: 3, max: 3 } });
  expect(await codeOf(session.client.planOutcome("a"))).toBe("worker_feature_unavailable");
});
