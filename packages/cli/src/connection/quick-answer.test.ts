import { describe, expect, test } from "bun:test";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { CommandContext } from "../context.ts";
import { quickAnswer } from "./quick-answer.ts";

/** A daemon that answers a question with these pieces; none: it is silent. */
async function ask(answer: (id: string) => readonly string[], host?: string): Promise<unknown> {
  const folder = mkdtempSync(join(tmpdir(), "q-"));
  mkdirSync(join(folder, "pohunek"));
  const server = Bun.listen({
    unix: join(folder, "pohunek/daemon.sock"),
    socket: {
      async data(socket, line) {
        const { id } = JSON.parse(line.toString()) as { id: string };
        for (const piece of answer(id)) {
          socket.write(piece);
          socket.flush();
          await Bun.sleep(1);
        }
        if (answer(id).at(-1) === "") socket.end();
      },
    },
  });
  try {
    const settings = { xdgRuntimeDir: folder, origin: () => undefined };
    return await quickAnswer({ settings, host } as unknown as CommandContext, "session.list", null);
  } finally {
    server.stop(true);
    rmSync(folder, { recursive: true });
  }
}

const LONG = "x".repeat(50_000);

describe("a question asked quickly", () => {
  test("is answered", async () => {
    expect(await ask((id) => [`{"v":4,"id":"${id}","ok":[]}\n`])).toEqual([]);
  });

  test("is answered in pieces, however many", async () => {
    const answer = await ask((id) => [`{"v":4,`, `"id":"${id}","ok":["`, LONG, LONG, LONG, `"]}`, "\n"]);
    expect(answer).toEqual([LONG.repeat(3)]);
  });

  test.each<[string, (id: string) => readonly string[]]>([
    ["a failure", (id) => [`{"v":4,"id":"${id}","err":{"class":"daemon","code":"x","msg":"y"}}\n`]],
    ["another version", (id) => [`{"v":3,"id":"${id}","ok":[]}\n`]],
    ["another's answer", () => [`{"v":4,"id":"r-other","ok":[]}\n`]],
    ["something else", () => ["what?\n"]],
    ["half a line and an end", () => [`{"v":4`, ""]],
    ["nothing in time", () => []],
  ])("is left to a proper client after %s", async (_what, answer) => {
    expect(await ask(answer)).toBeUndefined();
  });

  test("is left to a proper client without a daemon, and for another host", async () => {
    const context = { settings: { xdgRuntimeDir: "/nowhere", origin: () => undefined }, host: undefined };
    expect(await quickAnswer(context as unknown as CommandContext, "session.list", null)).toBeUndefined();
    expect(await ask((id) => [`{"v":4,"id":"${id}","ok":[]}\n`], "elsewhere")).toBeUndefined();
  });
});
