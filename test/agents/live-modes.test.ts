import { expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Host, SessionFacts } from "../support/index.ts";
import { startHost, until } from "../support/index.ts";

const LINES = "echo one\necho two\necho three";

async function send(host: Host, session: SessionFacts, more: object = {}): Promise<string | undefined> {
  await using client = await host.connect();
  return (await client.ask("session.input", { session_id: session.id, text: LINES, ...more })).err?.code;
}

/** Several lines to a program in a terminal without an agent: what it gets follows its own wish, asked for by mode 2004. */
test.each([
  ["cat, which asks for nothing", "", "echo one\necho two\necho three\r"],
  ["a program that asks for pastes", "printf '\\033[?2004h';", "\x1b[200~echo one\necho two\necho three\x1b[201~\r"],
])("%s gets markers only if it asked for them", async (_name, wish, expected) => {
  await using host = await startHost();
  const file = join(host.roots.base, "taken");
  const script = `stty raw -echo; ${wish} printf ready; exec cat > ${file}`;
  const session = await host.newSession({ command: ["/bin/sh", "-c", script] });
  await using attach = await host.attach(session.id);
  await attach.until("ready");
  const refused = await send(host, session, { unpasted: "refuse" });
  expect(refused).toBe(wish === "" ? "session_input_not_pasted" : undefined);
  if (wish === "") expect(await send(host, session)).toBeUndefined();
  await until("the lines", () => existsSync(file) && readFileSync(file, "latin1").endsWith("\r"));
  expect(readFileSync(file, "latin1")).toBe(expected);
});

test("bash with bracketed paste off gets nothing of several lines that are not to be run one by one", async () => {
  await using host = await startHost();
  const session = await host.newSession({ command: ["/bin/bash", "--norc", "--noprofile", "-i"] });
  await using attach = await host.attach(session.id);
  await host.call("session.input", {
    session_id: session.id,
    text: "bind 'set enable-bracketed-paste off'; echo o'f'f",
  });
  await attach.until("off\r\n");
  expect(await send(host, session, { unpasted: "refuse" })).toBe("session_input_not_pasted");
  await host.call("session.input", { session_id: session.id, text: "echo E'N'D" });
  await attach.until("END\r\n");
  expect(attach.text).not.toContain("two");
  expect(await send(host, session, { unpasted: "raw" })).toBeUndefined();
  await attach.until("three\r\n");
});
