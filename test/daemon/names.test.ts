import { expect, test } from "bun:test";
import type { Host } from "../support/index.ts";
import { startHost } from "../support/index.ts";

const NEW = { agent: "shell", cols: 80, rows: 24, command: ["/bin/sleep", "600"] };

/** The name that a new session got, or the code of the refusal. */
async function start(host: Host, wish: Readonly<Record<string, unknown>>): Promise<string> {
  await using client = await host.connect();
  const { ok, err } = await client.ask("session.new", { ...NEW, ...wish });
  return err === undefined ? (ok as { name: string }).name : err.code;
}

test("of many who want one name at the same moment one gets it", async () => {
  await using host = await startHost();
  const names = await Promise.all(Array.from({ length: 6 }, () => start(host, { name: "api", name_clash: "refuse" })));
  expect(names.toSorted()).toEqual(["api", ...Array<string>(5).fill("session_name_taken")]);
  expect((await host.list()).length).toBe(1);
});

test("or all of them, with a number behind it", async () => {
  await using host = await startHost();
  const names = await Promise.all(Array.from({ length: 4 }, () => start(host, { name: "api", name_clash: "number" })));
  expect(names.toSorted()).toEqual(["api", "api-2", "api-3", "api-4"]);
  const long = "ä".repeat(64);
  expect(await start(host, { name: long, name_clash: "number" })).toBe(long);
  expect(await start(host, { name: long, name_clash: "number" })).toBe(`${"ä".repeat(60)}-2`);
});

test("who says nothing gets the name that others have, too", async () => {
  await using host = await startHost();
  expect([await start(host, { name: "api" }), await start(host, { name: "api" })]).toEqual(["api", "api"]);
});

test("a name is free again when its session has ended, and a session may be renamed to its own", async () => {
  await using host = await startHost();
  const first = await host.newSession({ name: "api" });
  const second = await host.newSession({ name: "web" });
  const rename = { session_id: second.id, name: "api", name_clash: "refuse" };
  await using client = await host.connect();
  expect((await client.ask("session.rename", rename)).err?.code).toBe("session_name_taken");
  expect((await client.ask("session.rename", { ...rename, name: "web" })).err).toBeUndefined();
  await host.call("session.stop", first.id);
  expect((await client.ask("session.rename", rename)).err).toBeUndefined();
});
