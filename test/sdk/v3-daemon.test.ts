import { expect, test } from "bun:test";
import { adapterFor, isMethodName } from "@pohunek/protocol/wire";
import { connect } from "@pohunek/sdk";
import { tcpTransport, unixTransport } from "@pohunek/sdk/node";
import { validateEverything } from "@pohunek/sdk/validate";
import { failureOf } from "./failure-of.ts";
import type { ProtocolServerOptions } from "./protocol-server.ts";
import { ProtocolServer } from "./protocol-server.ts";
import { readGoldenMessages } from "./v3-messages.ts";

const golden = readGoldenMessages();
const versions = { minimum: 3, maximum: 3 };

/** A daemon of the previous release: it answers every method with the golden result of protocol 3. */
function startV3Daemon(handlers: ProtocolServerOptions["handlers"] = {}): Promise<ProtocolServer> {
  const results = Object.entries(golden.methods).map(([name, { result }]) => [name, () => result] as const);
  return ProtocolServer.start({ versions, handlers: { ...Object.fromEntries(results), ...handlers } });
}

test("every method of a daemon of protocol 3 is spoken in today's shape", async () => {
  await using server = await startV3Daemon();
  await using client = await connect({ transport: unixTransport(server.socketPath), validator: validateEverything });
  await client.handshake();
  const v3 = adapterFor(3);
  let compared = 0;
  for (const [name, message] of Object.entries(golden.methods)) {
    if (!isMethodName(name) || name === "subscribe") continue;
    const result: unknown = await client.call(name, v3.upgradeParams(name, message.params) as never);
    expect({ name, result }).toEqual({ name, result: v3.upgradeResult(name, message.result) });
    const sent = server.requests.findLast((request) => request.method === name);
    expect({ name, params: sent?.params, v: sent?.v }).toEqual({ name, params: message.params, v: versions });
    compared += 1;
  }
  expect(compared).toBe(53);
});

test("every event of protocol 3 arrives in today's shape", async () => {
  await using server = await startV3Daemon();
  await using client = await connect({ transport: unixTransport(server.socketPath), validator: validateEverything });
  await using subscription = await client.subscribe();
  for (const [name, payload] of Object.entries(golden.events)) server.emit(name, payload);
  server.endSubscriptions();
  const received: [string, object][] = [];
  for await (const { event, payload } of subscription) received.push([event, payload]);
  const v3 = adapterFor(3);
  expect(received).toEqual(
    Object.entries(golden.events).map(([name, payload]) => [name, v3.upgradeEvent(name, payload)]),
  );
  expect(received.length).toBe(16);
  expect(JSON.stringify(received)).toContain('"worker_instance_id":"w-');
});

test("the first request with a worker's identity finds out the version, and goes out in the old spelling", async () => {
  await using server = await startV3Daemon();
  await using client = await connect({ transport: unixTransport(server.socketPath) });
  const runtime = { worker_instance_id: "w-1", runtime_generation: "3" as never };
  await client.call("session.wait", { session_id: "s-1", runtime, states: ["done"], timeout_ms: 1 });
  expect(
    server.connections.map(({ requests }) => requests.map(({ method, v, params }) => ({ method, v, params }))),
  ).toEqual([
    [{ method: "daemon.health", v: { minimum: 3, maximum: 4 }, params: null }],
    [
      {
        method: "session.wait",
        v: versions,
        params: {
          session_id: "s-1",
          runtime: { runtime_id: "w-1", runtime_generation: "3" },
          states: ["done"],
          timeout_ms: 1,
        },
      },
    ],
  ]);
});

test("a method that protocol 3 lacks is refused before it is sent", async () => {
  await using server = await startV3Daemon();
  const transport = tcpTransport({ address: "127.0.0.1", port: server.tcpPort, host: "studio" });
  await using client = await connect({ transport });
  const failure = await failureOf(client.methods.package.list());
  expect(failure).toMatchObject({ code: "daemon_protocol_too_old", class: "daemon", host: "studio" });
  const { message } = failure as Error;
  for (const fact of ["studio", "0.33.0", "protocol 3", "needs 4"]) expect(message).toContain(fact);
  expect(server.requests.map((request) => request.method)).toEqual(["daemon.health"]);
});

test("a daemon of protocol 3 that writes today's spelling cannot be understood", async () => {
  const both = { runtime_id: "w-1", worker_instance_id: "w-1", runtime_generation: "1" };
  await using server = await startV3Daemon({
    "session.screen": () => both,
    "session.inspect": () => ({ runtime: { worker_instance_id: "w-1" } }),
  });
  await using client = await connect({ transport: unixTransport(server.socketPath) });
  const code = "version_translation_failed";
  expect(await failureOf(client.call("session.screen", { session_id: "s-1" }))).toMatchObject({
    code,
    class: "daemon",
  });
  expect(await failureOf(client.call("session.inspect", "s-1"))).toMatchObject({ code });
  await using subscription = await client.subscribe();
  server.emit("agent_state", { session_id: "s-1", activity: "idle", source: "screen", runtime: both });
  expect(await failureOf(subscription[Symbol.asyncIterator]().next())).toMatchObject({ code });
  expect(await client.call("session.stop", "s-1")).toEqual({ stopped: true });
});

test("params that hold both spellings are refused before they are sent", async () => {
  await using server = await startV3Daemon();
  await using client = await connect({ transport: unixTransport(server.socketPath) });
  const runtime = { worker_instance_id: "w-1", runtime_id: "w-1", runtime_generation: "1" as never };
  const call = client.call("session.output", { session_id: "s-1", runtime, max_bytes: 1 });
  expect(await failureOf(call)).toMatchObject({ code: "version_translation_failed" });
  expect(server.requests.map((request) => request.method)).toEqual(["daemon.health"]);
});
