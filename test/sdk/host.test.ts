import { expect, test } from "bun:test";
import { rmSync } from "node:fs";
import type { MethodName } from "@pohunek/protocol/wire";
import { decimal, decodeUtf8, encodeUtf8, METHODS, methodRow } from "@pohunek/protocol/wire";
import type { Client, ReceivedEvent } from "@pohunek/sdk";
import { connect } from "@pohunek/sdk";
import { unixTransport } from "@pohunek/sdk/node";
import { validateEverything } from "@pohunek/sdk/validate";
import type { TempRoots } from "../support/index.ts";
import { makeDemoPackage, startHost, writeProfile } from "../support/index.ts";
import { failureOf } from "./failure-of.ts";

/** Calls by name, with a note of what was called: in the end every implemented method must be among it. */
function noting(client: Client): { readonly call: Client["call"]; readonly called: Set<MethodName> } {
  const called = new Set<MethodName>();
  const call: Client["call"] = (name, ...args) => {
    called.add(name);
    return client.call(name, ...args);
  };
  return { call, called };
}

/** Every method about packages, once. */
async function callPackages(roots: TempRoots, call: Client["call"]): Promise<void> {
  const { folder, archive, digest } = await makeDemoPackage(roots);
  const linked = await call("package.link", { directory: folder, dry_run: true });
  expect(linked).toMatchObject({ status: "preview", package: { digest } });
  const installed = await call("package.install", {
    archive_path: archive,
    trust: { kind: "explicit_digest", digest },
    enable: false,
    select: false,
    dry_run: false,
  });
  expect(installed.runtime.runtime_id).toBe("demo");
  expect((await call("package.set_enabled", { digest, enabled: true })).package.enabled).toBe(true);
  expect((await call("package.select", { digest })).package.selected).toBe(true);
  expect((await call("package.inspect", { digest })).runtime?.display_name).toBe("Demo");
  expect((await call("package.list")).packages.map((info) => info.digest)).toContain(digest);
  expect((await call("package.doctor", {})).findings).toEqual([]);
  const profile = writeProfile(roots, "mine", 'agent_base = "demo"\n');
  expect((await call("package.bind_profile", { profile: "mine", dry_run: false })).status).toBe("bound");
  rmSync(profile);
  expect((await call("package.uninstall", { digest, remove_modified: false })).digest).toBe(digest);
}

test("the daemon's answers and events keep to their declarations, in every method that it implements", async () => {
  await using host = await startHost();
  await using client = await connect({ transport: unixTransport(host.roots.socket), validator: validateEverything });
  const { call, called } = noting(client);
  const events: ReceivedEvent[] = [];
  const subscription = await client.subscribe();
  called.add("subscribe");
  const listening = (async () => {
    for await (const event of subscription) events.push(event);
  })();

  expect((await call("daemon.health")).protocol_version).toBe(4);
  expect((await call("daemon.doctor")).report.checks.length).toBeGreaterThan(0);
  expect((await call("host.inspect")).session_wait_supported).toBe(true);
  expect(await call("host.discover")).toEqual([]);

  const size = { cols: 80, rows: 24 };
  const session = await call("session.new", { agent: "shell", name: "declared", ...size, metadata: { a: "b" } });
  const session_id = session.id;
  expect((await call("session.list", { filters: [{ key: "id", value: session_id }] })).length).toBe(1);
  expect((await call("session.inspect", session_id)).name).toBe("declared");
  expect((await call("session.runtime_inventory")).entries.length).toBe(1);
  expect((await call("session.rename", { session_id, name: "renamed" })).session.name).toBe("renamed");
  const { session: described } = await call("session.set_metadata", { session_id, metadata: { a: null, c: "d" } });
  expect(described.metadata).toEqual({ c: "d" });
  const none = { agent: "no-such-agent" };
  expect((await call("integration.status")).agents.every(({ state }) => state === "not_installed")).toBe(true);
  expect((await call("integration.doctor")).ok).toBe(true);
  expect((await call("integration.uninstall")).failed).toBeUndefined();
  expect(await failureOf(call("integration.install", none))).toMatchObject({ class: "runtime" });
  const inner = { session_id, source: "test", agent: "claude" };
  expect(await call("session.report_agent", inner)).toEqual({ recorded: true });
  expect((await call("session.inspect", session_id)).active_agent).toBe("claude");
  expect(await call("session.release_agent", inner)).toEqual({ released: true });
  const report = {
    session_id,
    worker_instance_id: session.runtime?.worker_instance_id ?? ("" as never),
    agent: "shell",
    pid: session.pid,
    pid_start_identity: "1",
    sequence: "1",
    expires_at: new Date(Date.now() + 10_000).toISOString(),
    native_session_id: "a",
  };
  expect(await failureOf(call("session.report_native_id", report as never))).toMatchObject({ class: "runtime" });
  expect((await call("session.resize", { session_id, cols: 100, rows: 30 })).session.cols).toBe(100);

  const wait = { until: ["idle" as const], timeout_ms: 8_000 };
  expect((await call("session.input", { session_id, text: "echo decla''red", wait })).accepted).toBe(true);
  expect((await call("session.input_status", { session_id })).receipts).toEqual([]);
  called.add("session.wait");
  await client.waitForState(session_id, ["running"], { timeoutMs: 5_000 });
  expect((await call("session.screen", { session_id })).dimensions.cols).toBe(100);
  expect((await call("session.read", { session_id, source: "recent" })).text).toContain("declared");
  const unasked = call("session.answer", { session_id, revision: decimal(1), choice: "yes" });
  expect(await failureOf(unasked)).toMatchObject({ code: "session_question_gone" });
  expect((await call("session.explain", { session_id })).session_id).toBe(session_id);
  expect((await call("session.detection", { session_id })).session_id).toBe(session_id);
  const output = await call("session.output", { session_id, max_bytes: 65_536 });
  expect(Buffer.from(output.data_base64, "base64").toString()).toContain("declared");

  called.add("session.attach").add("session.detach");
  const terminal = await client.attach({ session_id, initial_dimensions: size });
  await terminal.write(encodeUtf8("echo at''tached\r"));
  let shown = "";
  for await (const chunk of terminal) {
    shown += decodeUtf8(chunk) ?? "";
    if (shown.includes("attached")) break;
  }
  await terminal.detach();

  expect(await failureOf(call("session.resume", session_id))).toMatchObject({ class: "runtime" });
  expect(await failureOf(call("session.fork", { session_id, ...size }))).toMatchObject({ class: "runtime" });
  expect((await call("session.stop", session_id)).stopped).toBe(true);
  expect((await call("session.remove", session_id)).removed).toBe(true);
  const second = await call("session.new", { agent: "shell", ...size });
  expect((await call("session.remove_accepting_unconfirmed", second.id)).removed).toBe(true);

  await callPackages(host.roots, call);

  await subscription.close();
  await listening;
  const kinds = new Set(events.map((event) => event.event));
  for (const kind of [
    "session_created",
    "session_updated",
    "session_stopped",
    "session_removed",
    "attach_opened",
    "attach_closed",
    "agent_state",
  ]) {
    expect(kinds).toContain(kind as never);
  }
  const implemented = (Object.keys(METHODS) as MethodName[]).filter((name) => methodRow(name).implemented);
  expect([...called].toSorted()).toEqual(implemented.toSorted());
}, 60_000);

test("every method that the daemon does not implement is answered with method_not_found", async () => {
  await using host = await startHost();
  await using client = await connect({ transport: unixTransport(host.roots.socket) });
  const missing = (Object.keys(METHODS) as MethodName[]).filter((name) => !methodRow(name).implemented);
  expect(missing.length).toBeGreaterThan(20);
  const call = client.call.bind(client) as (name: MethodName, params: unknown) => Promise<unknown>;
  for (const name of missing) {
    expect({ name, failure: await failureOf(call(name, null)) }).toMatchObject({
      name,
      failure: { code: "method_not_found", class: "daemon" },
    });
  }
}, 30_000);
