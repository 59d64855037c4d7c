import { describe, expect, test } from "bun:test";
import { METHODS } from "@pohunek/protocol/wire";
import { startHost, until } from "../support/index.ts";

const V = { minimum: 3, maximum: 4 };

describe("lines that are no requests", () => {
  test("are answered, and the connection stays", async () => {
    await using host = await startHost();
    await using client = await host.connect();
    const bad: (string | Uint8Array)[] = [
      "\n",
      "   \n",
      "{\n",
      "null\n",
      "[]\n",
      '"text"\n',
      "{}\n",
      '{"v":4,"id":"x","method":"daemon.health"}\n',
      '{"v":{"minimum":0,"maximum":4},"id":"x","method":"daemon.health"}\n',
      '{"v":{"minimum":4,"maximum":3},"id":"x","method":"daemon.health"}\n',
      '{"v":{"minimum":3,"maximum":4,"more":1},"id":"x","method":"daemon.health"}\n',
      '{"v":{"minimum":3,"maximum":4},"id":"","method":"daemon.health"}\n',
      '{"v":{"minimum":3,"maximum":4},"id":"a b","method":"daemon.health"}\n',
      `{"v":{"minimum":3,"maximum":4},"id":"${"x".repeat(129)}","method":"daemon.health"}\n`,
      '{"v":{"minimum":3,"maximum":4},"id":"x","method":""}\n',
      '{"v":{"minimum":3,"maximum":4},"id":"x","method":"a\\u0000b"}\n',
      '{"v":{"minimum":3,"maximum":4},"id":"x","method":"daemon.health","extra":1}\n',
      '{"v":{"minimum":3,"maximum":4},"id":"x","method":"daemon.health","origin_session_id":"s-1"}\n',
      '{"attach":"a-1","more":1}\n',
      new Uint8Array([0xff, 0xfe, 0x0a]),
      new Uint8Array([0x7b, 0xc3, 0x28, 0x7d, 0x0a]),
    ];
    for (const line of bad) {
      client.send(line);
      const answer = await client.nextAnswer();
      expect(answer).toMatchObject({ v: 4, id: "invalid-request", err: { class: "daemon", code: "bad_request" } });
    }
    expect(await client.call<unknown>("daemon.health")).toMatchObject({ status: "ok" });
  });

  test("end the connection when they are longer than a line may be, and nobody else's", async () => {
    await using host = await startHost();
    await using other = await host.connect();
    await using client = await host.connect();
    client.send(`{"v":${JSON.stringify(V)},"id":"a","method":"daemon.health"}\n`);
    client.send("x".repeat(1_048_577));
    expect((await client.nextAnswer()).id).toBe("a");
    expect(await client.nextLine()).toBeUndefined();
    expect(await other.call<unknown>("daemon.health")).toMatchObject({ status: "ok" });
  });

  test("are taken at exactly the ceiling", async () => {
    await using host = await startHost();
    await using client = await host.connect();
    const head = `{"v":${JSON.stringify(V)},"id":"big","method":"daemon.health","params":"`;
    const line = `${head}${"p".repeat(1_048_576 - head.length - 2)}"}`;
    expect(line.length).toBe(1_048_576);
    client.send(`${line}\n`);
    expect(await client.nextAnswer()).toMatchObject({ id: "big", ok: { status: "ok" } });
  });

  test("of random bytes never stop the daemon", async () => {
    await using host = await startHost();
    let seed = 42;
    const random = (): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return seed;
    };
    for (let round = 0; round < 30; round += 1) {
      await using client = await host.connect();
      const noise = new Uint8Array(1 + (random() % 4000)).map(() => random() & 255);
      client.send(noise);
      client.send("\n");
      client.end();
      await client.closed;
    }
    expect(await host.call<unknown>("daemon.health")).toMatchObject({ status: "ok" });
  });
});

describe("requests", () => {
  test("may come in pieces, with carriage returns, and many at once; answers keep the order", async () => {
    await using host = await startHost();
    await using client = await host.connect();
    const line = `{"v":${JSON.stringify(V)},"id":"half","method":"daemon.health"}\r\n`;
    for (const piece of [line.slice(0, 1), line.slice(1, 30), line.slice(30, -1), line.slice(-1)]) {
      client.send(piece);
      await Bun.sleep(5);
    }
    expect((await client.nextAnswer()).id).toBe("half");
    const ids = Array.from({ length: 500 }, (_, index) => `p-${index}`);
    client.send(ids.map((id) => `${JSON.stringify({ v: V, id, method: "session.list" })}\n`).join(""));
    for (const id of ids) {
      expect((await client.nextAnswer()).id).toBe(id);
    }
  });

  test("that came before the client ended its half are still answered", async () => {
    await using host = await startHost();
    await using client = await host.connect();
    client.send(
      `${JSON.stringify({ v: V, id: "1", method: "daemon.health" })}\n${JSON.stringify({ v: V, id: "2", method: "session.list" })}\n`,
    );
    client.end();
    expect((await client.nextAnswer()).id).toBe("1");
    expect((await client.nextAnswer()).id).toBe("2");
    expect(await client.nextLine()).toBeUndefined();
  });

  test("of a client that floods and does not read do not fill the daemon's memory", async () => {
    await using host = await startHost();
    await using client = await host.connect();
    client.pause();
    const line = `${JSON.stringify({ v: V, id: "f", method: "host.inspect" })}\n`;
    client.send(line.repeat(200_000));
    await using other = await host.connect();
    for (let round = 0; round < 50; round += 1) {
      expect(await other.call<unknown>("daemon.health")).toMatchObject({ status: "ok" });
    }
    const kib = Number(/VmRSS:\s+(\d+)/.exec(await Bun.file(`/proc/${host.daemonPid}/status`).text())?.[1]);
    expect(kib).toBeLessThan(250_000);
  });

  test("for unknown methods and for those of later releases get method_not_found", async () => {
    await using host = await startHost();
    await using client = await host.connect();
    expect(await client.refusal("status")).toBe("method_not_found");
    expect(await client.refusal("__proto__")).toBe("method_not_found");
    expect(await client.refusal("constructor")).toBe("method_not_found");
    const later = Object.entries(METHODS).filter(([, { implemented }]) => !implemented);
    for (const [method] of later) {
      expect(await client.refusal(method, {})).toBe("method_not_found");
    }
  });

  test("fix the version of a connection with the first one", async () => {
    await using host = await startHost();
    await using client = await host.connect();
    client.sendLine({ v: { minimum: 9, maximum: 12 }, id: "a", method: "daemon.health" });
    expect(await client.nextAnswer()).toMatchObject({
      v: 4,
      id: "a",
      err: { class: "daemon", code: "version_mismatch" },
    });
    client.sendLine({ v: { minimum: 1, maximum: 3 }, id: "b", method: "daemon.health" });
    expect(await client.nextAnswer()).toMatchObject({ v: 3, ok: { protocol_version: 3 } });
    client.sendLine({ v: { minimum: 4, maximum: 4 }, id: "c", method: "daemon.health" });
    expect(await client.nextAnswer()).toMatchObject({ v: 3, id: "c", err: { code: "version_mismatch" } });
    client.sendLine({ v: { minimum: 3, maximum: 4 }, id: "d", method: "daemon.health" });
    expect(await client.nextAnswer()).toMatchObject({ v: 3, id: "d", ok: {} });
  });

  test("on a version 3 connection see version 3 shapes and no later methods", async () => {
    await using host = await startHost();
    const session = await host.newSession({ metadata: { worker_instance_id: "mine" } });
    await using client = await host.connect();
    const v = { minimum: 3, maximum: 3 };
    client.sendLine({ v, id: "a", method: "session.inspect", params: session.id });
    const { ok } = (await client.nextAnswer()) as { ok: { runtime: object; metadata: object } };
    expect(ok.runtime).toHaveProperty("runtime_id", session.runtime.worker_instance_id);
    expect(ok.runtime).not.toHaveProperty("worker_instance_id");
    expect(ok.metadata).toEqual({ worker_instance_id: "mine" });
    const runtime = { runtime_id: session.runtime.worker_instance_id, runtime_generation: "1" };
    client.sendLine({
      v,
      id: "b",
      method: "session.output",
      params: { session_id: session.id, runtime, max_bytes: 100 },
    });
    expect(await client.nextAnswer()).toMatchObject({ ok: { runtime_id: session.runtime.worker_instance_id } });
    client.sendLine({ v, id: "c", method: "package.list" });
    expect(await client.nextAnswer()).toMatchObject({ err: { code: "method_not_found" } });
  });

  test("with wrong params name the field and never repeat the value", async () => {
    await using host = await startHost();
    await using client = await host.connect();
    for (const [method, params, mention] of [
      ["session.new", { agent: "shell", cols: 0, rows: 24 }, "cols"],
      ["session.new", { agent: "shell", cols: 80, rows: 24, name: "a\u0007b" }, "name"],
      ["session.new", { agent: "shell", cols: 80, rows: 24, name: "n".repeat(129) }, "name"],
      ["session.new", { agent: "shell", cols: 80, rows: 24, input: "i".repeat(262_145) }, "input"],
      ["session.new", { agent: "shell", cols: 80, rows: 24, command: [] }, "command"],
      ["session.inspect", { id: "s-1" }, "session.inspect"],
      ["session.inspect", "secret value", "session.inspect"],
      ["session.wait", { session_id: "s-1", timeout_ms: 100 }, "predicate"],
      ["session.wait", { session_id: "s-1", states: [], timeout_ms: 100 }, "states"],
      ["session.wait", { session_id: "s-1", states: ["done"], timeout_ms: 8001 }, "timeout_ms"],
      ["session.output", { session_id: "s-1", max_bytes: 783_241 }, "max_bytes"],
      ["session.output", { session_id: "s-1", max_bytes: 10, after_offset: "1" }, "after_offset"],
      [
        "session.output",
        { session_id: "s-1", max_bytes: 10, runtime: { worker_instance_id: "w", runtime_generation: "01" } },
        "runtime",
      ],
      ["session.list", { filters: [{ key: "colour", value: "red" }] }, "key"],
    ] as const) {
      const { err } = await client.ask(method, params);
      expect([method, err?.code]).toEqual([method, "bad_request"]);
      expect(err?.msg).toContain(mention);
      expect(err?.msg).not.toContain("secret value");
    }
  });
});

test("connections beyond the limit are closed, and there is room again when others end", async () => {
  await using host = await startHost();
  const isServed = async (): Promise<boolean> => {
    try {
      await using more = await host.connect();
      more.sendLine({ v: V, id: "x", method: "daemon.health" });
      return (await more.nextLine()) !== undefined;
    } catch {
      // ECONNRESET: closed before this side had noticed that it was accepted.
      return false;
    }
  };
  const open = await Promise.all(Array.from({ length: 512 }, () => host.connect()));
  try {
    await until("the limit to be reached", async () => !(await isServed()));
    expect(await open[511]?.call<unknown>("daemon.health")).toMatchObject({ status: "ok" });
  } finally {
    await Promise.all(open.map((client) => client[Symbol.asyncDispose]()));
  }
  await until("room for another", isServed);
});

test("the summary of every request is in the log by its id, without its params", async () => {
  await using host = await startHost();
  await using client = await host.connect();
  client.sendLine({ v: V, id: "find-me.1", method: "session.inspect", params: "s-sentinel" });
  await client.nextAnswer();
  client.sendLine({ v: V, id: "find-me.2", method: "sentinel.method" });
  await client.nextAnswer();
  await host.stop();
  const lines = host.log().filter(({ request_id }) => String(request_id).startsWith("find-me"));
  expect(lines).toMatchObject([
    {
      level: "info",
      event: "request",
      method: "session.inspect",
      origin: "local",
      version: 4,
      code: "session_not_found",
    },
    { level: "info", event: "request", code: "method_not_found" },
  ]);
  expect(JSON.stringify(host.log())).not.toContain("sentinel");
});
