import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Host, SessionFacts } from "../support/index.ts";
import { startHost, until } from "../support/index.ts";

interface Receipt {
  readonly input_id: string;
  readonly state: string;
  readonly is_final: boolean;
  readonly bytes: number;
  readonly code?: string;
}

interface Answer {
  readonly accepted: boolean;
  readonly receipt?: Receipt;
}

/** Writes down what it gets, byte by byte. */
async function startRecorder(host: Host): Promise<{ session: SessionFacts; taken: () => string }> {
  const file = join(host.roots.base, "taken");
  const session = await host.newSession({
    command: ["/bin/sh", "-c", `stty raw -echo; printf ready; exec cat > ${file}`],
  });
  await using attach = await host.attach(session.id);
  await attach.until("ready");
  return { session, taken: () => (existsSync(file) ? readFileSync(file, "latin1") : "") };
}

const send = (host: Host, session: SessionFacts, more: object): Promise<Answer> =>
  host.call("session.input", { session_id: session.id, ...more });

async function status(host: Host, session: SessionFacts, more: object): Promise<Receipt | undefined> {
  const params = { session_id: session.id, ...more };
  return (await host.call<{ receipts: Receipt[] }>("session.input_status", params)).receipts[0];
}

describe("an input with an id", () => {
  test("is written once, and its receipt is told again", async () => {
    await using host = await startHost();
    const { session, taken } = await startRecorder(host);
    const input = { text: "hello", input_id: "mine:1" };
    const answers = await Promise.all([send(host, session, input), send(host, session, input)]);
    for (const { receipt } of [...answers, await send(host, session, input)]) {
      expect(receipt).toMatchObject({ input_id: "mine:1", state: "written", is_final: true, bytes: 5 });
    }
    expect(await host.refusal("session.input", { session_id: session.id, ...input, text: "other" })).toBe(
      "session_input_id_reused",
    );
    await send(host, session, { text: "END" });
    await until("the last", () => taken().endsWith("END\r"));
    expect(taken()).toBe("hello\rEND\r");
    expect(await host.refusal("session.input_status", { session_id: session.id, input_id: "never" })).toBe(
      "session_input_not_found",
    );
  });

  test("has no receipt when nobody named it and no agent gets it", async () => {
    await using host = await startHost();
    const { session } = await startRecorder(host);
    expect(await send(host, session, { text: "plain" })).toEqual({ accepted: true });
    const { receipts } = await host.call<{ receipts: Receipt[] }>("session.input_status", { session_id: session.id });
    expect(receipts).toEqual([]);
  });

  test.each([["input:queued"], ["input:written"], ["input:stored"]])(
    "survives a daemon that dies at %s: sent again it is written once",
    async (step) => {
      await using host = await startHost({ env: { POHUNEK_TEST_CRASH_AT: step } });
      const { session, taken } = await startRecorder(host);
      const input = { text: "hello", input_id: "mine:1" };
      const lost = send(host, session, input).catch((error: unknown) => (error as Error).message);
      expect(await lost).toContain("ended");
      await host.daemonEnd();
      await host.start({ POHUNEK_TEST_CRASH_AT: "" });
      await host.waitForRuntime(session.id, "live");
      expect((await send(host, session, input)).receipt).toMatchObject({ state: "written" });
      await send(host, session, { text: "END" });
      await until("the last", () => taken().endsWith("END\r"));
      expect(taken()).toBe("hello\rEND\r");
      expect(await status(host, session, { input_id: "mine:1" })).toMatchObject({ state: "written" });
    },
  );

  test("that a dead daemon had written is known without being sent again", async () => {
    await using host = await startHost({ env: { POHUNEK_TEST_CRASH_AT: "input:written" } });
    const { session } = await startRecorder(host);
    await send(host, session, { text: "hello", input_id: "mine:1" }).catch(() => undefined);
    await host.daemonEnd();
    await host.start({ POHUNEK_TEST_CRASH_AT: "" });
    const receipt = await status(host, session, { input_id: "mine:1", until: ["written"], wait_ms: 8000 });
    expect(receipt).toMatchObject({ state: "written", is_final: true });
  });

  test("goes with its session", async () => {
    await using host = await startHost();
    const { session } = await startRecorder(host);
    await send(host, session, { text: "hello", input_id: "mine:1" });
    await host.call("session.remove", session.id);
    const { receipts } = await host.call<{ receipts: Receipt[] }>("session.input_status", {});
    expect(receipts).toEqual([]);
  });
});

describe("several lines", () => {
  test("are marked as a paste only for a program that asks for it, and may be refused elsewhere", async () => {
    await using host = await startHost();
    const { session, taken } = await startRecorder(host);
    const lines = { text: "one\ntwo\nthree\n" };
    expect(await host.refusal("session.input", { session_id: session.id, ...lines, unpasted: "refuse" })).toBe(
      "session_input_not_pasted",
    );
    await send(host, session, lines);
    await until("the lines", () => taken().length > 0);
    expect(taken()).toBe("one\ntwo\nthree\r");
  });
});
