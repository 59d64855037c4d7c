import { describe, expect, test } from "bun:test";
import { mkdirSync } from "node:fs";
import { join } from "node:path";
import type { Host, SessionFacts } from "../support/index.ts";
import { Relay, startHost, until } from "../support/index.ts";
import { CliTerminal } from "./support/index.ts";
import { stateDifferences } from "./support/local-state.ts";

const MARK = "STATE-IS-SET";
/** Text and a cursor of the user's, from before the attach: 30 lines, so that some are in the scrollback. */
const BEFORE = `${Array.from({ length: 30 }, (_, row) => `local line ${row + 1}\r\n`).join("")}\u001b[20;5H`;

const KEYS = String.raw`\033[>1u\033[>5u\033[?1h\033=\033[>4;2m`;
const MOUSE = String.raw`\033[?1000h\033[?1002h\033[?1003h\033[?1004h\033[?1005h\033[?1006h\033[?1015h\033[?1016h\033[?2004h`;
const LOOK = String.raw`\033[?25l\033[5 q\033[1;7;38;2;9;8;7;48;5;20m`;
const PLACE = String.raw`\033[3;12r\033[?6h\033[4h\033[?7l\033[3g\033[5G\033H\033(0\016`;
const COLOURS = String.raw`\033]4;1;rgb:11/22/33\007\033]10;#445566\007\033]11;#778899\007\033]12;#aabbcc\007`;
const STRINGS = String.raw`\033]2;their title\007\033]8;;http://example.invalid/\033\\\033]22;pointer\033\\`;

/** What programs leave switched on; the mark stands where all of it is set, but for what cuts a sequence. */
const DIRTY: readonly (readonly [name: string, format: string])[] = [
  ["nothing", MARK],
  ["keys", `${KEYS}${MARK}`],
  ["mouse, paste and look", `${MOUSE}${LOOK}${MARK}`],
  ["place", `${PLACE}${MARK}`],
  ["colours and strings", `${COLOURS}${STRINGS}${MARK}`],
  ["a held frame", String.raw`${MARK}\033[?2026h`],
  ["a cut sequence", String.raw`${KEYS}${MARK}\033[38;5;1`],
  ["a cut string", String.raw`${LOOK}${MARK}\033]52;c;AAAA`],
  ["1049 with all", String.raw`main\033[?1049h\033[2J${KEYS}${MOUSE}${LOOK}${PLACE}${COLOURS}${STRINGS}${MARK}`],
  ["1049, keys on both screens", String.raw`${KEYS}main\033[?1049h${KEYS}${MARK}\033[?2026h`],
  ["shape left behind", String.raw`\033[5 q\033[?1049h\033[0 q\033[?1049l${MARK}`],
  ["47", String.raw`main\033[?47h\033[H${MOUSE}${MARK}`],
];

interface Shown {
  readonly name: string;
  readonly session: SessionFacts;
  readonly terminal: CliTerminal;
}

async function screenOf(host: Host, id: string): Promise<string> {
  const { visible_lines } = await host.call<{ visible_lines: string[] }>("session.screen", { session_id: id });
  return visible_lines.join("\n");
}

/** A place for a relay, and what leads a client there. */
function socketElsewhere(host: Host): { readonly path: string; readonly env: Readonly<Record<string, string>> } {
  const runtime = join(host.roots.base, "n");
  mkdirSync(join(runtime, "pohunek"), { recursive: true, mode: 0o700 });
  return { path: join(runtime, "pohunek", "daemon.sock"), env: { XDG_RUNTIME_DIR: runtime } };
}

class Scene implements AsyncDisposable {
  readonly host: Host;
  readonly shown: readonly Shown[];

  private constructor(host: Host, shown: readonly Shown[]) {
    this.host = host;
    this.shown = shown;
  }

  static async set(host: Host, env: Readonly<Record<string, string>> = {}): Promise<Scene> {
    const shown = await Promise.all(
      DIRTY.map(async ([name, format], index) => {
        const command = ["/bin/sh", "-c", `stty -echo; printf '${format}'; read x; exit 0`];
        const session = await host.newSession({ name: `dirty-${index}`, command });
        await until("the state", async () => (await screenOf(host, session.id)).includes(MARK));
        const terminal = new CliTerminal(host.roots, ["attach", session.id], { before: BEFORE, env });
        await terminal.untilOutput(MARK);
        return { name, session, terminal };
      }),
    );
    return new Scene(host, shown);
  }

  /** The terminals are all as they were, but for what stays on the main screen of a session that was on it. */
  check(): void {
    const findings = this.shown.map(({ name, terminal }) => {
      const { output } = terminal;
      // The last words of the client; everything before them must have left no trace.
      const farewell = /\[[a-z][^\u001b]*\]\r\n$/.exec(output)?.[0] ?? "no farewell";
      const wasAlternate = name.startsWith("1049") || name.startsWith("47");
      const isTitleBack = /\u001b\][02];/.test(output) === output.includes("\u001b[23;0t");
      return {
        name,
        differences: stateDifferences(BEFORE + farewell, BEFORE + output, wasAlternate ? "all" : "all but content"),
        isTitleBack,
        isRestored: terminal.isRestored,
      };
    });
    const clean = { differences: [], isTitleBack: true, isRestored: true };
    expect(findings).toEqual(DIRTY.map(([name]) => ({ name, ...clean })));
  }

  async end(act: (shown: Shown) => unknown): Promise<void> {
    await Promise.all(
      this.shown.map(async (shown) => {
        await act(shown);
        await shown.terminal.exited;
      }),
    );
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { terminal } of this.shown) await terminal[Symbol.asyncDispose]();
  }
}

const DETACH = "\u001d";

test("the menu leaves no trace, whatever it is opened over", async () => {
  await using host = await startHost();
  await using scene = await Scene.set(host);
  const left = await Promise.all(
    scene.shown.map(async ({ name, terminal }) => {
      const before = terminal.output;
      terminal.type("\u001c");
      await terminal.untilScreen("d detach");
      const opened = terminal.output.length;
      terminal.type("\u001b");
      await terminal.untilOutput(MARK, opened);
      // Its last bytes have no name.
      let differences: string[] = [];
      const isSame = (): boolean => {
        differences = stateDifferences(BEFORE + before, BEFORE + terminal.output, "all");
        return differences.length === 0;
      };
      await until("the state from before", isSame).catch(() => undefined);
      return { name, differences };
    }),
  );
  expect(left).toEqual(DIRTY.map(([name]) => ({ name, differences: [] })));
}, 60_000);

describe("whatever a session has set, the local terminal is as it was after", () => {
  test.each<[string, (host: Host) => (shown: Shown) => unknown]>([
    [
      "the detach key",
      () =>
        ({ terminal }) =>
          terminal.type(DETACH),
    ],
    [
      "the detach key as kitty sends it",
      () =>
        ({ terminal }) =>
          terminal.type("\u001b[93;5u"),
    ],
    [
      "the menu's detach",
      () =>
        ({ terminal }) =>
          terminal.type("\u001cd"),
    ],
    [
      "the end of the program",
      () =>
        ({ terminal }) =>
          terminal.type("\r"),
    ],
    [
      "a stop",
      (host) =>
        ({ session }) =>
          host.call("session.stop", session.id),
    ],
    [
      "a worker that is killed",
      (host) =>
        ({ session }) =>
          process.kill(host.workerPid(session.id), "SIGKILL"),
    ],
    [
      "SIGTERM",
      () =>
        ({ terminal }) =>
          terminal.kill("SIGTERM"),
    ],
    [
      "SIGHUP",
      () =>
        ({ terminal }) =>
          terminal.kill("SIGHUP"),
    ],
  ])(
    "%s",
    async (_name, way) => {
      await using host = await startHost();
      await using scene = await Scene.set(host);
      await scene.end(way(host));
      scene.check();
    },
    60_000,
  );

  test("a detach from elsewhere", async () => {
    await using host = await startHost();
    await using events = await host.subscribe();
    await using scene = await Scene.set(host);
    const streams = new Map<unknown, unknown>();
    while (streams.size < DIRTY.length) {
      const { session_id, stream_id } = await events.event(({ event }) => event === "attach_opened");
      streams.set(session_id, stream_id);
    }
    await scene.end(({ session }) => host.call("session.detach", { stream_id: streams.get(session.id) }));
    scene.check();
  }, 60_000);

  test("a daemon that is killed, and the detach key", async () => {
    await using host = await startHost();
    await using scene = await Scene.set(host);
    await host.kill();
    await scene.end(({ terminal }) => terminal.type(DETACH));
    scene.check();
  }, 60_000);

  test("a network that is cut, and the detach key", async () => {
    await using host = await startHost();
    const socket = socketElsewhere(host);
    await using relay = await Relay.start(socket.path, { target: host.roots.socket });
    await using scene = await Scene.set(host, socket.env);
    await relay.cut();
    await scene.end(async ({ terminal }) => {
      await terminal.untilScreen("does not answer");
      terminal.type(DETACH);
    });
    scene.check();
  }, 60_000);

  test("a network that is cut and comes back, and the detach key", async () => {
    await using host = await startHost();
    const socket = socketElsewhere(host);
    await using relay = await Relay.start(socket.path, { target: host.roots.socket });
    await using scene = await Scene.set(host, socket.env);
    const lengths = new Map(scene.shown.map((shown) => [shown, shown.terminal.output.length]));
    await relay.cut();
    await using _again = await Relay.start(socket.path, { target: host.roots.socket });
    await scene.end(async (shown) => {
      await shown.terminal.untilOutput(MARK, lengths.get(shown));
      shown.terminal.type(DETACH);
    });
    scene.check();
  }, 60_000);

  test("another client that took the size, so that this one is shown pictures, and the detach key", async () => {
    await using host = await startHost();
    await using scene = await Scene.set(host);
    const lengths = new Map(scene.shown.map((shown) => [shown, shown.terminal.output.length]));
    const others = scene.shown.map(({ session }) => {
      return new CliTerminal(host.roots, ["attach", session.id], { cols: 60, rows: 20 });
    });
    for (const other of others) await other.untilOutput(MARK);
    for (const shown of scene.shown) {
      await until("a picture", () => shown.terminal.output.length > (lengths.get(shown) ?? 0));
    }
    await scene.end(({ terminal }) => terminal.type(DETACH));
    for (const other of others) await other[Symbol.asyncDispose]();
    scene.check();
  }, 60_000);

  test("a stop, and again after going on", async () => {
    await using host = await startHost();
    await using scene = await Scene.set(host);
    const ends = new Map<Shown, number>();
    await Promise.all(
      scene.shown.map(async (shown) => {
        shown.terminal.kill("SIGTSTP");
        ends.set(shown, await shown.terminal.untilOutput("fg comes back to it]\r\n"));
        await until("the stop", async () => /\) T/.test(await Bun.file(`/proc/${shown.terminal.pid}/stat`).text()));
      }),
    );
    scene.check();
    await scene.end(async (shown) => {
      shown.terminal.kill("SIGCONT");
      await shown.terminal.untilOutput(MARK, ends.get(shown));
      expect(shown.terminal.isRestored).toBe(false);
      shown.terminal.type(DETACH);
    });
    expect(scene.shown.map(({ terminal }) => terminal.isRestored)).not.toContain(false);
  }, 60_000);
});

test("a program that leaves the alternate screen while it is shown: the session's screen below the user's lines", async () => {
  await using host = await startHost();
  const { id } = await host.newSession({ name: "shell" });
  await host.call("session.input", { session_id: id, text: "printf '\\033[?1049h\\033[HIN-%s\\r\\n' ALTERNATE\n" });
  await until("the alternate screen", async () => (await screenOf(host, id)).startsWith("IN-ALTERNATE"));
  await using terminal = new CliTerminal(host.roots, ["attach", "shell"], { before: BEFORE });
  await terminal.untilScreen("IN-ALTERNATE");
  terminal.type("printf '\\033[?1049l'; echo back-$((20+3))\r");
  await terminal.untilScreen("back-23");
  const screen = (await terminal.screen()).join("\n");
  expect(screen).not.toContain("local line");
  expect(screen).not.toContain("IN-ALTERNATE");
  const scrollback = (await terminal.scrollback()).filter((line) => line.startsWith("local line"));
  expect(scrollback).toEqual(Array.from({ length: 27 }, (_, row) => `local line ${row + 1}`));
  terminal.type(DETACH);
  expect(await terminal.exited).toBe(0);
  expect(stateDifferences(BEFORE, BEFORE + terminal.output, "all but content")).toEqual([]);
  expect(terminal.isRestored).toBe(true);
});
