import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import { unixTransport } from "@pohunek/sdk/node";
import { webSocketTransport } from "@pohunek/sdk/web";
import { Gateway } from "../sdk/gateway.ts";
import type { Cut, Host, SessionFacts } from "../support/index.ts";
import { CuttingProxy, notedBy, startAgent, startHostWithAgents, until } from "../support/index.ts";
import { sendUntilAnswered } from "./send-until-answered.ts";

const HOST = "here";

async function isIdle(host: Host, session: SessionFacts): Promise<void> {
  await until("the agent to be idle", async () => (await host.inspect(session.id)).activity === "idle", 20_000);
}

const submittedBy = (host: Host, session: SessionFacts): string[] =>
  notedBy(host, session).flatMap(({ kind, text }) => (kind === "submitted" ? [text] : []));

describe.each(["the Unix socket", "a WebSocket"])("over %s that is cut", (way) => {
  test.each([
    ["before", false],
    ["after", false],
    ["after", true],
  ] as const)("%s the request, a prompt is submitted once (daemon restarted: %p)", async (cut, isRestarted) => {
    await using host = await startHostWithAgents({ plain: {} });
    const session = await startAgent(host, "plain");
    await isIdle(host, session);
    const cuts: Cut[] = [cut];
    const socketPath = join(host.roots.base, "proxy.sock");
    const isInput = (line: string): boolean => line.includes('"session.input"');
    await using proxy = await CuttingProxy.start(socketPath, {
      target: host.roots.socket,
      decide: (line) => (isInput(line) ? cuts.shift() : undefined),
    });
    await using gateway = new Gateway(HOST, socketPath);
    const transport =
      way === "a WebSocket" ? webSocketTransport({ baseUrl: gateway.baseUrl, host: HOST }) : unixTransport(socketPath);
    const sending = sendUntilAnswered(transport, { session_id: session.id, text: "hello", input_id: "mine" });
    if (isRestarted) {
      await until("the cut", () => proxy.cuts === 1);
      await host.kill();
      await host.start();
    }
    expect(await sending).toBeUndefined();
    expect(proxy.cuts).toBe(1);
    await isIdle(host, session);
    await sendUntilAnswered(transport, { session_id: session.id, text: "END" });
    await until("the last", () => submittedBy(host, session).length === 2);
    expect(submittedBy(host, session)).toEqual(["hello", "END"]);
  });
});
