import { describe, expect, test } from "bun:test";
import type { Socket } from "node:net";
import type { ProtocolServer } from "../sdk/protocol-server.ts";
import { TempRoots, until } from "../support/index.ts";
import { CliTerminal, sampleSession, standInDaemon } from "./support/index.ts";

const ESC = "\u001b";
const ID = "s-01KB0000000000000000000001";
const FAREWELL = `[detached from ${ID}; back with: pohunek attach ${ID}]\r\n`;
/** The old screen goes into the scrollback. */
const ROOM = "\n".repeat(24);

interface Attached extends AsyncDisposable {
  readonly terminal: CliTerminal;
  readonly daemon: ProtocolServer;
  /** The daemon's side of the stream. */
  readonly stream: Socket;
  /** What came through the stream so far. */
  input(): string;
}

interface Script {
  readonly before?: string;
  readonly words?: readonly string[];
  readonly env?: Readonly<Record<string, string>>;
  /** config.toml */
  readonly config?: string;
  readonly session?: Readonly<Record<string, unknown>>;
  readonly lines?: readonly string[];
  /** Output to wait for; the end of the repaint when absent. */
  readonly waitsFor?: string;
}

/** Attaches to a stand-in whose session has this on its screen. */
async function attachTo(repaint: string, script: Script = {}): Promise<Attached> {
  const roots = new TempRoots();
  let stream: Socket | undefined;
  let input = "";
  const session = (): Readonly<Record<string, unknown>> => sampleSession({ id: ID, ...script.session });
  const daemon = await standInDaemon(roots, {
    handlers: {
      "session.list": () => [session()],
      "session.inspect": session,
      "session.attach": () => ({ stream_id: "a-1" }),
      "session.detach": () => ({ detached: false }),
      "session.resize": () => ({ session: session() }),
      "session.wait": () => ({ reason: "timeout", session: session() }),
      "session.screen": () => ({ visible_lines: script.lines ?? ["$ "], cursor: { row: 0, col: 2, visible: true } }),
    },
    attach: (_id, socket, rest) => {
      stream = socket;
      input += Buffer.from(rest).toString("latin1");
      socket.on("data", (bytes: Uint8Array) => {
        input += Buffer.from(bytes).toString("latin1");
      });
      socket.write(repaint, "latin1");
    },
  });
  if (script.config !== undefined) roots.writeConfig(script.config);
  const { before = "", env = {} } = script;
  const terminal = new CliTerminal(roots, ["attach", ...(script.words ?? []), ID], { before, env });
  await terminal.untilOutput(script.waitsFor ?? repaint.slice(-8));
  return {
    terminal,
    daemon,
    get stream() {
      return stream as Socket;
    },
    input: () => input,
    async [Symbol.asyncDispose]() {
      await terminal[Symbol.asyncDispose]();
      await daemon[Symbol.asyncDispose]();
      roots[Symbol.dispose]();
    },
  };
}

const PLAIN = "one\r\ntwo\r\n$ ";

async function untilStopped(pid: number): Promise<void> {
  await until("the stop", async () => / T /.test(await Bun.file(`/proc/${pid}/stat`).text()));
}

describe("a session that changes nothing", () => {
  test("leaves the local terminal alone but for its own text", async () => {
    await using attached = await attachTo(PLAIN);
    const { terminal } = attached;
    expect(terminal.isRestored).toBe(false);
    terminal.type("\u001d");
    expect(await terminal.exited).toBe(0);
    expect(terminal.output).toBe(`${ROOM}${PLAIN}${ESC}[1;1H\r\n${FAREWELL}`);
    expect(terminal.isRestored).toBe(true);
  });

  test("keeps what was on the screen, and the prompt comes below the last line", async () => {
    const before = Array.from({ length: 19 }, (_, row) => `local line ${row + 1}\r\n`).join("");
    await using attached = await attachTo(`${ESC}[H${ESC}[J${PLAIN}`, { before, lines: ["one", "two", "$", "", ""] });
    const { terminal } = attached;
    await terminal.untilScreen("$");
    terminal.type("\u001d");
    expect(await terminal.exited).toBe(0);
    const rows = await terminal.screen();
    expect(rows.slice(0, 3)).toEqual(["one", "two", "$ "]);
    expect(rows.slice(3, 5).join("")).toBe(FAREWELL.trim());
    expect(terminal.emulator.buffer.active.cursorY).toBe(5);
    expect((await terminal.scrollback()).slice(0, 19)).toEqual(before.trimEnd().split("\r\n"));
  });
});

const EVERYTHING =
  `${ESC}[?1049h${ESC}[>1u${ESC}[?1000h${ESC}[?1006h${ESC}[?2004h${ESC}[?1004h${ESC}[?25l${ESC}[5 q` +
  `${ESC}[3;10r${ESC}=${ESC}[7mvi`;
const UNDONE =
  `${ESC}7${ESC}[r${ESC}8${ESC}[<1u${ESC}[?1049l${ESC}[0m${ESC}[0 q${ESC}>` +
  `${ESC}[?1000l${ESC}[?1006l${ESC}[?2004l${ESC}[?1004l${ESC}[?25h`;

describe("what a session has set is undone, once, on every way out", () => {
  test("the detach key", async () => {
    await using attached = await attachTo(EVERYTHING);
    attached.terminal.type("\u001d");
    expect(await attached.terminal.exited).toBe(0);
    expect(attached.terminal.output).toBe(`${EVERYTHING}${UNDONE}${FAREWELL}`);
    expect(attached.terminal.isRestored).toBe(true);
  });

  test("a detach from elsewhere", async () => {
    await using attached = await attachTo(EVERYTHING);
    attached.stream.end();
    expect(await attached.terminal.exited).toBe(0);
    expect(attached.terminal.output).toContain(`${EVERYTHING}${UNDONE}[detached from ${ID} from elsewhere;`);
    expect(attached.terminal.isRestored).toBe(true);
  });

  test.each([
    [{ state: "done", exit_code: 0 }, 0, "ended with exit code 0"],
    [{ state: "failed", exit_code: 3 }, 3, "failed with exit code 3"],
    [{ state: "stopped" }, 0, "was stopped"],
    [{ runtime: { state: "lost", runtime_generation: "1", loss_reason: "worker gone" } }, 1, "is lost: worker gone"],
  ])("the session's end: %p", async (session, code, says) => {
    await using attached = await attachTo(EVERYTHING, { session });
    attached.stream.end();
    expect(await attached.terminal.exited).toBe(code);
    expect(attached.terminal.output).toBe(`${EVERYTHING}${UNDONE}[${ID} ${says}]\r\n`);
    expect(attached.terminal.isRestored).toBe(true);
  });

  test.each([
    ["SIGTERM", 143],
    ["SIGHUP", 129],
    ["SIGINT", 130],
    ["SIGQUIT", 131],
    ["SIGUSR1", 138],
  ] as const)("%s", async (signal, code) => {
    await using attached = await attachTo(EVERYTHING);
    attached.terminal.kill(signal);
    expect(await attached.terminal.exited).toBe(code);
    expect(attached.terminal.output).toContain(`${EVERYTHING}${UNDONE}[detached from ${ID} by ${signal};`);
    expect(attached.terminal.isRestored).toBe(true);
  });

  test("a cut in the middle of a sequence", async () => {
    await using attached = await attachTo(`${ESC}[?25l${ESC}]8;;http://link.invalid`);
    attached.terminal.type("\u001d");
    expect(await attached.terminal.exited).toBe(0);
    expect(attached.terminal.output).toContain(`${ESC}]8;;http://link.invalid\u0018${ESC}[?25h`);
  });

  test("a stop and a continue: undone at the stop, painted anew after it", async () => {
    await using attached = await attachTo(EVERYTHING);
    const { terminal } = attached;
    terminal.kill("SIGTSTP");
    await terminal.untilOutput(`${UNDONE}[`);
    await untilStopped(terminal.pid);
    expect(terminal.isRestored).toBe(true);
    terminal.kill("SIGCONT");
    const again = await terminal.untilOutput(`fg comes back to it]\r\n${EVERYTHING}`);
    expect(terminal.isRestored).toBe(false);
    terminal.type("\u001d");
    expect(await terminal.exited).toBe(0);
    expect(terminal.output.slice(again)).toBe(`${UNDONE}${FAREWELL}`);
  });

  test("C5: the screen below is back, with its cursor, and nothing of it is in the scrollback", async () => {
    const before = `${Array.from({ length: 30 }, (_, row) => `local line ${row + 1}\r\n`).join("")}${ESC}[12;7H`;
    await using attached = await attachTo(EVERYTHING, { before });
    const { terminal } = attached;
    const [params] = attached.daemon.requests.filter(({ method }) => method === "session.attach");
    expect(params?.params).toMatchObject({ repaint: { viewer: "fresh", screens: "active" } });
    await terminal.untilScreen("vi");
    terminal.type("\u001d");
    expect(await terminal.exited).toBe(0);
    const local = Array.from({ length: 30 }, (_, row) => `local line ${row + 1}`);
    expect(await terminal.scrollback()).toEqual(local.slice(0, 7));
    const rows = await terminal.screen();
    // Said where the cursor was, as by any program; all other rows are as they were.
    expect([...rows.slice(0, 11), ...rows.slice(13, 23)]).toEqual([...local.slice(7, 18), ...local.slice(20)]);
    expect(rows.slice(11, 13).join("\n")).toStartWith(`local ${FAREWELL.trim().slice(0, 74)}\n`);
    expect(terminal.emulator.modes).toMatchObject({
      bracketedPasteMode: false,
      mouseTrackingMode: "none",
      sendFocusMode: false,
      applicationKeypadMode: false,
    });
  });

  test.each(["47", "1047"])("also of a program that went there by mode %s, which keeps no cursor", async (mode) => {
    await using attached = await attachTo(`${ESC}[?${mode}h${ESC}[Hprogram`, { before: `one\r\ntwo\r\n${ESC}[9;3H` });
    await attached.terminal.untilScreen("program");
    attached.terminal.type("\u001d");
    expect(await attached.terminal.exited).toBe(0);
    const rows = await attached.terminal.screen();
    expect(rows.slice(0, 2)).toEqual(["one", "two"]);
    expect(rows[8]).toStartWith("  [detached from ");
    expect(rows.join("")).not.toContain("program");
  });

  test("a repaint that comes in pieces is understood all the same", async () => {
    await using attached = await attachTo(ESC, { before: "local text", waitsFor: "" });
    // The terminal is touched only once the first piece is there.
    await until("the first piece", () => !attached.terminal.isRestored);
    attached.stream.write("[?1049hprogram", "latin1");
    await attached.terminal.untilScreen("program");
    attached.terminal.type("\u001d");
    expect(await attached.terminal.exited).toBe(0);
    expect((await attached.terminal.screen())[0]).toStartWith("local text[detached");
  });
});

describe("C13: a frame that is held and never let go", () => {
  const LET_GO = `${ESC}[?2026l`;

  test.each([
    ["once", `${ESC}[?2026hhi there`],
    ["twice, which holds it no longer", `${ESC}[?2026h${ESC}[?2026hhi there`],
  ])("is shown after a second: %s", async (_name, repaint) => {
    await using attached = await attachTo(repaint);
    const shownMs = performance.now();
    await attached.terminal.untilOutput(LET_GO);
    const heldMs = performance.now() - shownMs;
    expect(heldMs).toBeGreaterThan(500);
    expect(heldMs).toBeLessThan(1_500);
    attached.stream.write("more");
    await attached.terminal.untilOutput("more");
    attached.terminal.type("\u001d");
    expect(await attached.terminal.exited).toBe(0);
    expect(attached.terminal.output.split(LET_GO)).toHaveLength(2);
  });

  test("is shown at once in another size", async () => {
    await using attached = await attachTo(`${ESC}[?2026hhi there`);
    const resizedMs = performance.now();
    attached.terminal.resize(100, 30);
    await attached.terminal.untilOutput(LET_GO);
    expect(performance.now() - resizedMs).toBeLessThan(400);
  });

  test("is left alone while the program keeps to it", async () => {
    await using attached = await attachTo(PLAIN);
    const startedMs = performance.now();
    let frames = 0;
    // Longer than a frame may be held, with a frame held most of the time.
    for (; performance.now() - startedMs < 2_000; frames += 1) {
      attached.stream.write(`${ESC}[?2026hframe ${frames};`);
      await attached.terminal.untilOutput(`frame ${frames};`);
      attached.stream.write(`${ESC}[?2026l.`);
    }
    await attached.terminal.untilOutput(`frame ${frames - 1};${LET_GO}.`);
    attached.terminal.type("\u001d");
    expect(await attached.terminal.exited).toBe(0);
    expect(attached.terminal.output.split(LET_GO)).toHaveLength(frames + 1);
  });
});

describe("a stream that is cut", () => {
  const NOTICE = "the daemon does not answer";

  test("is told after a while, and the user may leave", async () => {
    await using attached = await attachTo(PLAIN);
    const { terminal } = attached;
    await attached.daemon[Symbol.asyncDispose]();
    await terminal.untilScreen(NOTICE);
    terminal.type("\u001c\u001d");
    expect(await terminal.exited).toBe(0);
    expect((await terminal.screen()).join("\n")).not.toContain(NOTICE);
    expect(terminal.isRestored).toBe(true);
  });

  test("does not keep the user from stopping the client", async () => {
    await using attached = await attachTo(PLAIN);
    const { terminal } = attached;
    await attached.daemon[Symbol.asyncDispose]();
    await terminal.untilScreen(NOTICE);
    terminal.kill("SIGTSTP");
    await untilStopped(terminal.pid);
    expect(terminal.isRestored).toBe(true);
    expect((await terminal.screen()).join("\n")).not.toContain(NOTICE);
    const stoppedAt = terminal.output.length;
    terminal.kill("SIGCONT");
    await terminal.untilOutput(NOTICE, stoppedAt);
    terminal.type("\u001d");
    expect(await terminal.exited).toBe(0);
    expect(terminal.isRestored).toBe(true);
  });

  test("is given up after 20 seconds", async () => {
    await using attached = await attachTo(EVERYTHING);
    await attached.daemon[Symbol.asyncDispose]();
    const cutAt = performance.now();
    expect(await attached.terminal.exited).toBe(1);
    const tookMs = performance.now() - cutAt;
    expect(tookMs).toBeGreaterThan(19_000);
    expect(tookMs).toBeLessThan(25_000);
    expect(attached.terminal.output).toContain("[the daemon is gone; the session may be running:");
    for (const undone of ["[<1u", "[?1049l", "[?1000l", "[?25h"]) expect(attached.terminal.output).toContain(undone);
    expect(attached.terminal.isRestored).toBe(true);
  }, 40_000);
});

describe("a title", () => {
  test("is saved when the session sets one, and comes back", async () => {
    await using attached = await attachTo(`${ESC}]2;theirs\u0007text`);
    attached.terminal.type("\u001d");
    expect(await attached.terminal.exited).toBe(0);
    expect(attached.terminal.output).toBe(
      `${ROOM}${ESC}[22;0t${ESC}]2;theirs\u0007text${ESC}[1;1H\r\n${ESC}[23;0t${FAREWELL}`,
    );
  });
});

describe("keys", () => {
  test.each([
    ["the plain byte at the end of a longer read", `${"x".repeat(200)}\u001d`, "x".repeat(200)],
    ["kitty", `${ESC}[93;5u`, ""],
    ["kitty with num lock", `a${ESC}[93;133u`, "a"],
    ["modifyOtherKeys", `${ESC}[27;5;93~`, ""],
    ["after a release, which does nothing", `${ESC}[93;5:3ub${ESC}[93;5:1u`, "b"],
  ])("detach: %s", async (_name, typed, forwarded) => {
    await using attached = await attachTo(PLAIN);
    attached.terminal.type(typed);
    expect(await attached.terminal.exited).toBe(0);
    await until("the end of the stream", () => attached.stream.readableEnded);
    expect(attached.input()).toBe(forwarded);
  });

  test("a detach key in two reads", async () => {
    await using attached = await attachTo(PLAIN);
    const { terminal } = attached;
    let hasLeft = false;
    void terminal.exited.then(() => {
      hasLeft = true;
    });
    // A machine that is busy may bring the second half too late for a key; then both halves are input, and it is tried again.
    for (let late = ""; !hasLeft; late += `a${ESC}[93;5u`) {
      terminal.type(`a${ESC}[93`);
      await until("the first half", () => attached.input().startsWith(`${late}a`));
      terminal.type(";5u");
      await until("the key, or both halves", () => hasLeft || attached.input() === `${late}a${ESC}[93;5u`);
    }
    expect(await terminal.exited).toBe(0);
    expect(attached.input()).toEndWith("a");
  });

  test("an Escape alone arrives by itself", async () => {
    await using attached = await attachTo(PLAIN);
    attached.terminal.type(ESC);
    await until("the key", () => attached.input() === ESC);
  });

  test("all bytes but the client's keys pass, a paste of a megabyte with such bytes in it too", async () => {
    await using attached = await attachTo(PLAIN);
    const bytes = Array.from({ length: 256 }, (_, byte) => byte).filter((byte) => byte !== 0x1c && byte !== 0x1d);
    const all = Buffer.from(bytes).toString("latin1");
    attached.terminal.type(Buffer.from(all, "latin1"));
    await until("all bytes", () => attached.input().length === all.length);
    expect(attached.input()).toBe(all);
    const paste = `${ESC}[200~${"line with \u001d and \u001c in it\r".repeat(40_000)}${ESC}[201~`;
    attached.terminal.type(Buffer.from(paste, "latin1"));
    await until("the paste", () => attached.input().length === all.length + paste.length, 20_000);
    expect(attached.input().slice(all.length) === paste).toBe(true);
    attached.terminal.type("\u001d");
    expect(await attached.terminal.exited).toBe(0);
  });

  test.each([
    ["the file", { config: '[attach]\ndetach_key = "ctrl-b"\nmenu_key = "Ctrl-A"\n' }],
    [
      "variables, which win over the file",
      {
        env: { POHUNEK_DETACH_KEY: "ctrl-b", POHUNEK_MENU_KEY: "ctrl-a" },
        config: '[attach]\ndetach_key = "ctrl-d"\n',
      },
    ],
  ])("others can be chosen: by %s", async (_name, script) => {
    await using attached = await attachTo(PLAIN, script);
    const { terminal } = attached;
    // What used to be the client's keys is the session's now.
    terminal.type("x\u001d\u001c");
    await until("the input", () => attached.input() === "x\u001d\u001c");
    terminal.type("\u0001");
    await terminal.untilScreen("^a send ^a");
    const from = terminal.output.length;
    terminal.type("\u0001");
    await terminal.untilOutput(PLAIN, from);
    await until("the menu's key", () => attached.input() === "x\u001d\u001c\u0001");
    terminal.type(`y${ESC}[98;5u`);
    expect(await terminal.exited).toBe(0);
    expect(attached.input()).toBe("x\u001d\u001c\u0001y");
  });

  test("the menu can have none", async () => {
    await using attached = await attachTo(PLAIN, { config: '[attach]\nmenu_key = "none"\n' });
    attached.terminal.type("a\u001cb");
    await until("the input", () => attached.input() === "a\u001cb");
  });

  test.each([
    ['[attach]\ndetach_key = "f1"\n', "attach.detach_key must be ctrl-"],
    ['[attach]\ndetach_key = "none"\n', "attach.detach_key must be ctrl-"],
    ['[attach]\ndetach_key = "ctrl-m"\n', "attach.detach_key must be ctrl-"],
    ['[attach]\ndetach_key = "ctrl-\\\\"\n', "are the same key"],
    ["[attach]\nkey = 1\n", "attach.key is not a known setting"],
    ["attach = 1\n", "attach is not a table"],
    ["[attach\n", "is not valid TOML"],
  ])("that cannot be are refused, and the terminal is given back: %j", async (config, says) => {
    await using attached = await attachTo(EVERYTHING, { config, before: "local text", env: { NO_COLOR: "1" } });
    const { terminal } = attached;
    expect(await terminal.exited).toBe(1);
    const rows = await terminal.screen();
    expect(rows[0]).toStartWith("local textpohunek: ");
    expect(rows.join("")).toContain(says);
    expect(rows.join("")).toContain("(config_invalid)");
    expect(terminal.isRestored).toBe(true);
  });

  test("--no-menu leaves Ctrl-\\ to the session", async () => {
    await using attached = await attachTo(PLAIN, { words: ["--no-menu"] });
    attached.terminal.type("a\u001cb");
    await until("the input", () => attached.input() === "a\u001cb");
  });
});

describe("the size", () => {
  test("goes to the session when it really changes, and only then", async () => {
    await using attached = await attachTo(PLAIN);
    const { daemon, terminal } = attached;
    const sizes = (): unknown[] =>
      daemon.requests.filter(({ method }) => method === "session.resize").map(({ params }) => params);
    const [first] = daemon.requests.filter(({ method }) => method === "session.attach");
    expect(first?.params).toMatchObject({ session_id: ID, initial_dimensions: { cols: 80, rows: 24 } });
    terminal.kill("SIGWINCH");
    terminal.resize(100, 30);
    await until("the new size", () => sizes().length > 0);
    terminal.kill("SIGWINCH");
    terminal.resize(90, 30);
    await until("the newer size", () => sizes().length > 1);
    expect(sizes()).toEqual([
      { session_id: ID, stream_id: "a-1", cols: 100, rows: 30 },
      { session_id: ID, stream_id: "a-1", cols: 90, rows: 30 },
    ]);
  });
});

describe("refusals", () => {
  test("come before the terminal is touched", async () => {
    using roots = new TempRoots();
    const { protocolError } = await import("@pohunek/protocol/wire");
    await using _daemon = await standInDaemon(roots, {
      handlers: {
        "session.attach": () => {
          throw protocolError("attach_self_feedback");
        },
      },
    });
    await using terminal = new CliTerminal(roots, ["attach", ID], { env: { NO_COLOR: "1" } });
    expect(await terminal.exited).toBe(1);
    await terminal.untilOutput("(attach_self_feedback)");
    expect(terminal.output).toBe(
      "pohunek: A session cannot be attached from inside itself (attach_self_feedback)\r\n" +
        "  next: Attach from a terminal outside the session.\r\n",
    );
  });

  test("name the origin that the environment tells", async () => {
    using roots = new TempRoots();
    await using daemon = await standInDaemon(roots, {});
    const env = { POHUNEK_SESSION_ID: "s-1", POHUNEK_DAEMON_ID: "d-1", POHUNEK_WORKER_ID: "wk-1" };
    await using terminal = new CliTerminal(roots, ["attach", ID], { env });
    expect(await terminal.exited).toBe(1);
    const origin = { origin_session_id: "s-1", origin_daemon_id: "d-1" };
    expect(daemon.requests.find(({ method }) => method === "session.attach")).toMatchObject({
      ...origin,
      params: { ...origin, origin_worker_id: "wk-1" },
    });
  });
});
