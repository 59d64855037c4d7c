import { expect, test } from "bun:test";
import { METHODS } from "@pohunek/protocol/wire";
import { environmentOf, startHost } from "../support/index.ts";

const DENIED = [
  "session.stop",
  "session.resume",
  "session.remove",
  "session.remove_accepting_unconfirmed",
  "session.fork",
  "session.resize",
  "session.set_metadata",
  "session.rename",
  "session.input",
];

/** Beyond the methods of the specification. */
const OWN = ["session.answer", "session.explain", "session.input_status"];

/** Params of each method that names a session, so that every one reaches its guard. */
function paramsFor(method: string, id: string): unknown {
  switch (method) {
    case "session.inspect":
    case "session.stop":
    case "session.remove":
    case "session.remove_accepting_unconfirmed":
    case "session.resume":
      return id;
    case "session.fork":
      return { session_id: id, cwd_mode: "same", cols: 80, rows: 24 };
    case "session.resize":
      return { session_id: id, cols: 80, rows: 24 };
    case "session.set_metadata":
      return { session_id: id, metadata: {} };
    case "session.input":
      return { session_id: id, text: "" };
    case "session.output":
      return { session_id: id, max_bytes: 10 };
    case "session.wait":
      return { session_id: id, states: ["running"], timeout_ms: 10 };
    case "session.new":
      return { agent: "shell", command: ["/bin/true"], cols: 80, rows: 24 };
    default:
      return method.startsWith("session.") && method !== "session.list" && method !== "session.runtime_inventory"
        ? { session_id: id }
        : null;
  }
}

test("exactly nine methods are denied to a program on its own session, and to no other", async () => {
  await using host = await startHost();
  const inner = await host.newSession({ command: ["/bin/sh", "-c", "sleep 600"] });
  const daemonId = environmentOf(inner.pid).get("POHUNEK_DAEMON_ID") ?? "";
  const origin = { origin_session_id: inner.id, origin_daemon_id: daemonId };
  await using client = await host.connect();
  const denied: string[] = [];
  for (const method of Object.keys(METHODS).filter((name) => name !== "subscribe")) {
    const { err } = await client.ask(method, paramsFor(method, inner.id), origin);
    if (err?.code === "plugin_self_target_denied") {
      denied.push(method);
    }
  }
  expect(denied.sort()).toEqual(DENIED.toSorted());
  expect(Object.keys(METHODS).filter((name) => !OWN.includes(name)).length).toBe(63);

  const allowed = async (pair: Readonly<Record<string, unknown>>, target: string): Promise<void> => {
    const { err } = await client.ask("session.rename", { session_id: target, name: "x" }, pair);
    expect(err).toBeUndefined();
  };
  const other = await host.newSession();
  await allowed(origin, other.id);
  await allowed({ ...origin, origin_daemon_id: "d-1-2-3" }, inner.id);
  await allowed({ ...origin, origin_session_id: other.id }, inner.id);
  await allowed({}, inner.id);
  expect(await client.ask("session.rename", { session_id: inner.id }, { origin_session_id: inner.id })).toMatchObject({
    id: "invalid-request",
    err: { code: "bad_request" },
  });
}, 60_000);
