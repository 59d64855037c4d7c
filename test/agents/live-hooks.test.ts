// Runs alone: a real agent takes its time.
import { describe, expect, test } from "bun:test";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { LiveAgent } from "../../scripts/testing/agent-clis.ts";
import { whyNotLive } from "../../scripts/testing/agent-clis.ts";
import { LiveHost } from "../support/agents/live-host.ts";
import { LiveSession } from "../support/agents/live-session.ts";
import { until } from "../support/index.ts";

const CASE_MS = 90_000;

interface Facts {
  readonly native_session_id?: string;
  readonly subagents?: readonly {
    readonly lifecycle: string;
    readonly agent_type?: string;
    readonly provider: string;
  }[];
}

/** Lines that hooks have left because something was not delivered. */
function undelivered(host: LiveHost): string {
  const path = join(host.outside.home, ".local", "state", "pohunek", "logs", "pohunek-hooks.jsonl");
  return existsSync(path) ? readFileSync(path, "utf8") : "";
}

/** The conversation that hooks have told the session's worker, as it has written it down. */
function reported(host: LiveHost): string | undefined {
  const state = join(host.outside.home, ".local", "state", "pohunek", "workers");
  const [journal] = globSync("*/*.json", { cwd: state });
  if (journal === undefined) return undefined;
  const facts = JSON.parse(readFileSync(join(state, journal), "utf8")) as {
    hooks?: { identity?: { native_reference: string } };
  };
  return facts.hooks?.identity?.native_reference;
}

async function lookAt(host: LiveHost, session: LiveSession): Promise<Facts> {
  return await host.call("session.inspect", session.id);
}

function describeHooks(agent: LiveAgent, act: (host: LiveHost) => Promise<void>): void {
  const why = whyNotLive(agent);
  if (why !== undefined) {
    test.skip(`${agent} is not driven: ${why}`, () => undefined);
    return;
  }
  describe(agent, () => {
    test(
      "tells its conversation and its sub-agents by the hooks that were installed",
      async () => {
        await using host = await LiveHost.start(agent);
        await act(host);
        expect(undelivered(host)).toBe("");
      },
      CASE_MS,
    );
  });
}

describeHooks("claude", async (host) => {
  await host.json("integration", "install", "claude");
  await using session = await LiveSession.start(host);
  await session.untilReady();
  const { native_session_id: first } = await lookAt(host, session);
  await session.send("do:helper do:slow 3000 found");
  const running = await until("the sub-agent to run", async () => {
    const { subagents = [] } = await lookAt(host, session);
    return subagents.length > 0 && subagents;
  });
  expect(running).toMatchObject([{ provider: "claude", agent_type: "general-purpose", lifecycle: "running" }]);
  await until("the sub-agent to end", async () =>
    (await lookAt(host, session)).subagents?.every(({ lifecycle }) => lifecycle === "completed"),
  );
  await session.untilTold("idle");
  await session.press(["/clear", "\r"]);
  await until("another conversation", async () => {
    const { native_session_id: now } = await lookAt(host, session);
    return now !== undefined && now !== first;
  });
});

describeHooks("codex", async (host) => {
  await host.json("integration", "install", "codex");
  const doctor = await host.json<{ agents: { findings: { code: string }[] }[] }>("integration", "doctor", "codex");
  expect(doctor.agents).toMatchObject([{ findings: [{ code: "trust_needed" }] }]);
  await using session = await LiveSession.start(host);
  await session.untilScreen("the question about new hooks", /Hooks need review/);
  // What the doctor says: trust all.
  await session.press(["2", "\r"]);
  await session.untilReady();
  await session.send("do:say hello");
  const told = await until("the hook's report", () => reported(host));
  expect((await lookAt(host, session)).native_session_id).toBe(told);
});

describeHooks("qwen", async (host) => {
  await host.json("integration", "install", "qwen");
  await using session = await LiveSession.start(host);
  await session.untilReady();
  const told = await until("the hook's report", () => reported(host));
  expect((await lookAt(host, session)).native_session_id).toBe(told);
});
