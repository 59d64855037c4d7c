import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { Host } from "../support/index.ts";
import { startHost, until } from "../support/index.ts";
import { CliTerminal, runCli } from "./support/index.ts";

const ESC = "\u001b";
const COPY = `${ESC}]52;c;Y29weQ==\u0007`;
const QUESTION = `${ESC}]52;c;?\u0007`;
const CLIPBOARD = `${ESC}]52;c;cGFzdGU=\u0007`;

interface Policy {
  readonly clipboard: { readonly write: string; readonly read: string; readonly max_bytes: number };
}

/** Copies and asks when a key comes, and keeps what it gets then. */
function clipboardProgram(file: string): string[] {
  const asks = "printf '\\033]52;c;Y29weQ==\\007\\033]52;c;?\\007DONE'";
  return ["/bin/sh", "-c", `stty raw -echo; printf READY; head -c 1 >/dev/null; ${asks}; exec cat > ${file}`];
}

async function policyOf(host: Host, id: string, params: Readonly<Record<string, unknown>> = {}): Promise<unknown> {
  return (await host.call<Policy>("session.attach", { session_id: id, ...params })).clipboard;
}

describe("the clipboard of a session", () => {
  test("may be copied to and not be read, where nobody says otherwise", async () => {
    await using host = await startHost();
    const file = join(host.roots.base, "got");
    const { id } = await host.newSession({ name: "clip", command: clipboardProgram(file) });
    expect(await policyOf(host, id)).toEqual({ write: "allow", read: "refuse", max_bytes: 1_048_576 });
    await using terminal = new CliTerminal(host.roots, ["attach", "clip"]);
    await using other = await host.attach(id);
    const from = await terminal.untilOutput("READY");
    terminal.type("x");
    await terminal.untilOutput("DONE", from);
    expect(terminal.output).toEndWith(`${COPY}DONE`);
    expect(terminal.output).not.toContain(QUESTION);
    // A client that lets the question through.
    await other.until(QUESTION);
    other.write(CLIPBOARD);
    other.write("end");
    await until("the key", () => existsSync(file) && readFileSync(file, "latin1").endsWith("end"));
    expect(readFileSync(file, "latin1")).toBe("end");
  });

  test("may be read once for each question, and not be copied to, where the session says so", async () => {
    await using host = await startHost();
    const file = join(host.roots.base, "got");
    const words = ["new", "--name", "clip", "--clipboard-write", "refuse", "--clipboard-read", "allow"];
    expect((await runCli(host.roots, [...words, "--", ...clipboardProgram(file)])).code).toBe(0);
    const [session] = await host.list();
    expect(await policyOf(host, session?.id ?? "")).toEqual({ write: "refuse", read: "allow", max_bytes: 1_048_576 });
    await using terminal = new CliTerminal(host.roots, ["attach", "clip"]);
    await using second = new CliTerminal(host.roots, ["attach", "clip"]);
    const from = await terminal.untilOutput("READY");
    await second.untilOutput("READY");
    terminal.type("x");
    await terminal.untilOutput("DONE", from);
    expect(terminal.output).toEndWith(`${QUESTION}DONE`);
    expect(terminal.output).not.toContain(COPY);
    for (const each of [terminal, second]) each.type(CLIPBOARD);
    const got = (): string => (existsSync(file) ? readFileSync(file, "latin1") : "");
    await until("the clipboard", () => got().includes(CLIPBOARD));
    terminal.type("end");
    await until("the key", () => got().endsWith("end"));
    expect(got()).toBe(`${CLIPBOARD}end`);
  });

  test("is that of the settings, also after a restart of the daemon, and nothing for who only looks", async () => {
    await using host = await startHost({ config: '[clipboard]\nread = "allow"\nmax_bytes = 5000\n' });
    const { id } = await host.newSession();
    const own = await host.newSession({ clipboard: { write: "refuse", max_bytes: 7 } });
    expect(await policyOf(host, id)).toEqual({ write: "allow", read: "allow", max_bytes: 5_000 });
    await host.restart();
    expect(await policyOf(host, id)).toEqual({ write: "allow", read: "allow", max_bytes: 5_000 });
    expect(await policyOf(host, own.id)).toEqual({ write: "refuse", read: "allow", max_bytes: 7 });
    expect(await policyOf(host, id, { mode: "read_only" })).toEqual({ write: "refuse", read: "refuse", max_bytes: 0 });
  });
});
