import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Host, SessionFacts, WireAnswer } from "../support/index.ts";
import { startHost, until } from "../support/index.ts";

const TIMEOUT_MS = 600;
const QUICK = { config: `[input]\ntimeout_ms = ${TIMEOUT_MS}\n` };

/** More than the kernel keeps for a program that does not read. */
const LARGE = 200_000;

/** A program that begins to read when the file `go` is there. */
async function startSleeper(host: Host): Promise<SessionFacts> {
  const { base } = host.roots;
  const wait = `while [ ! -e ${base}/go ]; do sleep 0.02; done`;
  const script = `stty raw -echo; printf ready; ${wait}; exec cat > ${base}/taken`;
  const session = await host.newSession({ command: ["/bin/sh", "-c", script] });
  await using attach = await host.attach(session.id);
  await attach.until("ready");
  return session;
}

async function send(host: Host, session: SessionFacts, input: object): Promise<WireAnswer> {
  await using client = await host.connect();
  return await client.ask("session.input", { session_id: session.id, ...input });
}

/** Lets it read, and gives all that it got up to the text `END`. */
async function readAll(host: Host, session: SessionFacts): Promise<string> {
  const taken = join(host.roots.base, "taken");
  writeFileSync(join(host.roots.base, "go"), "");
  await until("the program to read", () => existsSync(taken));
  await until("room for more", async () => (await send(host, session, { text: "END" })).err === undefined);
  return await until("the last of it", () => {
    const got = readFileSync(taken, "latin1");
    return got.endsWith("END\r") && got;
  });
}

describe("an input to a program that does not read", () => {
  test("is answered in time with how much of it was written, and never more than that is", async () => {
    await using host = await startHost(QUICK);
    const session = await startSleeper(host);
    const startedAt = performance.now();
    const { err } = await send(host, session, { text: "a".repeat(LARGE) });
    const took = performance.now() - startedAt;
    expect(err).toMatchObject({ class: "runtime", code: "session_input_incomplete" });
    expect(err?.recover).toContain("screen");
    expect(took).toBeGreaterThanOrEqual(TIMEOUT_MS - 5);
    expect(took).toBeLessThan(TIMEOUT_MS + 1500);
    const [, written = "", bytes] = /(\d+) of (\d+) bytes/.exec(err?.msg ?? "") ?? [];
    expect(bytes).toBe(String(LARGE + 1));
    expect(await readAll(host, session)).toBe(`${"a".repeat(Number(written))}END\r`);
  }, 30_000);

  test("keeps no other one waiting for longer than its own time, and those that were refused are never written", async () => {
    await using host = await startHost(QUICK);
    const session = await startSleeper(host);
    const startedAt = performance.now();
    const answers = await Promise.all(
      ["a", "b", "c", "d"].map((letter) => send(host, session, { text: letter.repeat(LARGE) })),
    );
    expect(performance.now() - startedAt).toBeLessThan(TIMEOUT_MS + 2500);
    const codes = answers.map(({ err }) => err?.code);
    expect(codes.filter((code) => code === "session_input_incomplete").length).toBe(1);
    expect(codes.filter((code) => code === "session_input_blocked").length).toBe(3);
    const letter = "abcd"[codes.indexOf("session_input_incomplete")];
    expect(new Set(await readAll(host, session))).toEqual(new Set([letter ?? "", "E", "N", "D", "\r"]));
  }, 30_000);

  test("with a wait is answered within that, and is not taken for written", async () => {
    await using host = await startHost();
    const session = await startSleeper(host);
    const startedAt = performance.now();
    const { err } = await send(host, session, { text: "a".repeat(LARGE), wait: { until: ["idle"], timeout_ms: 400 } });
    expect(err?.code).toBe("session_input_incomplete");
    expect(performance.now() - startedAt).toBeLessThan(2500);
  }, 30_000);

  test("leaves what is typed at an attached terminal alone", async () => {
    await using host = await startHost(QUICK);
    const session = await startSleeper(host);
    await using attach = await host.attach(session.id);
    const sent = send(host, session, { text: "a".repeat(LARGE) });
    attach.write("typed".repeat(2000));
    const { err } = await sent;
    const [, written = ""] = /(\d+) of/.exec(err?.msg ?? "") ?? [];
    const got = await readAll(host, session);
    const plan = "a".repeat(Number(written));
    // Before or after the plan, whichever the daemon's and the terminal's connection brought first.
    expect([`${plan}${"typed".repeat(2000)}END\r`, `${"typed".repeat(2000)}${plan}END\r`]).toContain(got);
  }, 30_000);
});
