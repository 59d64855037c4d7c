import { describe, expect, test } from "bun:test";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import type { SessionFacts } from "../support/index.ts";
import { isAlive, RawAttach, RawClient, startHost, until } from "../support/index.ts";

/** Puts the terminal into raw mode, says so, and gives every byte back. */
const RAW_ECHO = ["/bin/sh", "-c", "stty raw -echo; printf READY; exec cat"];

describe("attaching", () => {
  test("gives the screen at once, then a raw pipe in both directions", async () => {
    await using host = await startHost();
    const { id } = await host.newSession({ command: RAW_ECHO });
    await using attach = await host.attach(id);
    await attach.until("READY");
    expect(attach.received[0]).not.toBe("{".charCodeAt(0));
    const mark = attach.receivedBytes;
    const all = Uint8Array.from({ length: 256 }, (_, index) => index);
    attach.write(all);
    await attach.untilBytes(mark + all.length);
    expect([...attach.received.subarray(mark)]).toEqual([...all]);
    const block = new Uint8Array(1_000_000).map((_, index) => (index * 31) & 255);
    attach.write(block);
    await attach.untilBytes(mark + all.length + block.length);
    expect(Buffer.compare(attach.received.subarray(mark + all.length), Buffer.from(block))).toBe(0);
  });

  test("takes bytes behind its first line as input", async () => {
    await using host = await startHost();
    const { id } = await host.newSession();
    await using attach = await host.attach(id, { input: "echo early-$((1+1))\r" });
    await attach.until("early-2");
  });

  test("takes a first line in pieces", async () => {
    await using host = await startHost();
    const { id } = await host.newSession();
    const { stream_id } = await host.call<{ stream_id: string }>("session.attach", { session_id: id });
    await using client = await host.connect();
    const line = `{"attach":"${stream_id}"}`;
    client.send(line.slice(0, 5));
    await Bun.sleep(20);
    client.send(line.slice(5));
    await Bun.sleep(20);
    client.send("\necho split-$((2+3))\r");
    // The raw client hands out whole lines of the stream.
    await until("the output of the command", async () => (await client.nextLine())?.includes("split-5"));
  });

  test("works once for a grant, in time, and only there where it was granted", async () => {
    await using host = await startHost({ config: '[overlay.mesh]\naddress = "127.0.0.1"\nport = 0\n' });
    const port = Number(
      String(host.log().find(({ overlay }) => overlay === "mesh")?.["address"])
        .split(":")
        .at(-1),
    );
    const remote = { hostname: "127.0.0.1", port };
    const { id } = await host.newSession();
    const failureOf = async (
      address: Parameters<typeof RawClient.connect>[0],
      streamId: string,
    ): Promise<string | undefined> => {
      await using client = await RawClient.connect(address);
      client.sendLine({ attach: streamId });
      const answer = await client.nextAnswer();
      expect(answer).toMatchObject({ v: 4, id: streamId, err: { class: "runtime" } });
      expect(await client.nextLine()).toBeUndefined();
      return answer.err?.code;
    };
    const { stream_id } = await host.call<{ stream_id: string }>("session.attach", { session_id: id });
    expect(await failureOf(remote, stream_id)).toBe("attach_not_found");
    await using attach = await RawAttach.open(host.address, stream_id, "echo ok-$((3+4))\r");
    await attach.until("ok-7");
    expect(await failureOf(host.address, stream_id)).toBe("attach_not_found");
    expect(await failureOf(host.address, "a-999")).toBe("attach_not_found");

    await using over = await RawClient.connect(remote);
    const granted = await over.call<{ stream_id: string }>("session.attach", { session_id: id });
    await using far = await RawAttach.open(remote, granted.stream_id, "echo far-$((4+4))\r");
    await far.until("far-8");

    const late = await host.call<{ stream_id: string }>("session.attach", { session_id: id });
    await Bun.sleep(10_100);
    expect(await failureOf(host.address, late.stream_id)).toBe("attach_expired");
  });

  test("opens on the asking connection itself, by name, for the process that the kernel knows it by", async () => {
    await using host = await startHost();
    const { id } = await host.newSession({ name: "one", command: RAW_ECHO });
    await using client = await host.connect();
    const params = { session_id: "one", by_name: true, upgrade_for_pid: process.pid };
    const answer = await client.call<Record<string, unknown>>("session.attach", params);
    expect(answer).toMatchObject({ session: { id, name: "one" }, upgraded: true });
    client.send("through-\n");
    await until("the echo", async () => (await client.nextLine())?.includes("through-"));
    const detached = await host.call<{ detached: boolean }>("session.detach", { stream_id: answer["stream_id"] });
    expect(detached.detached).toBe(true);
    await client.closed;
  });

  test("stays a connection for lines where another process asks, or lines came with the request", async () => {
    await using host = await startHost();
    const { id } = await host.newSession({ name: "one" });
    await host.newSession({ name: "two" });
    await host.newSession({ name: "two" });
    await using client = await host.connect();
    const params = { session_id: "one", by_name: true };
    const relayed = await client.call<Record<string, unknown>>("session.attach", { ...params, upgrade_for_pid: 1 });
    expect(relayed).toMatchObject({ session: { id, name: "one" } });
    expect(relayed["upgraded"]).toBeUndefined();
    const request = { v: { minimum: 4, maximum: 4 }, params: { ...params, upgrade_for_pid: process.pid } };
    client.send(
      `${JSON.stringify({ ...request, id: "q-1", method: "session.attach" })}\n${JSON.stringify({ v: request.v, id: "q-2", method: "daemon.health" })}\n`,
    );
    expect((await client.nextAnswer()).ok).not.toHaveProperty("upgraded");
    expect((await client.nextAnswer()).ok).toMatchObject({ status: "ok" });
    expect(await host.refusal("session.attach", { session_id: "one" })).toBe("session_not_found");
    expect(await host.refusal("session.attach", { session_id: "two", by_name: true })).toBe("session_not_found");
  });

  test("is refused for a session that is not there or does not run, at both steps", async () => {
    await using host = await startHost();
    expect(await host.refusal("session.attach", { session_id: "s-none" })).toBe("session_not_found");
    const { id } = await host.newSession();
    const { stream_id } = await host.call<{ stream_id: string }>("session.attach", { session_id: id });
    await host.call("session.stop", id);
    expect(await host.refusal("session.attach", { session_id: id })).toBe("session_not_running");
    await using client = await host.connect();
    client.sendLine({ attach: stream_id });
    expect((await client.nextAnswer()).err?.code).toBe("session_not_running");
    const other = await host.newSession();
    const granted = await host.call<{ stream_id: string }>("session.attach", { session_id: other.id });
    await host.call("session.remove", other.id);
    await using second = await host.connect();
    second.sendLine({ attach: granted.stream_id });
    expect((await second.nextAnswer()).err?.code).toBe("session_not_found");
  });

  test("sets the size before the screen is drawn; the last one to attach wins, and resizing goes beside the stream", async () => {
    await using host = await startHost();
    const script = "trap 'stty size' WINCH; stty size; while :; do sleep 0.05; done";
    const { id } = await host.newSession({ command: ["/bin/sh", "-c", script] });
    await using first = await host.attach(id, { cols: 100, rows: 30 });
    await first.until("30 100");
    await using second = await host.attach(id, { cols: 120, rows: 40 });
    await second.until("40 120");
    await first.until("40 120");
    const { session } = await host.call<{ session: SessionFacts }>("session.resize", {
      session_id: id,
      cols: 90,
      rows: 20,
    });
    expect([session.cols, session.rows]).toEqual([90, 20]);
    await first.until("20 90");
    await second.until("20 90");
  });

  test("ends with the client, who may detach or just go; the program goes on", async () => {
    await using host = await startHost();
    await using events = await host.subscribe();
    const { id, pid } = await host.newSession();
    const { stream_id } = await host.call<{ stream_id: string }>("session.attach", { session_id: id });
    await using attach = await RawAttach.open(host.address, stream_id);
    const isOf = (name: string) => (event: Readonly<Record<string, unknown>>) =>
      event["event"] === name && event["stream_id"] === stream_id;
    expect(await events.event(isOf("attach_opened"))).toMatchObject({ session_id: id });
    expect(await host.call<unknown>("session.detach", { stream_id })).toEqual({ detached: true });
    await attach.closed;
    expect(await events.event(isOf("attach_closed"))).toMatchObject({ session_id: id });
    expect(await host.call<unknown>("session.detach", { stream_id })).toEqual({ detached: false });

    const again = await host.attach(id, { input: "echo again-$((5+5))\r" });
    await again.until("again-10");
    await again[Symbol.asyncDispose]();
    await events.event(({ event }) => event === "attach_closed");
    expect(isAlive(pid)).toBe(true);
    expect((await host.inspect(id)).state).toBe("running");
  });

  test("ends with the program, after its last byte", async () => {
    await using host = await startHost();
    const { id } = await host.newSession({ command: ["/bin/sh", "-c", "read x; seq 1 20000; printf THE-END"] });
    await using attach = await host.attach(id, { input: "\r" });
    await attach.closed;
    expect(attach.text.endsWith("THE-END")).toBe(true);
    expect(attach.text.replaceAll("\r", "").includes("\n19998\n19999\n20000\n")).toBe(true);
  });

  test("breaks with the worker, and the reason is told once", async () => {
    await using host = await startHost();
    const { id } = await host.newSession();
    const { stream_id } = await host.call<{ stream_id: string }>("session.attach", { session_id: id });
    await using attach = await RawAttach.open(host.address, stream_id, "echo up-$((6+6))\r");
    await attach.until("up-12");
    process.kill(host.workerPid(id), "SIGKILL");
    await attach.closed;
    const told = await host.call<{ detached: boolean; error?: { code: string } }>("session.detach", { stream_id });
    expect(told).toMatchObject({ detached: false, error: { class: "runtime", code: "worker_attach_stream_failed" } });
    expect(await host.call<unknown>("session.detach", { stream_id })).toEqual({ detached: false });
  });
});

describe("a slow viewer", () => {
  test("holds up neither the program for ever, nor a fast viewer, nor control traffic, nor memory", async () => {
    await using host = await startHost();
    const { id } = await host.newSession();
    await using slow = await host.attach(id);
    await using fast = await host.attach(id);
    slow.keeps = false;
    fast.keeps = false;
    slow.pause();
    const total = 100_000_000;
    fast.write(`head -c ${total} /dev/zero | tr '\\0' x; echo\r`);
    const startedAt = performance.now();
    let worst = 0;
    while (fast.receivedBytes < total) {
      const askedAt = performance.now();
      await host.call("daemon.health");
      worst = Math.max(worst, performance.now() - askedAt);
      await Bun.sleep(50);
      if (performance.now() - startedAt > 60_000) {
        throw new Error(`the fast viewer got only ${fast.receivedBytes} bytes`);
      }
    }
    expect(worst).toBeLessThan(2000);
    const kib = async (pid: number): Promise<number> =>
      Number(/VmRSS:\s+(\d+)/.exec(await Bun.file(`/proc/${pid}/status`).text())?.[1]);
    expect(await kib(host.daemonPid)).toBeLessThan(200_000);
    expect(await kib(host.workerPid(id))).toBeLessThan(200_000);
    slow.resume();
    slow.keeps = true;
    slow.write("echo back-$((7+7))\r");
    await slow.until("back-14", 20_000);
    expect(slow.receivedBytes).toBeLessThan(total);
  }, 120_000);

  test("that never reads again does not keep the program from ending", async () => {
    await using host = await startHost();
    const { id } = await host.newSession({
      command: ["/bin/sh", "-c", "read x; head -c 20000000 /dev/zero | tr '\\0' y; exit 5"],
    });
    await using attach = await host.attach(id);
    attach.pause();
    attach.write("\r");
    expect(await host.waitForState(id, "failed")).toMatchObject({ exit_code: 5 });
  }, 60_000);
});

/** A program that asks the daemon for an attach, and prints what it answers. */
function writeAsking(folder: string): string {
  const path = join(folder, "ask.js");
  writeFileSync(
    path,
    `const [id, socket] = process.argv.slice(2);
    const request = { v: { minimum: 3, maximum: 4 }, id: "x", method: "session.attach", params: { session_id: id } };
    Bun.connect({ unix: socket, socket: {
      open(s) { s.write(JSON.stringify(request) + "\\n"); },
      data(s, d) { const { err } = JSON.parse(d.toString()); console.log("answer=" + (err?.code ?? "granted")); s.end(); },
    } });`,
  );
  return path;
}

describe("a session inside itself", () => {
  const origin = async (host: { call: <R>(method: string) => Promise<R> }, sessionId: string): Promise<object> => {
    void host;
    return { origin_session_id: sessionId };
  };

  test("is refused when the client says where it runs", async () => {
    await using host = await startHost();
    const session = await host.newSession();
    const at = { session_id: session.id, origin_session_id: session.id };
    expect(await host.refusal("session.attach", { ...at, origin_worker_id: session.runtime.worker_id })).toBe(
      "attach_self_feedback",
    );
    expect(await host.refusal("session.attach", at)).toBe("attach_self_feedback");
    const other = await host.newSession();
    expect(
      await host.call<unknown>("session.attach", { session_id: other.id, ...(await origin(host, session.id)) }),
    ).toHaveProperty("stream_id");
  });

  test("is refused through a loop of sessions, until the loop is open again", async () => {
    await using host = await startHost();
    const [a, b, c] = [await host.newSession(), await host.newSession(), await host.newSession()];
    const grant = (from: string, to: string): Promise<{ stream_id: string }> =>
      host.call("session.attach", { session_id: to, origin_session_id: from });
    await using ab = await RawAttach.open(host.address, (await grant(a.id, b.id)).stream_id, "echo ab-$((1+0))\r");
    await ab.until("ab-1");
    const bc = await RawAttach.open(host.address, (await grant(b.id, c.id)).stream_id, "echo bc-$((1+1))\r");
    await bc.until("bc-2");
    expect(await host.refusal("session.attach", { session_id: a.id, origin_session_id: b.id })).toBe(
      "attach_self_feedback",
    );
    expect(await host.refusal("session.attach", { session_id: a.id, origin_session_id: c.id })).toBe(
      "attach_self_feedback",
    );
    await bc[Symbol.asyncDispose]();
    await until("the loop to open", async () => {
      await using client = await host.connect();
      return (await client.ask("session.attach", { session_id: a.id, origin_session_id: c.id })).ok !== undefined;
    });
  });

  test("is refused by the kernel's word when the client hides where it runs", async () => {
    await using host = await startHost();
    const { id } = await host.newSession();
    const ask = `${process.execPath} ${writeAsking(host.roots.base)} ${id} ${host.roots.socket}`;
    await using attach = await host.attach(id, { cols: 200, rows: 50 });
    attach.write(`POHUNEK_SESSION_ID= POHUNEK_WORKER_ID= ${ask}\r`);
    await attach.until("answer=attach_self_feedback");
    attach.write(`env -i ${ask}\r`);
    await until("the second refusal", () => attach.text.split("answer=attach_self_feedback").length === 3);
  });

  test("is refused to what has left the session's processes, environment and terminal, but shows itself there", async () => {
    await using host = await startHost();
    const [{ id }, other] = [await host.newSession(), await host.newSession()];
    const asking = writeAsking(host.roots.base);
    const ask = (session: string): string => `${process.execPath} ${asking} ${session} ${host.roots.socket}`;
    await using attach = await host.attach(id, { cols: 200, rows: 50 });
    const ways = [
      `setsid env -i ${ask(id)}`,
      `setsid env -i script -qc "${ask(id)}" /dev/null </dev/null`,
      `setsid env -i script -qc "script -qc '${ask(id)}' /dev/null" /dev/null </dev/null`,
    ];
    // Without an input, since it would take what is typed next.
    for (const [index, way] of ways.entries()) {
      attach.write(`${way}\r`);
      await until(`refusal ${index}`, () => attach.text.split("answer=attach_self_feedback").length === index + 2);
    }
    // Another session may be shown in it, from the same depth, and itself in a terminal that has nothing to do with it.
    attach.write(`setsid env -i script -qc "${ask(other.id)}" /dev/null\r`);
    await attach.until("answer=granted");
    await using outside = Bun.spawn(["script", "-qc", ask(id), "/dev/null"], {
      env: {},
      stdin: "ignore",
      stdout: "pipe",
    });
    expect(await outside.stdout.text()).toContain("answer=granted");
  });
});
