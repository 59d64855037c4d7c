import { describe, expect, test } from "bun:test";
import { readdirSync, readlinkSync } from "node:fs";
import type { Host } from "../support/index.ts";
import { programCommand, startHost, until } from "../support/index.ts";
import { CliTerminal } from "./support/index.ts";

/** A command that prints lines until it is interrupted. */
class Stream implements AsyncDisposable {
  readonly #child: Bun.Subprocess<"ignore", "pipe", "pipe">;
  #text = "";

  constructor(host: Host, words: readonly string[]) {
    this.#child = Bun.spawn(programCommand(...words), {
      env: host.roots.environment(),
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    void this.#collect();
  }

  get lines(): string[] {
    return this.#text.split("\n").slice(0, -1);
  }

  async untilLine(isWanted: (line: string) => boolean): Promise<string> {
    return await until("a line of the stream", () => this.lines.find(isWanted));
  }

  async interrupt(): Promise<number> {
    this.#child.kill("SIGINT");
    return await this.#child.exited;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#child.kill("SIGKILL");
    await this.#child.exited;
  }

  async #collect(): Promise<void> {
    const decoder = new TextDecoder();
    for await (const chunk of this.#child.stdout) this.#text += decoder.decode(chunk, { stream: true });
  }
}

interface EventLine {
  readonly event: string;
  readonly session?: { readonly name?: string };
}

describe("subscribe", () => {
  test("prints a line of JSON for each event, until it is interrupted", async () => {
    await using host = await startHost();
    await using stream = new Stream(host, ["subscribe"]);
    const { id } = await until("a subscribed stream", async () => {
      const session = await host.newSession();
      const isSeen = await until("the event", () => stream.lines.some((line) => line.includes(session.id)), 200).catch(
        () => false,
      );
      return isSeen && session;
    });
    await host.call("session.rename", { session_id: id, name: "api" });
    const line = await stream.untilLine((one) => {
      const { event, session } = JSON.parse(one) as EventLine;
      return event === "session_updated" && session?.name === "api";
    });
    expect(Object.keys(JSON.parse(line) as object)).toEqual(["event", "session"]);
    expect(await stream.interrupt()).toBe(0);
  });
});

describe("ls --watch", () => {
  test("keeps the list up to date in place, and leaves a usable terminal", async () => {
    await using host = await startHost();
    const { id } = await host.newSession({ name: "api" });
    await using terminal = new CliTerminal(host.roots, ["ls", "--watch"]);
    await terminal.untilScreen(/^api /m);
    await host.call("session.rename", { session_id: id, name: "web" });
    const renamed = await terminal.untilScreen(/^web /m);
    expect(renamed.join("\n")).not.toContain("api");
    await host.newSession({ name: "second" });
    const rows = await terminal.untilScreen(/^second /m);
    expect(rows.filter((row) => row !== "")).toHaveLength(4);
    expect(terminal.output).not.toContain("\u001b[2J");
    await host.restart();
    await host.newSession({ name: "third" });
    await terminal.untilScreen(/^third /m);
    terminal.type("\u0003");
    expect(await terminal.exited).toBe(0);
    expect(terminal.output).toEndWith("\u001b[?25h");
    expect(terminal.isRestored).toBe(true);
  });

  test("as JSON prints the whole list for each change", async () => {
    await using host = await startHost();
    await using stream = new Stream(host, ["--json", "ls", "--watch"]);
    await stream.untilLine((line) => line === "[]");
    await host.newSession({ name: "api" });
    const line = await stream.untilLine((one) => one.includes('"api"'));
    expect(JSON.parse(line)).toMatchObject([{ name: "api" }]);
    expect(await stream.interrupt()).toBe(0);
  });
});

test("wait goes on waiting while its daemon is killed and started again", async () => {
  await using host = await startHost();
  const { id } = await host.newSession({ name: "job", command: ["/bin/sh", "-c", "read line; exit 3"] });
  const child = Bun.spawn(programCommand("--json", "wait", "job", "--timeout", "60s"), {
    env: host.roots.environment(),
    stdin: "ignore",
    stdout: "pipe",
    stderr: "pipe",
  });
  // One connection to find the session, one that waits.
  await until("the wait to have begun", () => socketsOf(child.pid) >= 2);
  await host.kill();
  await host.start();
  await host.call("session.input", { session_id: id, text: "go" });
  const document = JSON.parse(await child.stdout.text()) as { ok: { session: unknown } };
  expect(document.ok.session).toMatchObject({ id, state: "failed", exit_code: 3 });
  expect(await child.exited).toBe(0);
});

/** Connections of a process; its standard streams don't count. */
function socketsOf(pid: number): number {
  const folder = `/proc/${pid}/fd`;
  return readdirSync(folder).filter((fd) => {
    try {
      return Number(fd) > 2 && readlinkSync(`${folder}/${fd}`, "utf8").startsWith("socket:");
    } catch {
      // ENOENT: closed since the folder was read.
      return false;
    }
  }).length;
}
