import { describe, expect, test } from "bun:test";
import { join } from "node:path";
import type { Host, RawAttach } from "../support/index.ts";
import { startHost } from "../support/index.ts";

/** A host whose workers are of a release before this one. */
async function hostOfWorkers(version: number): Promise<Host> {
  const program = join(import.meta.dir, `../fixtures/workers-of-version-${version}.ts`);
  return await startHost({ wrap: [process.execPath, program] });
}

const versionsOf = (host: Host): unknown[] =>
  host.log().flatMap((line) => (line["event"] === "worker_connected" ? [line["worker_protocol"]] : []));

async function echo(view: RawAttach, number: number): Promise<void> {
  view.write(`echo got-$((${number}+1))\r`);
  await view.until(`got-${number + 1}`);
}

describe.each([1, 2, 3])("a worker that speaks version %d", (version) => {
  test("serves a newer daemon, also one that finds it again", async () => {
    await using host = await hostOfWorkers(version);
    const { id } = await host.newSession({ clipboard: { write: "refuse" } });
    const before = await host.attach(id, { cols: 90, rows: 30 });
    await echo(before, 41);
    await host.kill();
    await host.start();
    await host.waitForRuntime(id, "live");
    expect(versionsOf(host)).toEqual([version]);
    // Of version 2 on the worker has the client's own socket; before that the daemon carried its bytes.
    if (version >= 2) await echo(before, 51);
    else await before.closed;
    await using view = await host.attach(id, { cols: 100, rows: 20 });
    await echo(view, 61);
    await host.call("session.input", { session_id: id, text: "echo sent-$((70+1))" });
    await view.until("sent-71");
    await host.call("session.resize", { session_id: id, cols: 70, rows: 25 });
    expect(await host.inspect(id)).toMatchObject({ cols: 70, rows: 25 });
    expect(await host.call<unknown>("session.stop", id)).toEqual({ stopped: true });
    await view.closed;
    expect(await host.inspect(id)).toMatchObject({ state: "stopped" });
  });

  test("is asked for nothing that it does not know", async () => {
    await using host = await hostOfWorkers(version);
    const { id } = await host.newSession();
    for (const mode of version < 3 ? ["read_only", "view"] : []) {
      expect(await host.refusal("session.attach", { session_id: id, mode })).toBe("worker_feature_unavailable");
    }
    const { stream_id } = await host.call<{ stream_id: string }>("session.attach", { session_id: id });
    const size = { session_id: id, stream_id, cols: 60, rows: 20 };
    expect(await host.refusal("session.resize", { ...size, view: { layout: "text" } })).toBe("attach_not_found");
    if (version < 2) {
      expect(await host.refusal("session.screen", { session_id: id })).toBe("worker_feature_unavailable");
    }
    await host.call("session.remove", id);
    expect(await host.list()).toEqual([]);
  });
});
