import { expect, test } from "bun:test";
import type { Request } from "@pohunek/protocol/wire";
import { encodeUtf8, isRecord, MAX_CONTROL_LINE_BYTES, protocolError } from "@pohunek/protocol/wire";
import type { ClientOptions } from "@pohunek/sdk";
import { connect } from "@pohunek/sdk";
import { tcpTransport, unixTransport } from "@pohunek/sdk/node";
import { validateEverything } from "@pohunek/sdk/validate";
import { failureOf } from "./failure-of.ts";
import type { ProtocolServerOptions } from "./protocol-server.ts";
import { NO_ANSWER, ProtocolServer } from "./protocol-server.ts";
import { sampleSession } from "./sample-session.ts";

const runtime = { worker_instance_id: "w-1", runtime_generation: "1" as never };

function connectTo(server: ProtocolServer, options: Partial<ClientOptions> = {}) {
  return connect({ transport: unixTransport(server.socketPath), ...options });
}

function start(handlers: ProtocolServerOptions["handlers"], options: ProtocolServerOptions = {}) {
  return ProtocolServer.start({ ...options, handlers: handlers ?? {} });
}

const methodsOf = (requests: readonly Request[]) => requests.map((request) => request.method);

test("a call sends its params in one line and returns the result", async () => {
  await using server = await start({ "session.list": () => [sampleSession()] });
  await using client = await connectTo(server);
  const [session] = await client.call("session.list", { filters: [{ key: "state", value: "running" }] });
  expect(session?.state).toBe("running");
  expect(server.requests).toMatchObject([
    {
      v: { minimum: 3, maximum: 4 },
      method: "session.list",
      params: { filters: [{ key: "state", value: "running" }] },
    },
  ]);
  expect([client.version, client.host, client.isClosed]).toEqual([4, undefined, false]);
});

test("methods are functions by the parts of their names", async () => {
  await using server = await start({
    "session.stop": () => ({ stopped: true }),
    "session.policy.get": () => ({ retention: {} }),
    "host.discover": (params) => [{ params }],
  });
  await using client = await connectTo(server);
  expect(await client.methods.session.stop("s-1")).toEqual({ stopped: true });
  expect(await client.methods.session.policy.get()).toEqual({ retention: {} as never });
  expect(await client.methods.host.discover({ force: true })).toEqual([{ params: { force: true } }] as never);
  expect(methodsOf(server.requests)).toEqual(["session.stop", "session.policy.get", "host.discover"]);
});

test("the first answer fixes the version, and later requests offer only that", async () => {
  await using server = await start({ "session.list": () => [] }, { versions: { minimum: 3, maximum: 4 } });
  await using client = await connectTo(server);
  await client.call("session.list");
  await client.call("session.list");
  expect(server.requests.map((request) => request.v)).toEqual([
    { minimum: 3, maximum: 4 },
    { minimum: 4, maximum: 4 },
  ]);
});

test("a request that depends on the version asks for it first, others don't", async () => {
  await using server = await start({ "session.screen": () => ({}), "session.output": () => ({}) });
  await using client = await connectTo(server);
  await client.call("session.output", { session_id: "s-1", runtime, max_bytes: 1 });
  expect(methodsOf(server.requests)).toEqual(["daemon.health", "session.output"]);
  await client.call("session.output", { session_id: "s-1", runtime, max_bytes: 1 });
  expect(methodsOf(server.requests)).toEqual(["daemon.health", "session.output", "session.output"]);

  await using second = await connectTo(server);
  await second.call("session.screen", { session_id: "s-1" });
  expect(methodsOf(server.connections[1]?.requests ?? [])).toEqual(["session.screen"]);
});

test("waiting requests have connections of their own, in the parent's version and with its origin", async () => {
  const origin = { origin_session_id: "s-9", origin_daemon_id: "d-9" };
  await using server = await start({
    "session.wait": () => ({ reason: "timeout", session: sampleSession() }),
    "session.output": () => ({ timed_out: true }),
  });
  await using client = await connectTo(server, { origin });
  await client.call("session.wait", { session_id: "s-1", runtime, states: ["done"], timeout_ms: 1 });
  await client.call("session.output", {
    session_id: "s-1",
    runtime,
    after_offset: "0" as never,
    max_bytes: 1,
    wait_ms: 1,
  });
  expect(server.connections.map(({ requests }) => methodsOf(requests))).toEqual([
    ["daemon.health"],
    ["session.wait"],
    ["session.output"],
  ]);
  expect(server.requests.slice(1).map((request) => request.v)).toEqual([
    { minimum: 4, maximum: 4 },
    { minimum: 4, maximum: 4 },
  ]);
  for (const request of server.requests) expect(request).toMatchObject(origin);
});

test("the origin pair goes with every connection, and half a pair is refused", async () => {
  const origin = { origin_session_id: "s-9", origin_daemon_id: "d-9" };
  await using server = await start({ "session.list": () => [] });
  await using client = await connectTo(server, { origin });
  await client.call("session.list");
  await using _subscription = await client.subscribe();
  expect(server.requests.length).toBe(2);
  for (const request of server.requests) expect(request).toMatchObject(origin);
  const half = connectTo(server, { origin: { origin_session_id: "s-9" } as never });
  expect(await failureOf(half)).toMatchObject({ code: "bad_request" });

  await using plain = await connectTo(server);
  await plain.call("session.list");
  expect(Object.keys(server.requests.at(-1) ?? {})).not.toContain("origin_session_id");
});

test("pipelined calls get their own answers, in order", async () => {
  await using server = await start({ "session.diff": (params) => ({ diff: (params as { base: string }).base }) });
  await using client = await connectTo(server);
  const bases = Array.from({ length: 50 }, (_, index) => `base-${index}`);
  const results = await Promise.all(bases.map((base) => client.call("session.diff", { session_id: "s-1", base })));
  expect(results.map((result) => result.diff)).toEqual(bases);
  expect(server.connections.length).toBe(1);
  expect(new Set(server.requests.map((request) => request.id)).size).toBe(50);
});

test("a failure keeps class, code, text and hint, and names the host it came from", async () => {
  await using server = await start({
    "session.inspect": () => {
      throw protocolError("session_not_found", { message: "no s-404 here", recover: "look again" });
    },
  });
  await using local = await connectTo(server);
  const here = await failureOf(local.call("session.inspect", "s-404"));
  expect(here).toMatchObject({
    code: "session_not_found",
    class: "runtime",
    message: "no s-404 here",
    recover: "look again",
  });
  expect(here).toMatchObject({ host: undefined });

  const transport = tcpTransport({ address: "127.0.0.1", port: server.tcpPort, host: "studio" });
  await using remote = await connect({ transport });
  expect(await failureOf(remote.call("session.inspect", "s-404"))).toMatchObject({
    code: "session_not_found",
    host: "studio",
  });
});

test("a daemon without a common version is told as such", async () => {
  await using server = await start({}, { versions: { minimum: 5, maximum: 6 } });
  await using client = await connectTo(server);
  expect(await failureOf(client.call("session.list"))).toMatchObject({ code: "version_mismatch", class: "daemon" });
  expect(client.version).toBeUndefined();
});

test("an answer in a version that was not offered ends the connection", async () => {
  await using server = await start({
    "session.list": (_params, { request, socket }) => {
      socket.write(`${JSON.stringify({ v: 9, id: request.id, ok: [] })}\n`);
      return NO_ANSWER;
    },
  });
  await using client = await connectTo(server);
  expect(await failureOf(client.call("session.list"))).toMatchObject({ code: "version_mismatch" });
  expect(client.isClosed).toBe(true);
});

test("a daemon that contradicts its own version is refused", async () => {
  await using server = await start({
    "daemon.health": () => ({ status: "ok", daemon_version: "1", protocol_version: 3 }),
  });
  await using client = await connectTo(server);
  expect(await failureOf(client.handshake())).toMatchObject({ code: "version_mismatch" });
});

test("a late answer is dropped and the connection stays usable", async () => {
  const answered = Promise.withResolvers<void>();
  let calls = 0;
  await using server = await start({
    "session.diff": async (params) => {
      calls += 1;
      if (calls === 1) await answered.promise;
      return { diff: (params as { base: string }).base };
    },
  });
  await using client = await connectTo(server);
  const late = client.call("session.diff", { session_id: "s-1", base: "late" }, { timeoutMs: 5 });
  expect(await failureOf(late)).toMatchObject({ code: "request_timeout", class: "transport" });
  const next = client.call("session.diff", { session_id: "s-1", base: "next" });
  answered.resolve();
  expect((await next).diff).toBe("next");
});

test("an aborted call ends at once, whether it was sent or not", async () => {
  const received = Promise.withResolvers<void>();
  await using server = await start({
    "session.list": () => {
      received.resolve();
      return NO_ANSWER;
    },
  });
  await using client = await connectTo(server);
  const abort = new AbortController();
  const call = client.call("session.list", null, { signal: abort.signal });
  await received.promise;
  abort.abort(new Error("enough"));
  expect(await failureOf(call)).toMatchObject({ message: "enough" });
  expect(await failureOf(client.call("session.list", null, { signal: abort.signal }))).toMatchObject({
    message: "enough",
  });
  expect(server.requests.length).toBe(1);
});

test("garbage, oversized and unasked answers fail what is pending and end the connection", async () => {
  const garbage: readonly (readonly [string, Uint8Array])[] = [
    ["no JSON", encodeUtf8("{oops\n")],
    ["no response", encodeUtf8("[]\n")],
    ["blank", encodeUtf8("\n")],
    ["unknown id", encodeUtf8('{"v":4,"id":"nobody","ok":1}\n')],
    ["both ok and err", encodeUtf8('{"v":4,"id":"x","ok":1,"err":{"class":"daemon","code":"x","msg":""}}\n')],
    ["not UTF-8", Uint8Array.of(0x22, 0xff, 0x22, 0x0a)],
    ["too long", encodeUtf8(`"${"x".repeat(MAX_CONTROL_LINE_BYTES)}"\n`)],
  ];
  for (const [name, bytes] of garbage) {
    await using server = await start({
      "session.list": (_params, { socket }) => {
        socket.write(bytes);
        return NO_ANSWER;
      },
    });
    await using client = await connectTo(server);
    const both = [client.call("session.list"), client.call("session.list")].map(failureOf);
    for (const failure of await Promise.all(both))
      expect({ name, failure }).toMatchObject({ name, failure: { code: "framing" } });
    expect(await failureOf(client.call("session.list"))).toMatchObject({ code: "framing" });
    expect(client.isClosed).toBe(true);
  }
});

test("an answer to an unreadable line belongs to the oldest request", async () => {
  await using server = await start({
    "session.list": (_params, { socket }) => {
      const err = { class: "daemon", code: "bad_request", msg: "what?" };
      socket.write(`${JSON.stringify({ v: 4, id: "invalid-request", err })}\n`);
      return NO_ANSWER;
    },
    "session.stop": () => ({ stopped: true }),
  });
  await using client = await connectTo(server);
  const [first, second] = [client.call("session.list"), client.call("session.stop", "s-1")];
  expect(await failureOf(first)).toMatchObject({ code: "bad_request", message: "what?" });
  expect(await second).toEqual({ stopped: true });
});

test("a daemon that goes away is told by who it was", async () => {
  const hangUp: ProtocolServerOptions["handlers"] = {
    "session.list": (_params, { socket }) => {
      socket.destroy();
      return NO_ANSWER;
    },
    "session.stop": (_params, { socket }) => {
      socket.end('{"v":4,"id":');
      return NO_ANSWER;
    },
  };
  await using server = await start(hangUp);
  await using local = await connectTo(server);
  expect(await failureOf(local.call("session.list"))).toMatchObject({ code: "daemon_unreachable" });
  await using cut = await connectTo(server);
  expect(await failureOf(cut.call("session.stop", "s-1"))).toMatchObject({ code: "framing" });
  await using remote = await connect({ transport: tcpTransport({ address: "127.0.0.1", port: server.tcpPort }) });
  const failure = await failureOf(remote.call("session.list"));
  expect(failure).toMatchObject({ code: "remote_daemon_unavailable", host: "127.0.0.1" });
});

test("a daemon that is not there is told by where it was looked for", async () => {
  const server = await ProtocolServer.start();
  const { socketPath, tcpPort } = server;
  await server[Symbol.asyncDispose]();
  expect(await failureOf(connect({ transport: unixTransport(socketPath) }))).toMatchObject({
    code: "daemon_unreachable",
    cause: { code: "ENOENT" },
  });
  const transport = tcpTransport({ address: "127.0.0.1", port: tcpPort, host: "studio" });
  expect(await failureOf(connect({ transport }))).toMatchObject({ code: "host_unreachable", host: "studio" });
});

test("connecting gives up in time and when it is told to", async () => {
  const never = { host: "nowhere", connect: () => Promise.withResolvers<never>().promise };
  expect(await failureOf(connect({ transport: never, connectTimeoutMs: 5 }))).toMatchObject({
    code: "host_unreachable",
  });
  const abort = new AbortController();
  const connecting = failureOf(connect({ transport: never, signal: abort.signal }));
  abort.abort(new Error("enough"));
  expect(await connecting).toMatchObject({ message: "enough" });
});

test("a request that does not fit in a line is refused before it is sent", async () => {
  await using server = await start({ "session.list": () => [] });
  await using client = await connectTo(server);
  const text = "x".repeat(MAX_CONTROL_LINE_BYTES);
  expect(await failureOf(client.call("session.input", { session_id: "s-1", text }))).toMatchObject({ code: "framing" });
  expect(await client.call("session.list")).toEqual([]);
  expect(methodsOf(server.requests)).toEqual(["session.list"]);
});

test("a waited input without all of its evidence is a broken contract", async () => {
  const evidence = {
    activity: "idle",
    activity_source: "screen",
    runtime,
    activity_epoch: "e-1",
    activity_revision: "4",
  };
  let answer: object = { accepted: true };
  await using server = await start({ "session.input": () => answer });
  await using client = await connectTo(server);
  const wait = { until: ["idle" as const], timeout_ms: 10 };
  const send = () => failureOf(client.call("session.input", { session_id: "s-1", text: "go", wait }));
  expect(await send()).toMatchObject({ code: "session_input_wait_contract_mismatch", class: "daemon" });
  for (const missing of Object.keys(evidence)) {
    answer = { accepted: true, ...evidence, [missing]: undefined };
    expect({ missing, failure: await send() }).toMatchObject({
      missing,
      failure: { code: "session_input_wait_contract_mismatch" },
    });
  }
  answer = { accepted: true, ...evidence };
  expect(await send()).toEqual({ answer });
  answer = { accepted: true };
  expect(await client.call("session.input", { session_id: "s-1", text: "go" })).toEqual({ accepted: true });
});

test("results are checked only when a validator is given", async () => {
  await using server = await start({ "session.list": () => [{ id: 7 }] });
  await using trusting = await connectTo(server);
  expect(await trusting.call("session.list")).toEqual([{ id: 7 }] as never);
  await using checking = await connectTo(server, { validator: validateEverything });
  expect(await failureOf(checking.call("session.list"))).toMatchObject({ code: "json_error" });
});

test("closing ends what is pending and is harmless twice", async () => {
  await using server = await start({ "session.list": () => NO_ANSWER });
  const client = await connectTo(server);
  const pending = failureOf(client.call("session.list"));
  await client.close();
  await client.close();
  expect(await pending).toMatchObject({ code: "daemon_unreachable" });
  expect(client.isClosed).toBe(true);
});

test("waiting goes on in slices over one connection until the condition holds", async () => {
  const slices: unknown[] = [];
  await using server = await start({
    "session.wait": (params) => {
      slices.push(params);
      const reason = slices.length < 3 ? "timeout" : "state_matched";
      return { reason, session: sampleSession({ state: "done" }) };
    },
  });
  await using client = await connectTo(server);
  const session = await client.waitForState("s-1", ["done", "failed"]);
  expect(session.state).toBe("done");
  expect(slices).toEqual(Array(3).fill({ session_id: "s-1", states: ["done", "failed"], timeout_ms: 8_000 }));
  expect(server.connections.map(({ requests }) => requests.length)).toEqual([0, 3]);
});

test("waiting ends at its own deadline and by its signal", async () => {
  const abort = new AbortController();
  let shouldAbort = false;
  await using server = await start({
    "session.wait": async (params) => {
      if (shouldAbort) abort.abort(new Error("enough"));
      const waitMs = isRecord(params) ? Number(params["timeout_ms"]) : 0;
      expect(waitMs).toBeLessThanOrEqual(20);
      await Bun.sleep(waitMs);
      return { reason: "timeout", session: sampleSession() };
    },
  });
  await using client = await connectTo(server);
  const result = await client.wait({ session_id: "s-1", activities: ["idle"] }, { timeoutMs: 20 });
  expect(result.reason).toBe("timeout");
  expect(await failureOf(client.waitForActivity("s-1", ["idle"], { timeoutMs: 20 }))).toMatchObject({
    code: "request_timeout",
  });
  shouldAbort = true;
  const aborted = client.waitForActivity("s-1", ["idle"], { timeoutMs: 20, signal: abort.signal });
  expect(await failureOf(aborted)).toMatchObject({ message: "enough" });
});
