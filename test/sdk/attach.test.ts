import { expect, test } from "bun:test";
import { createHash } from "node:crypto";
import type { Socket } from "node:net";
import { decodeUtf8, encodeFailure, encodeUtf8, protocolError } from "@pohunek/protocol/wire";
import { connect } from "@pohunek/sdk";
import { tcpTransport, unixTransport } from "@pohunek/sdk/node";
import { failureOf } from "./failure-of.ts";
import type { ProtocolServerOptions } from "./protocol-server.ts";
import { NO_ANSWER, ProtocolServer } from "./protocol-server.ts";
import { sampleSession } from "./sample-session.ts";

const REPAINT = encodeUtf8("\u001b[H\u001b[2J$ ");
const granted = { "session.attach": () => ({ stream_id: "a-1" }) };

type Attach = NonNullable<ProtocolServerOptions["attach"]>;

/** Repaints, then echoes what comes in. */
const echo: Attach = (_streamId, socket, input) => {
  socket.write(REPAINT);
  if (input.length > 0) socket.write(input);
  socket.on("data", (chunk) => socket.write(chunk));
};

async function readText(stream: AsyncIterable<Uint8Array>, length = Number.POSITIVE_INFINITY): Promise<string> {
  let text = "";
  for await (const chunk of stream) {
    text += decodeUtf8(chunk) ?? "?";
    if (text.length >= length) break;
  }
  return text;
}

test("an attach redeems its grant with the prelude, repaints and echoes input", async () => {
  let redeemed: string | undefined;
  await using server = await ProtocolServer.start({
    handlers: granted,
    attach: (streamId, socket, input) => {
      redeemed = streamId;
      echo(streamId, socket, input);
    },
  });
  await using client = await connect({ transport: unixTransport(server.socketPath) });
  await using stream = await client.attach({ session_id: "s-1", initial_dimensions: { cols: 80, rows: 24 } });
  expect(server.requests[0]?.params).toEqual({ session_id: "s-1", initial_dimensions: { cols: 80, rows: 24 } });
  await stream.write(encodeUtf8("ls\r"));
  expect(await readText(stream, 12)).toBe("\u001b[H\u001b[2J$ ls\r");
  expect([redeemed, stream.streamId]).toEqual(["a-1", "a-1"]);
});

test("input may follow the prelude at once", async () => {
  await using server = await ProtocolServer.start({ attach: echo });
  const transport = unixTransport(server.socketPath);
  const raw = await transport.connect("attach", new AbortController().signal);
  await raw.write(encodeUtf8('{"attach":"a-1"}\nearly'));
  let text = "";
  while (!text.endsWith("early")) text += decodeUtf8((await raw.read()) ?? encodeUtf8("(end)early"));
  expect(text).toBe("\u001b[H\u001b[2J$ early");
  await raw.close();
});

test("a refused attach rejects with the daemon's failure and its host", async () => {
  await using server = await ProtocolServer.start({ handlers: granted });
  await using client = await connect({
    transport: tcpTransport({ address: "127.0.0.1", port: server.tcpPort, host: "studio" }),
  });
  expect(await failureOf(client.attach({ session_id: "s-1" }))).toMatchObject({
    code: "attach_not_found",
    host: "studio",
  });
});

test("a refusal that arrives in pieces is still one", async () => {
  const line = encodeFailure(4, "a-1", protocolError("session_not_running"));
  await using server = await ProtocolServer.start({
    handlers: granted,
    attach: (_streamId, socket) => {
      socket.setNoDelay(true);
      socket.write(line.subarray(0, 10), () =>
        socket.write(line.subarray(10, 30), () => socket.end(line.subarray(30))),
      );
    },
  });
  await using client = await connect({ transport: unixTransport(server.socketPath) });
  expect(await failureOf(client.attach({ session_id: "s-1" }))).toMatchObject({ code: "session_not_running" });
});

test("a stream that ends before it shows anything tells the stored failure", async () => {
  const error = { class: "runtime", code: "worker_attach_stream_failed", msg: "broke" };
  let result: object = { detached: false, error };
  const asked: unknown[] = [];
  await using server = await ProtocolServer.start({
    handlers: {
      ...granted,
      "session.detach": (params) => {
        asked.push(params);
        return result;
      },
    },
    attach: (_streamId, socket) => void socket.end(),
  });
  await using client = await connect({ transport: unixTransport(server.socketPath) });
  expect(await failureOf(client.attach({ session_id: "s-1" }))).toMatchObject({
    code: "worker_attach_stream_failed",
    message: "broke",
  });
  result = { detached: false };
  expect(await failureOf(client.attach({ session_id: "s-1" }))).toMatchObject({ code: "daemon_unreachable" });
  expect(asked).toEqual([{ stream_id: "a-1" }, { stream_id: "a-1" }]);
});

test("when the output ends, the failure is asked for once", async () => {
  const error = { class: "runtime", code: "worker_runtime_fault", msg: "the worker failed" };
  for (const [result, outcome] of [
    [{ detached: false, error }, { code: "worker_runtime_fault" }],
    [{ detached: false }, { answer: "\u001b[H\u001b[2J$ bye" }],
  ] as const) {
    let asked = 0;
    await using server = await ProtocolServer.start({
      handlers: {
        ...granted,
        "session.detach": () => {
          asked += 1;
          return result;
        },
      },
      attach: (_streamId, socket) => {
        socket.write(REPAINT);
        socket.end("bye");
      },
    });
    await using client = await connect({ transport: unixTransport(server.socketPath) });
    await using stream = await client.attach({ session_id: "s-1" });
    expect(await failureOf(readText(stream))).toMatchObject(outcome);
    expect(asked).toBe(1);
  }
});

test("resize and detach go over the control connection", async () => {
  const closed = Promise.withResolvers<void>();
  await using server = await ProtocolServer.start({
    handlers: {
      ...granted,
      "session.resize": () => ({ session: sampleSession() }),
      "session.detach": () => ({ detached: true }),
    },
    attach: (streamId, socket, input) => {
      socket.once("close", () => closed.resolve());
      echo(streamId, socket, input);
    },
  });
  await using client = await connect({ transport: unixTransport(server.socketPath) });
  const stream = await client.attach({ session_id: "s-1" });
  await stream.resize({ cols: 100, rows: 30 });
  const reading = readText(stream);
  await stream.detach();
  await stream.detach();
  expect(await reading).toBe("\u001b[H\u001b[2J$ ");
  await closed.promise;
  expect(server.connections[0]?.requests.map(({ method, params }) => [method, params])).toEqual([
    ["session.attach", { session_id: "s-1" }],
    ["session.resize", { session_id: "s-1", stream_id: "a-1", cols: 100, rows: 30 }],
    ["session.detach", { stream_id: "a-1" }],
  ]);
});

test("a daemon that dies in the middle is a failure, not an end", async () => {
  await using server = await ProtocolServer.start({ handlers: granted, attach: echo });
  await using client = await connect({ transport: unixTransport(server.socketPath) });
  await using stream = await client.attach({ session_id: "s-1" });
  const reading = failureOf(readText(stream));
  for (const { socket } of server.connections) socket.destroy();
  expect(await reading).toMatchObject({ code: "daemon_unreachable" });
});

test("an attach that shows nothing is given up in time or by its signal, and leaves no connection", async () => {
  await using server = await ProtocolServer.start({
    handlers: { ...granted, "session.detach": () => NO_ANSWER },
    attach: (_streamId, socket) => void socket.resume(),
  });
  await using client = await connect({ transport: unixTransport(server.socketPath), requestTimeoutMs: 20 });
  expect(await failureOf(client.attach({ session_id: "s-1" }))).toMatchObject({ code: "request_timeout" });
  const abort = new AbortController();
  const attaching = failureOf(client.attach({ session_id: "s-1" }, { signal: abort.signal }));
  abort.abort(new Error("enough"));
  expect(await attaching).toMatchObject({ message: "enough" });
  const attached = server.connections.slice(1);
  await Promise.all(attached.map((connection) => connection.closed));
  expect(attached.length).toBeGreaterThan(0);
});

const FLOOD_BYTES = 64 * 1_048_576;
const CHUNK = Uint8Array.from({ length: 65_536 }, (_, index) => (index * 31) % 251);

/** Writes the flood as the socket takes it and returns how much the kernel has taken so far. */
function flood(socket: Socket): () => number {
  socket.write(REPAINT);
  let left = FLOOD_BYTES;
  const fill = (): void => {
    while (left > 0) {
      left -= CHUNK.length;
      if (!socket.write(CHUNK)) return;
    }
    socket.end();
  };
  socket.on("drain", fill);
  fill();
  return () => FLOOD_BYTES - left - socket.writableLength;
}

async function untilStill(read: () => number): Promise<number> {
  const deadline = performance.now() + 5_000;
  for (let before = -1, stillFor = 0; performance.now() < deadline; ) {
    const now = read();
    stillFor = now === before ? stillFor + 1 : 0;
    if (stillFor === 10) return now;
    before = now;
    await Bun.sleep(10);
  }
  throw new Error("the flood never came to rest");
}

test("a client that does not read holds the sender back, and loses nothing", async () => {
  const taken = Promise.withResolvers<() => number>();
  await using server = await ProtocolServer.start({
    handlers: { ...granted, "session.detach": () => ({ detached: false }) },
    attach: (_streamId, socket) => taken.resolve(flood(socket)),
  });
  await using client = await connect({ transport: unixTransport(server.socketPath) });
  await using stream = await client.attach({ session_id: "s-1" });
  expect(await untilStill(await taken.promise)).toBeLessThan(4 * 1_048_576);

  const expected = createHash("sha256").update(REPAINT);
  for (let left = FLOOD_BYTES; left > 0; left -= CHUNK.length) expected.update(CHUNK);
  const received = createHash("sha256");
  for await (const chunk of stream) received.update(chunk);
  expect(received.digest("hex")).toBe(expected.digest("hex"));
}, 30_000);

test("writing waits for a daemon that does not read, and keeps the order", async () => {
  const held = Promise.withResolvers<Socket>();
  await using server = await ProtocolServer.start({
    handlers: granted,
    attach: (_streamId, socket) => {
      socket.write(REPAINT);
      socket.pause();
      held.resolve(socket);
    },
  });
  await using client = await connect({ transport: unixTransport(server.socketPath) });
  await using stream = await client.attach({ session_id: "s-1" });
  const socket = await held.promise;
  let flushed = 0;
  const writes = Array.from({ length: 256 }, (_, index) =>
    stream.write(new Uint8Array(65_536).fill(index)).then(() => (flushed += 1)),
  );
  expect(await untilStill(() => flushed)).toBeLessThan(200);

  const order: number[] = [];
  let bytes = 0;
  const all = Promise.withResolvers<void>();
  socket.on("data", (chunk: Uint8Array) => {
    for (let at = (65_536 - (bytes % 65_536)) % 65_536; at < chunk.length; at += 65_536) order.push(chunk[at] ?? -1);
    bytes += chunk.length;
    if (bytes === 256 * 65_536) all.resolve();
  });
  socket.resume();
  await Promise.all(writes);
  await all.promise;
  expect(order).toEqual(Array.from({ length: 256 }, (_, index) => index));
}, 30_000);

test("closing does not wait for a daemon that takes no input, nor does who reads", async () => {
  await using server = await ProtocolServer.start({ attach: (_streamId, socket) => void socket.pause() });
  const raw = await unixTransport(server.socketPath).connect("attach", new AbortController().signal);
  await raw.write(encodeUtf8('{"attach":"a-1"}\n'));
  const writing = failureOf(raw.write(new Uint8Array(16 * 1_048_576)));
  const reading = raw.read();
  let isClosed = false;
  const closing = raw.close().then(() => (isClosed = true));
  expect(await reading).toBeUndefined();
  expect(isClosed).toBe(false);
  expect(await closing).toBe(true);
  expect(await writing).toBeInstanceOf(Error);
});
