import { deepEqual, equal, ok, rejects } from "node:assert/strict";
import type { Client, Transport } from "@pohunek/sdk";
import { connect } from "@pohunek/sdk";
import { tcpTransport, unixTransport } from "@pohunek/sdk/node";
import { webSocketTransport } from "@pohunek/sdk/web";

/** Where the daemon stand-in of `conformance-server.ts` listens. */
export interface Endpoints {
  readonly socketPath: string;
  readonly tcpPort: number;
  readonly gatewayUrl: string;
  readonly gatewayHost: string;
}

const ECHO_BYTES = 2 * 1_048_576;

async function checkCalls(client: Client): Promise<void> {
  const sessions = await client.methods.session.list({ filters: [{ key: "state", value: "running" }] });
  deepEqual(
    sessions.map((session) => [session.id, session.state]),
    [["s-1", "running"]],
  );
  equal(client.version, 4);
  await rejects(client.call("session.inspect", "s-404"), {
    name: "ProtocolError",
    code: "session_not_found",
    class: "runtime",
  });
  await rejects(client.call("worktree.remove", { path: "/" }), { code: "method_not_found" });
  const all = await Promise.all(Array.from({ length: 20 }, () => client.call("daemon.health")));
  ok(all.every((health) => health.status === "ok" && health.protocol_version === 4));
}

async function checkEvents(client: Client): Promise<void> {
  await using subscription = await client.subscribe();
  await client.call("session.rename", { session_id: "s-1", name: "renamed" });
  for await (const event of subscription) {
    equal(event.event, "session_updated");
    ok(event.event === "session_updated" && event.payload.session.name === "renamed");
    break;
  }
  const abort = new AbortController();
  await using waiting = await client.subscribe({ signal: abort.signal });
  const next = waiting[Symbol.asyncIterator]().next();
  abort.abort(new Error("enough"));
  await rejects(next, /enough/);
}

async function checkAttach(client: Client): Promise<void> {
  await using stream = await client.attach({ session_id: "s-1", initial_dimensions: { cols: 80, rows: 24 } });
  const sent = Uint8Array.from({ length: ECHO_BYTES }, (_, index) => (index * 7) % 256);
  const writing = (async () => {
    for (let at = 0; at < sent.length; at += 50_000) await stream.write(sent.subarray(at, at + 50_000));
  })();
  const received = new Uint8Array(ECHO_BYTES + 2);
  let length = 0;
  for await (const chunk of stream) {
    received.set(chunk, length);
    length += chunk.length;
    if (length === received.length) break;
  }
  await writing;
  deepEqual([received[0], received[1]], [0x24, 0x20]);
  ok(
    received.subarray(2).every((byte, index) => byte === sent[index]),
    "the echo differs",
  );
  await rejects(client.attach({ session_id: "s-2" }), { code: "session_not_running" });
}

async function checkWaits(client: Client): Promise<void> {
  const session = await client.waitForState("s-1", ["done"], { timeoutMs: 5_000 });
  equal(session.state, "done");
  await rejects(client.waitForActivity("s-1", ["blocked"], { timeoutMs: 30 }), { code: "request_timeout" });
}

async function checkTransport(transport: Transport): Promise<void> {
  await using client = await connect({ transport });
  await checkCalls(client);
  await checkEvents(client);
  await checkAttach(client);
  await checkWaits(client);
  await client.close();
  await rejects(client.call("daemon.health"));
}

/** Uses a daemon through every transport. Rejects at the first thing that is not as it must be. */
export async function checkConformance(endpoints: Endpoints): Promise<string[]> {
  const transports: Record<string, Transport> = {
    unix: unixTransport(endpoints.socketPath),
    tcp: tcpTransport({ address: "127.0.0.1", port: endpoints.tcpPort }),
    webSocket: webSocketTransport({ baseUrl: endpoints.gatewayUrl, host: endpoints.gatewayHost }),
  };
  for (const transport of Object.values(transports)) await checkTransport(transport);
  return Object.keys(transports);
}
