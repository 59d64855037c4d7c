import { expect, test } from "bun:test";
import type { ReceivedEvent } from "@pohunek/sdk";
import { connect } from "@pohunek/sdk";
import { unixTransport } from "@pohunek/sdk/node";
import { validateEverything } from "@pohunek/sdk/validate";
import { failureOf } from "./failure-of.ts";
import { NO_ANSWER, ProtocolServer } from "./protocol-server.ts";
import { sampleSession } from "./sample-session.ts";

const agentState = { session_id: "s-1", activity: "working", source: "screen" };

async function collect(
  events: AsyncIterable<ReceivedEvent>,
  count = Number.POSITIVE_INFINITY,
): Promise<ReceivedEvent[]> {
  const collected: ReceivedEvent[] = [];
  for await (const event of events) if (collected.push(event) === count) break;
  return collected;
}

test("events come in order until the daemon ends the stream", async () => {
  await using server = await ProtocolServer.start();
  await using client = await connect({ transport: unixTransport(server.socketPath) });
  await using subscription = await client.subscribe();
  server.emit("session_created", { session: sampleSession() });
  server.emit("agent_state", agentState);
  server.emit("notification_deleted", { notification_id: "n-1" });
  server.endSubscriptions();
  const events = await collect(subscription);
  expect(events.map((event) => event.event)).toEqual(["session_created", "agent_state", "notification_deleted"]);
  const [, second] = events;
  expect(second?.event === "agent_state" && second.payload.activity).toBe("working");
  expect(subscription.version).toBe(4);
  expect(server.connections.length).toBe(2);
});

test("unknown events, fields and enum values of a newer daemon are delivered", async () => {
  await using server = await ProtocolServer.start();
  await using client = await connect({ transport: unixTransport(server.socketPath), validator: validateEverything });
  await using subscription = await client.subscribe();
  server.emit("session_moved", { session_id: "s-1", to: "studio" });
  server.emit("agent_state", { ...agentState, activity: "pondering", later: [1] });
  expect(await collect(subscription, 2)).toEqual([
    { event: "unknown", name: "session_moved", payload: { session_id: "s-1", to: "studio" } },
    { event: "agent_state", payload: { ...agentState, activity: "pondering", later: [1] } },
  ] as never);
});

test("an event that breaks its declaration is refused only with a validator", async () => {
  await using server = await ProtocolServer.start();
  for (const [validator, outcome] of [
    [undefined, { answer: [{ event: "attach_opened", payload: { session_id: 7 } }] }],
    [validateEverything, { code: "json_error" }],
  ] as const) {
    await using client = await connect({ transport: unixTransport(server.socketPath), validator });
    await using subscription = await client.subscribe();
    server.emit("attach_opened", { session_id: 7 });
    server.endSubscriptions();
    expect(await failureOf(collect(subscription))).toMatchObject(outcome);
  }
});

test("aborting ends a waiting iteration with the signal's reason", async () => {
  await using server = await ProtocolServer.start();
  await using client = await connect({ transport: unixTransport(server.socketPath) });
  const abort = new AbortController();
  const subscription = await client.subscribe({ signal: abort.signal });
  const iteration = failureOf(collect(subscription));
  abort.abort(new Error("enough"));
  expect(await iteration).toMatchObject({ message: "enough" });
  expect(await client.handshake()).toMatchObject({ status: "ok" });
});

test("closing ends the iteration quietly, even within a line, and tells the daemon", async () => {
  await using server = await ProtocolServer.start();
  await using client = await connect({ transport: unixTransport(server.socketPath) });
  const subscription = await client.subscribe();
  const first = subscription[Symbol.asyncIterator]();
  server.emit("agent_state", agentState);
  server.connections[1]?.socket.write('{"v":4,"event":');
  expect((await first.next()).done).toBe(false);
  const next = first.next();
  await subscription.close();
  expect((await next).done).toBe(true);
  await server.connections[1]?.closed;
});

test("leaving the loop closes the connection", async () => {
  await using server = await ProtocolServer.start();
  await using client = await connect({ transport: unixTransport(server.socketPath) });
  const subscription = await client.subscribe();
  server.emit("agent_state", agentState);
  expect((await collect(subscription, 1)).length).toBe(1);
  await server.connections[1]?.closed;
});

test("a broken stream is a failure, not an end", async () => {
  await using server = await ProtocolServer.start();
  for (const [tail, code] of [
    ['{"v":4,"event":"agent_state"', "framing"],
    ["not json\n", "framing"],
    ['{"v":4,"id":"r","ok":1}\n', "framing"],
    ['{"event":"no version"}\n', "framing"],
  ] as const) {
    await using client = await connect({ transport: unixTransport(server.socketPath) });
    await using subscription = await client.subscribe();
    server.connections.at(-1)?.socket.end(tail);
    expect({ tail, failure: await failureOf(collect(subscription)) }).toMatchObject({ tail, failure: { code } });
  }
});

test("a refused or unanswered subscription rejects and leaves no connection", async () => {
  await using server = await ProtocolServer.start({ versions: { minimum: 7, maximum: 7 } });
  await using client = await connect({ transport: unixTransport(server.socketPath) });
  expect(await failureOf(client.subscribe())).toMatchObject({ code: "version_mismatch" });

  const closed = Promise.withResolvers<void>();
  await using silent = await ProtocolServer.start({
    handlers: {
      subscribe: (_params, { socket }) => {
        socket.once("close", () => closed.resolve());
        return NO_ANSWER;
      },
    },
  });
  await using waiting = await connect({ transport: unixTransport(silent.socketPath), requestTimeoutMs: 10 });
  expect(await failureOf(waiting.subscribe())).toMatchObject({ code: "request_timeout" });
  await closed.promise;
});
