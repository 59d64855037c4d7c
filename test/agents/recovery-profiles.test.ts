import { expect, test } from "bun:test";
import { readdirSync, readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../support/index.ts";
import { RawClient, startHost, TalkingAgent, TempRoots, until, writeProfile } from "../support/index.ts";
import type { AgentFacts } from "./support/stage.ts";
import { fork, newParrot, resume, say } from "./support/stage.ts";

const SECRET = "sentinel-0815";
const SIZE = { cols: 80, rows: 24 };

function writeLoud(host: Host, digest: string, more: { args?: string; secret?: string } = {}): void {
  const { args = '"--loud"', secret = SECRET } = more;
  const text = `agent_base = "parrot"
package = "example.parrot"
digest = "${digest}"
args = [${args}]
[env]
PARROT_HOME = "${join(host.roots.home, "loud")}"
PARROT_SECRET = "${secret}"
`;
  writeProfile(host.roots, "loud", text);
}

async function loudSession(host: Host): Promise<AgentFacts> {
  const session = await newParrot(host, { agent: "loud" });
  await say(host, session.id, "banana");
  await host.call("session.stop", session.id);
  return session;
}

function* filesBelow(folder: string): Generator<string> {
  for (const entry of readdirSync(folder, { withFileTypes: true })) {
    const path = join(folder, entry.name);
    if (entry.isDirectory()) yield* filesBelow(path);
    else if (entry.isFile()) yield path;
  }
}

test("a profile that changed is asked for, and counts only for what was not frozen", async () => {
  const roots = new TempRoots();
  const agent = new TalkingAgent(roots);
  await using host = await startHost({
    roots,
    env: agent.environment,
    config: '[overlay.mesh]\naddress = "127.0.0.1"\nport = 0\n',
  });
  await agent.install(host);
  writeLoud(host, agent.digest);
  const { id, native_session_id: reference = "", capabilities } = await loudSession(host);
  expect(capabilities).toEqual({ resume: true, fork: true });
  // As it was: nothing to ask.
  await resume(host, id);
  await host.call("session.stop", id);

  writeLoud(host, agent.digest, { args: '"--quiet"', secret: "another" });
  expect(await host.refusal("session.resume", id)).toBe("agent_profile_changed");
  expect(await host.refusal("session.fork", { session_id: id, ...SIZE })).toBe("agent_profile_changed");
  const accepting = { session_id: id, accept_profile_change: true };
  const listening = host.log().find(({ event, overlay }) => event === "listening" && overlay === "mesh");
  const port = Number(String(listening?.["address"]).split(":").at(-1));
  await using remote = await RawClient.connect({ hostname: "127.0.0.1", port });
  expect(await remote.refusal("session.resume", accepting)).toBe("agent_profile_change_local_only");
  expect(await remote.refusal("session.fork", { ...accepting, ...SIZE })).toBe("agent_profile_change_local_only");
  expect(agent.runs("loud").length).toBe(2);

  await resume(host, accepting);
  await until("the third run", () => agent.runs("loud").length === 3);
  // Arguments as they were frozen, variables as they are.
  expect(agent.runs("loud")[2]).toEqual(["--plain", "--again", reference, "--loud"]);
  const seen = join(host.roots.home, "loud", "secret-seen");
  await until("the new variable", () => readFileSync(seen, "utf8") === "another\n");
  await host.call("session.stop", id);
  // The change that was accepted is what is frozen now.
  await resume(host, id);
  const forked = await fork(host, { session_id: id });
  expect(forked.agent).toBe("loud");
  await host.call("session.stop", id);

  rmSync(join(host.roots.config, "agents", "loud.toml"));
  expect(await host.refusal("session.resume", id)).toBe("agent_profile_missing");
  expect(await host.refusal("session.resume", accepting)).toBe("agent_profile_missing");
  expect(await host.call<unknown>("session.remove", forked.id)).toMatchObject({ removed: true, stopped: true });
  const { data, state, runtime } = host.roots;
  const leaks = [data, state, runtime].flatMap((folder) =>
    [...filesBelow(folder)].filter((path) => readFileSync(path, "latin1").includes(SECRET)),
  );
  expect(leaks).toEqual([]);
});
