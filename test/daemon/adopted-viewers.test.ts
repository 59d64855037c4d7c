import { expect, test } from "bun:test";
import { renameSync } from "node:fs";
import { join } from "node:path";
import type { Socket } from "bun";
import type { Host } from "../support/index.ts";
import { RawAttach, startHost, until } from "../support/index.ts";

interface Granted {
  readonly stream_id: string;
}

async function attach(host: Host, params: Readonly<Record<string, unknown>>): Promise<{ id: string; view: RawAttach }> {
  const { stream_id: id } = await host.call<Granted>("session.attach", params);
  const view = await RawAttach.open(host.address, id, "echo up-$((40+2))\r");
  await view.until("up-42");
  return { id, view };
}

const closingOf = (stream: string) => (event: Readonly<Record<string, unknown>>) =>
  event["event"] === "attach_closed" && event["stream_id"] === stream;

async function crash(host: Host): Promise<void> {
  await host.kill();
  await host.start();
}

test("a viewer that outlived a daemon is detached by its id, and its end is announced", async () => {
  await using host = await startHost();
  const { id: session } = await host.newSession();
  const first = await attach(host, { session_id: session });
  const second = await attach(host, { session_id: session });
  await crash(host);
  await using events = await host.subscribe();
  expect(await host.call<unknown>("session.detach", { stream_id: first.id })).toEqual({ detached: true });
  await first.view.closed;
  expect(await events.event(closingOf(first.id))).toMatchObject({ session_id: session });
  expect(await host.call<unknown>("session.detach", { stream_id: first.id })).toEqual({ detached: false });
  second.view.write("echo on-$((4+4))\r");
  await second.view.until("on-8");
  await second.view[Symbol.asyncDispose]();
  expect(await events.event(closingOf(second.id))).toMatchObject({ session_id: session });
});

test("a viewer that outlived two daemons still counts in the check for attach loops", async () => {
  await using host = await startHost();
  const [a, b] = [await host.newSession(), await host.newSession()];
  const shown = await attach(host, { session_id: b.id, origin_session_id: a.id });
  await crash(host);
  await crash(host);
  const back = { session_id: a.id, origin_session_id: b.id };
  expect(await host.refusal("session.attach", back)).toBe("attach_self_feedback");
  // Streams of the new daemon are told from it.
  const other = await attach(host, { session_id: b.id });
  expect(other.id).not.toBe(shown.id);
  await other.view[Symbol.asyncDispose]();
  await shown.view[Symbol.asyncDispose]();
  await until("the loop to open", async () => {
    await using client = await host.connect();
    return (await client.ask("session.attach", back)).ok !== undefined;
  });
});

test("the end of the worker ends the viewers that outlived a daemon", async () => {
  await using host = await startHost();
  const { id: session } = await host.newSession();
  const viewer = await attach(host, { session_id: session });
  await crash(host);
  await using events = await host.subscribe();
  process.kill(host.workerPid(session), "SIGKILL");
  await events.event(closingOf(viewer.id));
  await viewer.view.closed;
});

/** Stands between a daemon and a worker, and makes it one of version 2. */
function limitVersion(socket: string): { stop(closeActive?: boolean): void } {
  const upstreams = new Map<Socket<unknown>, Promise<Socket<undefined>>>();
  return Bun.listen({
    unix: socket,
    socket: {
      open(peer) {
        const data = (_socket: unknown, chunk: Buffer): void => {
          peer.write(chunk.toString().replaceAll(/,"viewers":\[[^\]]*\]/g, ""));
        };
        upstreams.set(peer, Bun.connect({ unix: `${socket}.real`, socket: { data, close: () => void peer.end() } }));
      },
      async data(peer, chunk) {
        const text = chunk.toString().replace(/("op":"negotiate".*"max":)\d+/, "$12");
        (await upstreams.get(peer))?.write(text);
      },
      async close(peer) {
        (await upstreams.get(peer))?.end();
      },
    },
  });
}

test("a worker of version 2 names nobody: its viewers stay as they are", async () => {
  await using host = await startHost();
  const { id: session } = await host.newSession();
  const viewer = await attach(host, { session_id: session });
  await host.kill();
  const socket = join(host.roots.runtime, "workers", session, "control.sock");
  renameSync(socket, `${socket}.real`);
  const proxy = limitVersion(socket);
  try {
    await host.start();
    expect(host.log().findLast(({ event }) => event === "worker_connected")).toMatchObject({ worker_protocol: 2 });
    expect(await host.call<unknown>("session.detach", { stream_id: viewer.id })).toEqual({ detached: false });
    viewer.view.write("echo still-$((1+2))\r");
    await viewer.view.until("still-3");
    expect(await host.inspect(session)).toMatchObject({ runtime: { state: "live" } });
  } finally {
    proxy.stop(true);
    renameSync(`${socket}.real`, socket);
  }
});
