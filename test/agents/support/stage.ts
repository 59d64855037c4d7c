import type { Host, SessionFacts } from "../../support/index.ts";
import { startHost, TalkingAgent, TempRoots } from "../../support/index.ts";
import type { TalkingOptions } from "../../support/talking-agent.ts";

export type AgentFacts = SessionFacts & {
  readonly agent: string;
  readonly native_session_id?: string;
  readonly native_last_activity_at?: string;
  readonly capabilities: { readonly resume: boolean; readonly fork: boolean };
};

export interface Stage extends AsyncDisposable {
  readonly host: Host;
  readonly stub: TalkingAgent;
}

/** A host on which the stub agent `parrot` can be started. */
export async function startStage(options: TalkingOptions = {}): Promise<Stage> {
  const roots = new TempRoots();
  const stub = new TalkingAgent(roots);
  const host = await startHost({ roots, env: stub.environment });
  await stub.install(host, options);
  return { host, stub, [Symbol.asyncDispose]: () => host[Symbol.asyncDispose]() };
}

/** A session whose agent is ready. */
export async function newParrot(host: Host, params: Readonly<Record<string, unknown>> = {}): Promise<AgentFacts> {
  const session = (await host.newSession({ agent: "parrot", command: undefined, ...params })) as AgentFacts;
  await using attach = await host.attach(session.id);
  await attach.until("parrot>");
  return session;
}

export async function inspect(host: Host, id: string): Promise<AgentFacts> {
  return (await host.inspect(id)) as AgentFacts;
}

export async function resume(host: Host, params: unknown): Promise<AgentFacts> {
  return (await host.call<{ session: AgentFacts }>("session.resume", params)).session;
}

export async function fork(host: Host, params: Readonly<Record<string, unknown>>): Promise<AgentFacts> {
  return await host.call("session.fork", { cols: 80, rows: 24, ...params });
}

/** Says something to the agent, and waits until it has repeated it. */
export async function say(host: Host, id: string, text: string): Promise<void> {
  await using attach = await host.attach(id);
  attach.write(`${text}\r`);
  await attach.until(`you said: ${text}`);
}

/** A session whose agent has something to remember. */
export async function talked(host: Host, params: Readonly<Record<string, unknown>> = {}): Promise<AgentFacts> {
  const session = await newParrot(host, params);
  await say(host, session.id, "banana");
  return await inspect(host, session.id);
}
