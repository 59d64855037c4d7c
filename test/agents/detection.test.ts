import { describe, expect, test } from "bun:test";
import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../support/index.ts";
import { startHost, stubPath, TempRoots, until } from "../support/index.ts";
import { ACTOR_MANIFEST, Actor } from "./support/actor.ts";

interface Detail {
  readonly kind?: string;
  readonly question?: {
    readonly text: string;
    readonly revision: string;
    readonly choose?: string;
    readonly options: readonly { readonly key?: string; readonly label: string; readonly selected: boolean }[];
  };
  readonly evidence?: { readonly source: string; readonly rule?: string };
}

interface Facts {
  readonly activity?: string;
  readonly activity_detail?: Detail;
  readonly active_agent?: string;
}

interface Explanation {
  readonly detector: string;
  readonly current?: { readonly activity?: string; readonly activity_detail?: Detail };
  readonly sources: readonly { readonly source: string; readonly reason: string }[];
  readonly rules: readonly { readonly rule: string; readonly rejected?: string }[];
  readonly history: readonly { readonly activity?: string }[];
}

async function stage(): Promise<{ host: Host; actor: Actor }> {
  const roots = new TempRoots();
  const host = await startHost({ roots, env: { PATH: stubPath(roots) } });
  return { host, actor: new Actor(host) };
}

async function facts(host: Host, id: string): Promise<Facts> {
  return await host.call<Facts>("session.inspect", id);
}

async function untilActivity(host: Host, id: string, activity: string | undefined): Promise<Facts> {
  return await until(`activity ${activity}`, async () => {
    const now = await facts(host, id);
    return now.activity === activity && now;
  });
}

async function explain(host: Host, id: string): Promise<Explanation> {
  return await host.call<Explanation>("session.explain", { session_id: id });
}

describe("a session of an agent", () => {
  test("is told by its package's rules, with the question that the screen shows", async () => {
    const { host: started, actor } = await stage();
    await using host = started;
    await Actor.install(host);
    const { id } = await host.call<{ id: string }>("session.new", { agent: "actor", cols: 80, rows: 24 });
    await untilActivity(host, id, "idle");
    await actor.play("work");
    await untilActivity(host, id, "working");
    const waiting = host.call<{ reason: string }>("session.wait", {
      session_id: id,
      activities: ["blocked"],
      timeout_ms: 8000,
    });
    await actor.play("ask everything");
    expect((await waiting).reason).toBe("activity_matched");
    const { activity_detail: detail } = await untilActivity(host, id, "blocked");
    expect(detail).toMatchObject({ kind: "approval", evidence: { source: "screen", rule: "question" } });
    expect(detail?.question).toMatchObject({
      text: "May I remove everything?",
      choose: "number",
      options: [
        { key: "1", label: "Yes", selected: true },
        { key: "2", label: "No, never", selected: false },
      ],
    });
    await actor.play("ask nothing");
    const changed = await until("the other question", async () => {
      const { question } = (await facts(host, id)).activity_detail ?? {};
      return question?.text === "May I remove nothing?" && question;
    });
    expect(Number(changed.revision)).toBeGreaterThan(Number(detail?.question?.revision));
    await actor.play("strange");
    await untilActivity(host, id, undefined);
    expect((await facts(host, id)).activity_detail?.kind).toBe("unknown");
    await actor.play("leave");
    await host.waitForState(id, "done");
  });

  test("is told by its own reports once it has reported, whatever its screen says", async () => {
    const { host: started, actor } = await stage();
    await using host = started;
    await Actor.install(host);
    const { id } = await host.call<{ id: string }>("session.new", { agent: "actor", cols: 80, rows: 24 });
    await untilActivity(host, id, "idle");
    await actor.play("say working");
    const { activity_detail: detail } = await untilActivity(host, id, "working");
    expect(detail?.evidence?.source).toBe("osc_7501");
    await actor.play("ask more; say blocked:kind=permission");
    const blocked = await until("the question", async () => {
      const now = await facts(host, id);
      return now.activity_detail?.question !== undefined && now;
    });
    expect(blocked).toMatchObject({
      activity: "blocked",
      activity_detail: { question: { text: "May I remove more?" } },
    });
    await host.restart();
    await host.waitForRuntime(id, "live");
    const after = await until("the state after the restart", async () => {
      const now = await facts(host, id);
      return now.activity_detail?.question !== undefined && now;
    });
    expect(after.activity_detail?.evidence?.source).toBe("osc_7501");
    await actor.play("idle; say done");
    await untilActivity(host, id, "idle");
  });

  test("says why it is in its state", async () => {
    const { host: started, actor } = await stage();
    await using host = started;
    await Actor.install(host);
    const { id } = await host.call<{ id: string }>("session.new", { agent: "actor", cols: 80, rows: 24 });
    await untilActivity(host, id, "idle");
    await actor.play("ask all");
    await untilActivity(host, id, "blocked");
    const told = await explain(host, id);
    expect(told).toMatchObject({ detector: "runtime actor", current: { activity: "blocked" } });
    expect(told.rules.map(({ rule, rejected }) => [rule, rejected === undefined])).toEqual([
      ["question", true],
      ["busy", false],
      ["composer", false],
    ]);
    expect(told.sources.map(({ source }) => source)).toContain("osc_7501");
    expect(told.history.map(({ activity }) => activity)).toContain("idle");
    const { supported_regions: regions, previews } = await host.call<{
      supported_regions: string[];
      previews: { kind: string; region: string; text: string }[];
    }>("session.detection", { session_id: id });
    expect(regions.length).toBe(10);
    expect(previews.find(({ region }) => region === "last_line")).toEqual({
      kind: "screen",
      region: "last_line",
      text: "  2. No, never",
    });
  });

  test("follows a manifest of the host as soon as it is there, and an empty one detects nothing", async () => {
    const { host: started, actor } = await stage();
    await using host = started;
    await Actor.install(host);
    const { id } = await host.call<{ id: string }>("session.new", { agent: "actor", cols: 80, rows: 24 });
    await untilActivity(host, id, "idle");
    const folder = join(host.roots.config, "manifests");
    mkdirSync(folder, { recursive: true, mode: 0o700 });
    const file = join(folder, "actor.toml");
    writeFileSync(file, ACTOR_MANIFEST.replace('state = "idle"', 'state = "working"'), { mode: 0o600 });
    expect((await explain(host, id)).detector).toBe("manifests/actor.toml");
    await untilActivity(host, id, "working");
    writeFileSync(file, "schema = 1\n[[rule]]\nid = 1\n");
    expect((await explain(host, id)).detector).toBe("runtime actor");
    await untilActivity(host, id, "idle");
    writeFileSync(file, "");
    await explain(host, id);
    await untilActivity(host, id, undefined);
    await actor.play("leave");
  });
});

describe("an agent in a shell", () => {
  async function shell(host: Host): Promise<{ id: string; type: (text: string) => Promise<void> }> {
    const { id } = await host.newSession({ command: ["bash", "--norc", "--noprofile"] });
    await untilActivity(host, id, "idle");
    const type = async (text: string): Promise<void> => {
      await host.call("session.input", { session_id: id, text });
    };
    return { id, type };
  }

  async function untilAgent(host: Host, id: string, agent: string | undefined): Promise<Facts> {
    return await until(`active agent ${agent}`, async () => {
      const now = await facts(host, id);
      return now.active_agent === agent && now;
    });
  }

  test("is recognised by its process, and the shell is a shell again after it", async () => {
    const { host: started, actor } = await stage();
    await using host = started;
    await Actor.install(host);
    const { id, type } = await shell(host);
    await type(actor.program);
    await untilAgent(host, id, "actor");
    await untilActivity(host, id, "idle");
    await actor.play("ask all");
    expect((await untilActivity(host, id, "blocked")).activity_detail?.question?.text).toBe("May I remove all?");
    await actor.play("say working");
    await untilActivity(host, id, "working");
    await actor.play("leave");
    await untilAgent(host, id, undefined);
    expect((await untilActivity(host, id, "idle")).activity_detail).toBeUndefined();
  });

  test("is found behind a wrapper that leads its group", async () => {
    const { host: started, actor } = await stage();
    await using host = started;
    await Actor.install(host);
    const { id, type } = await shell(host);
    const wrapper = join(host.roots.base, "wrapper");
    writeFileSync(wrapper, `#!/bin/sh\n${actor.program}\ntrue\n`, { mode: 0o755 });
    await type(wrapper);
    await untilAgent(host, id, "actor");
    await actor.play("leave");
    await untilAgent(host, id, undefined);
  });

  test("is not claimed again when it was left in the background", async () => {
    const { host: started, actor } = await stage();
    await using host = started;
    await Actor.install(host);
    const { id, type } = await shell(host);
    await type(`${actor.program} </dev/null >/dev/null 2>&1 &`);
    await type("sleep 0.6; echo over");
    await until("the job to end", async () => {
      const { text } = await host.call<{ text: string }>("session.read", { session_id: id });
      return /^over$/m.test(text);
    });
    expect((await facts(host, id)).active_agent).toBeUndefined();
    await actor.play("leave");
  });

  test("is nobody while no package is installed for it", async () => {
    const { host: started, actor } = await stage();
    await using host = started;
    const { id, type } = await shell(host);
    await type(actor.program);
    await untilActivity(host, id, "working");
    await actor.play("ask all");
    await until("the question on the screen", async () => {
      const { text } = await host.call<{ text: string }>("session.read", { session_id: id });
      return text.includes("May I remove all?");
    });
    expect(await facts(host, id)).toMatchObject({ activity: "working" });
    expect((await facts(host, id)).active_agent).toBeUndefined();
    await actor.play("leave");
    await untilActivity(host, id, "idle");
  });
});
