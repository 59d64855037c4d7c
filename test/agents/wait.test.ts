import { expect, test } from "bun:test";
import type { Host, SessionFacts } from "../support/index.ts";
import { notedBy, programCommand, startAgent, startHostWithAgents, until } from "../support/index.ts";

interface Waited {
  readonly code: number;
  readonly tookMs: number;
}

async function wait(host: Host, session: SessionFacts, ...words: string[]): Promise<Waited> {
  const startedAt = performance.now();
  const waiting = Bun.spawn(programCommand("wait", session.id, ...words), {
    env: host.roots.environment(),
    stdout: "ignore",
    stderr: "ignore",
  });
  return { code: await waiting.exited, tookMs: performance.now() - startedAt };
}

async function startIdle(host: Host, agent: string): Promise<SessionFacts> {
  const session = await startAgent(host, agent);
  await until("the agent to be idle", async () => (await host.inspect(session.id)).activity === "idle");
  return session;
}

const has = (host: Host, session: SessionFacts, wanted: string): boolean =>
  notedBy(host, session).some(({ kind }) => kind === wanted);

test("an agent that is idle already is not waited for", async () => {
  await using host = await startHostWithAgents({ plain: {} });
  const session = await startIdle(host, "plain");
  for (const what of ["idle", "done", "ready"]) {
    const { code, tookMs } = await wait(host, session, "--for", what, "--timeout", "20s");
    expect(code).toBe(0);
    expect(tookMs).toBeLessThan(2000);
  }
});

test.each(["quiet-start-of-turn", "plain"])("after a prompt %s is waited for until its turn is over", async (agent) => {
  await using host = await startHostWithAgents({ "quiet-start-of-turn": {}, plain: {} });
  const session = await startIdle(host, agent);
  await host.call("session.input", { session_id: session.id, text: "go on" });
  const { code, tookMs } = await wait(host, session, "--for", "idle", "--timeout", "20s");
  expect(code).toBe(0);
  // It draws the first of its turn 1.5 s after the prompt, and works for 0.6 s then.
  if (agent === "quiet-start-of-turn") expect(tookMs).toBeGreaterThan(1500);
  expect((await host.inspect(session.id)).activity).toBe("idle");
});

test("an agent that looks ready between two steps of its turn is waited for until the last", async () => {
  await using host = await startHostWithAgents({ pauses: {} });
  const session = await startIdle(host, "pauses");
  await host.call("session.input", { session_id: session.id, text: "go on" });
  const { code } = await wait(host, session, "--for", "done", "--timeout", "20s");
  expect(code).toBe(0);
  expect(has(host, session, "second step")).toBe(true);
});

test("a question ends a wait for one, and time that is over has an exit code of its own", async () => {
  await using host = await startHostWithAgents({ "asks-in-turn": {} });
  const session = await startIdle(host, "asks-in-turn");
  const blocked = wait(host, session, "--for", "blocked", "--timeout", "20s");
  await host.call("session.input", { session_id: session.id, text: "risky" });
  expect((await blocked).code).toBe(0);
  expect((await wait(host, session, "--for", "idle", "--timeout", "300ms")).code).toBe(124);
  await host.call("session.stop", session.id);
  expect((await wait(host, session, "--for", "idle")).code).toBe(1);
  expect((await wait(host, session, "--for", "done")).code).toBe(0);
});
