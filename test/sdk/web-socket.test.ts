import { expect, test } from "bun:test";
import { encodeUtf8, MAX_CONTROL_LINE_BYTES } from "@pohunek/protocol/wire";
import { connect } from "@pohunek/sdk";
import { webSocketTransport } from "@pohunek/sdk/web";
import { failureOf } from "./failure-of.ts";
import { Gateway } from "./gateway.ts";
import { NO_ANSWER, ProtocolServer } from "./protocol-server.ts";

function transportOf(gateway: Gateway, host = "my studio") {
  return webSocketTransport({ baseUrl: gateway.baseUrl, host });
}

test("the longest line passes in both directions", async () => {
  await using server = await ProtocolServer.start({
    handlers: { "session.diff": (params) => ({ diff: (params as { base: string }).base, base: "", truncated: false }) },
  });
  await using gateway = new Gateway("my studio", server.socketPath);
  await using client = await connect({ transport: transportOf(gateway) });
  const base = "ž".repeat(MAX_CONTROL_LINE_BYTES / 2 - 200);
  expect((await client.call("session.diff", { session_id: "s-1", base })).diff).toBe(base);
});

test("a gateway that does not know the host, or is not there, is told by host", async () => {
  const server = await ProtocolServer.start();
  const gateway = new Gateway("my studio", server.socketPath);
  const elsewhere = connect({ transport: transportOf(gateway, "elsewhere") });
  expect(await failureOf(elsewhere)).toMatchObject({ code: "host_unreachable", host: "elsewhere" });
  const transport = transportOf(gateway);
  await gateway[Symbol.asyncDispose]();
  await server[Symbol.asyncDispose]();
  expect(await failureOf(connect({ transport }))).toMatchObject({ code: "host_unreachable", host: "my studio" });
});

test("close codes become failures", async () => {
  for (const [closeCode, code] of [
    [1000, "remote_daemon_unavailable"],
    [1002, "framing"],
    [1003, "framing"],
    [1007, "framing"],
    [1008, "remote_daemon_unavailable"],
    [1011, "remote_daemon_unavailable"],
  ] as const) {
    const received = Promise.withResolvers<void>();
    await using server = await ProtocolServer.start({
      handlers: {
        "session.list": () => {
          received.resolve();
          return NO_ANSWER;
        },
      },
    });
    await using gateway = new Gateway("my studio", server.socketPath);
    await using client = await connect({ transport: transportOf(gateway) });
    const call = failureOf(client.call("session.list"));
    await received.promise;
    gateway.closeAll(closeCode, "because");
    expect({ closeCode, failure: await call }).toMatchObject({ closeCode, failure: { code, host: "my studio" } });
  }
});

test("a frame of the wrong kind or size ends the connection", async () => {
  for (const frame of [Uint8Array.of(1, 2), "x".repeat(MAX_CONTROL_LINE_BYTES + 2)]) {
    await using server = await ProtocolServer.start({ handlers: { "session.list": () => NO_ANSWER } });
    await using gateway = new Gateway("my studio", server.socketPath);
    await using client = await connect({ transport: transportOf(gateway) });
    const call = failureOf(client.call("session.list"));
    await client.call("daemon.health").catch(() => undefined);
    gateway.inject(frame);
    expect(await call).toMatchObject({ code: "framing" });
    expect(client.isClosed).toBe(true);
  }
});

test("an unread attach is cut off instead of buffered without bound", async () => {
  const closed = Promise.withResolvers<void>();
  await using server = await ProtocolServer.start({
    handlers: { "session.attach": () => ({ stream_id: "a-1" }), "session.detach": () => ({ detached: false }) },
    attach: (_streamId, socket) => {
      socket.once("close", () => closed.resolve());
      for (let sent = 0; sent < 24 * 1_048_576; sent += 65_536) socket.write(new Uint8Array(65_536).fill(0x61));
    },
  });
  await using gateway = new Gateway("my studio", server.socketPath);
  await using client = await connect({ transport: transportOf(gateway) });
  await using stream = await client.attach({ session_id: "s-1" });
  await closed.promise;
  let bytes = 0;
  const reading = (async () => {
    for await (const chunk of stream) bytes += chunk.length;
  })();
  expect(await failureOf(reading)).toMatchObject({ code: "io_error", host: "my studio" });
  expect(bytes).toBeLessThan(18 * 1_048_576);
}, 20_000);

test("writing to a closed WebSocket is a failure", async () => {
  await using server = await ProtocolServer.start({
    handlers: { "session.attach": () => ({ stream_id: "a-1" }), "session.detach": () => ({ detached: false }) },
    attach: (_streamId, socket) => void socket.end("$ "),
  });
  await using gateway = new Gateway("my studio", server.socketPath);
  await using client = await connect({ transport: transportOf(gateway) });
  await using stream = await client.attach({ session_id: "s-1" });
  for await (const _chunk of stream);
  expect(await failureOf(stream.write(encodeUtf8("x")))).toMatchObject({ code: "io_error" });
});
