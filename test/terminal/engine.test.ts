import { describe, expect, test } from "bun:test";
import type { TerminalListener } from "../../packages/host/src/worker/engine/terminal-engine.ts";
import { bytes, Terminals } from "./support/terminals.ts";

const SIZE = { cols: 20, rows: 6 };
const terminals = new Terminals();

/** A listener that writes down what it is told. */
function recordEvents(): { events: string[]; listener: TerminalListener } {
  const events: string[] = [];
  return {
    events,
    listener: {
      reply: (reply) => events.push(`reply ${Buffer.from(reply).toString("latin1")}`),
      title: (title) => events.push(`title ${title}`),
      cwd: (cwd) => events.push(`cwd ${cwd}`),
      progress: (progress) => events.push(`progress ${progress?.state ?? "none"} ${progress?.percent ?? "-"}`),
      bell: () => events.push("bell"),
      clipboard: ({ location, content }) =>
        events.push(`clipboard ${location} ${Buffer.from(content).toString("utf8")}`),
      notification: (title, body) => events.push(`notification ${title}|${body}`),
      programStatus: (payload) => events.push(`status ${payload}`),
    },
  };
}

function eventsOf(output: string, chunk: number): string[] {
  const { events, listener } = recordEvents();
  using engine = terminals.ghostty(SIZE, listener);
  const all = bytes(output);
  for (let offset = 0; offset < all.length; offset += chunk) engine.write(all.subarray(offset, offset + chunk));
  return events;
}

describe("answers of the default terminal", () => {
  const answers: Readonly<Record<string, readonly [query: string, answer: string]>> = {
    "primary attributes": ["\x1b[c", "\x1b[?62;22c"],
    "secondary attributes": ["\x1b[>c", "\x1b[>1;0;0c"],
    status: ["\x1b[5n", "\x1b[0n"],
    "cursor position": ["\x1b[3;4H\x1b[6n", "\x1b[3;4R"],
    "cursor position in origin mode": ["\x1b[2;5r\x1b[?6h\x1b[2;3H\x1b[6n", "\x1b[2;3R"],
    "extended cursor position": ["\x1b[3;4H\x1b[?6n", "\x1b[?3;4R"],
    version: ["\x1b[>q", "\x1bP>|pohunek\x1b\\"],
    "synchronized output, reset": ["\x1b[?2026$p", "\x1b[?2026;2$y"],
    "synchronized output, set": ["\x1b[?2026h\x1b[?2026$p", "\x1b[?2026;1$y"],
    "unknown mode": ["\x1b[?9999$p", "\x1b[?9999;0$y"],
    "ANSI mode, set": ["\x1b[4h\x1b[4$p", "\x1b[4;1$y"],
    "ANSI mode, unknown": ["\x1b[99$p", "\x1b[99;0$y"],
    "other keys, as set": ["\x1b[>4;2m\x1b[?4m", "\x1b[>4;2m"],
    "other keys, never set": ["\x1b[?4m", "\x1b[>4;0m"],
    "kitty keyboard": ["\x1b[>5u\x1b[?u", "\x1b[?5u"],
    foreground: ["\x1b]10;?\x07", "\x1b]10;rgb:d0d0/d0d0/d0d0\x07"],
    background: ["\x1b]11;?\x1b\\", "\x1b]11;rgb:0000/0000/0000\x1b\\"],
    "palette entry as set": ["\x1b]4;3;rgb:11/22/33\x07\x1b]4;3;?\x07", "\x1b]4;3;rgb:1111/2222/3333\x07"],
    "attributes by DECRQSS": ["\x1b[1;31m\x1bP$qm\x1b\\", "\x1bP1$r0;1;31m\x1b\\"],
    "scroll region by DECRQSS": ["\x1b[2;5r\x1bP$qr\x1b\\", "\x1bP1$r2;5r\x1b\\"],
    "colour scheme": ["\x1b[?996n", "\x1b[?997;1n"],
    "size in cells": ["\x1b[18t", "\x1b[8;6;20t"],
    "size in pixels": ["\x1b[14t", "\x1b[4;96;160t"],
    "program status query": ["\x1b]7501;?\x1b\\", "\x1b]7501;?\x1b\\"],
  };

  test.each(Object.entries(answers))("%s", (_, [query, answer]) => {
    expect(eventsOf(query, 1000).at(-1)).toBe(`reply ${answer}`);
    expect(eventsOf(query, 1).at(-1)).toBe(`reply ${answer}`);
  });

  test("come in the order of the questions", () => {
    const queries = "\x1b[?6n\x1b[c\x1b[4$p\x1b[6n\x1b]7501;?\x07";
    const expected = ["\x1b[?1;1R", "\x1b[?62;22c", "\x1b[4;2$y", "\x1b[1;1R", "\x1b]7501;?\x1b\\"];
    expect(eventsOf(queries, 1000)).toEqual(expected.map((reply) => `reply ${reply}`));
  });

  test("a question for the clipboard has none", () => {
    expect(eventsOf("\x1b]52;c;?\x07", 1000)).toEqual([]);
  });
});

describe("announcements", () => {
  const output =
    "\x1b]2;büild\x07\x1b]7;file:///srv\x1b\\\x1b]9;4;1;40\x07\x1b]9;4;3\x07\x1b]9;4;0\x07\x07\x1b]52;c;aGVsbG8=\x07\x1b]777;notify;t;b\x07\x1b]7501;state=idle\x1b\\";
  const expected = [
    "title büild",
    "cwd file:///srv",
    "progress set 40",
    "progress indeterminate -",
    "progress none -",
    "bell",
    "clipboard standard hello",
    "notification t|b",
    "status state=idle",
  ];

  test.each([1, 2, 3, 7, 1000])("come however the output is cut (%d bytes at a time)", (chunk) => {
    expect(eventsOf(output, chunk)).toEqual(expected);
  });

  test("a listener that throws leaves the engine whole", () => {
    const listener: TerminalListener = {
      bell: () => {
        throw new Error("listener failed");
      },
    };
    using engine = terminals.ghostty(SIZE, listener);
    expect(() => engine.write(bytes("before\x07"))).toThrow("listener failed");
    engine.write(bytes(" after"));
    expect(engine.visibleLines()[0]).toBe("before after");
  });

  test("facts can be read at any time", () => {
    using engine = terminals.ghostty(SIZE);
    expect([engine.title, engine.cwd, engine.progress]).toEqual(["", "", undefined]);
    engine.write(bytes("\x1b]0;name\x07\x1b]7;file:///x\x07\x1b]9;4;2;7\x07\x1b[?25l\x1b[2;3H"));
    expect([engine.title, engine.cwd, engine.progress]).toEqual(["name", "file:///x", { state: "error", percent: 7 }]);
    expect(engine.cursor).toEqual({ row: 1, col: 2, visible: false });
  });
});

describe("text", () => {
  test("has no filler for wide characters and no trailing blanks", () => {
    using engine = terminals.ghostty(SIZE);
    engine.write(bytes(`日本語のテキスト漢字\r\nends here   \r\n${"漢".repeat(10)}`));
    expect(engine.visibleLines().slice(0, 3)).toEqual(["日本語のテキスト漢字", "ends here", "漢".repeat(10)]);
  });

  test("joins what was cut between reads", () => {
    using engine = terminals.ghostty({ cols: 250, rows: 6 });
    engine.write(Uint8Array.of(0x63, 0x6c, 0x65, 0x61, 0x6e, 0xe2));
    engine.write(Uint8Array.of(0x80, 0x94, 0x20, 0x65, 0x6e, 0x64));
    const box = `┌${"─".repeat(200)}┐`;
    for (const byte of bytes(`\r\n${box}`)) engine.write(Uint8Array.of(byte));
    expect(engine.visibleLines().slice(0, 2)).toEqual(["clean— end", box]);
  });

  test("wraps and unwraps", () => {
    using engine = terminals.ghostty(SIZE);
    engine.write(bytes(`${"a".repeat(30)} ${"b".repeat(14)}\r\nshort\r\n\r\nlast`));
    const rows = ["a".repeat(20), `${"a".repeat(10)} ${"b".repeat(9)}`, "bbbbb", "short", "", "last"];
    expect(engine.recentLines(100)).toEqual(rows);
    expect(engine.recentLines(2)).toEqual(["", "last"]);
    expect(engine.recentLines(100, { unwrap: true })).toEqual([
      `${"a".repeat(30)} ${"b".repeat(14)}`,
      "short",
      "",
      "last",
    ]);
    expect(engine.recentLines(3, { unwrap: true })).toEqual(["short", "", "last"]);
  });

  test.each([40, 80, 200])("keeps at least 1,000 lines of history at %d columns", (cols) => {
    using engine = terminals.ghostty({ cols, rows: 24 });
    for (let line = 0; line < 4000; line += 1) {
      engine.write(bytes(`line ${line}\r\n`));
      if (line > 1100 && line % 97 === 0) expect(engine.historyRows).toBe(1000);
    }
    expect(engine.recentLines(1000)[0]).toBe("line 3000");
  });

  test("of the alternate screen has no history", () => {
    using engine = terminals.ghostty(SIZE);
    engine.write(bytes(`${"x\r\n".repeat(20)}\x1b[?1049h\x1b[Hfull`));
    expect([engine.alternateScreen, engine.historyRows, engine.recentLines(100)]).toEqual([true, 0, ["full"]]);
  });

  test("cleared by a program stays readable above", () => {
    using engine = terminals.ghostty({ cols: 20, rows: 10 });
    engine.write(bytes(`${Array.from({ length: 40 }, (_, line) => `${line + 1}\r\n`).join("")}\x1b[H\x1b[2J$ `));
    expect(engine.recentLines(1000).slice(0, 31)).toEqual(Array.from({ length: 31 }, (_, line) => String(line + 1)));
  });
});

describe("resize", () => {
  test("reflows the main screen", () => {
    using engine = terminals.ghostty(SIZE);
    engine.write(bytes(`${"word ".repeat(7)}\r\nend`));
    engine.resize(40, 6);
    expect(engine.recentLines(10)).toEqual([`${"word ".repeat(7).trim()}`, "end"]);
    engine.resize(10, 4);
    expect(engine.recentLines(10, { unwrap: true })).toEqual([`${"word ".repeat(7).trim()}`, "end"]);
    expect(engine.size).toEqual({ cols: 10, rows: 4 });
  });

  test("ends a held frame", () => {
    using engine = terminals.ghostty(SIZE);
    engine.write(bytes("\x1b[?2026h\x1b[?2026hhi"));
    expect([engine.modes.synchronizedOutput, engine.visibleLines()[0]]).toEqual([true, "hi"]);
    engine.resize(30, 6);
    expect(engine.modes.synchronizedOutput).toBe(false);
  });

  test("is reported to a program that wants to know", () => {
    const { events, listener } = recordEvents();
    using engine = terminals.ghostty(SIZE, listener);
    engine.write(bytes("\x1b[?2048h"));
    engine.resize(30, 8);
    expect(events.at(-1)).toBe("reply \x1b[48;8;30;128;240t");
  });
});

describe("revision", () => {
  const unseen = [
    "\x1b]2;title\x07",
    "\x1b[31m",
    "\x1b[c",
    "\x1b]7;file:///x\x07",
    "\x1b[?2004h",
    "\x1b]9;4;1;5\x07",
    "\x1b[38;5",
  ];
  const seen = [
    "a",
    "\x1b[2;2H",
    "\x1b[?25l",
    "\x1b[?1049h",
    "\x1b[44m\x1b[K",
    "\x1b[?5h",
    "\x1b]11;#112233\x07",
    "\x1b[4mx\b",
  ];

  test.each(unseen)("stays for what shows nothing: %j", (output) => {
    using engine = terminals.ghostty(SIZE);
    engine.write(bytes("text"));
    const { revision } = engine;
    engine.write(bytes(output));
    expect(engine.revision).toBe(revision);
  });

  test.each(seen)("grows for what shows: %j", (output) => {
    using engine = terminals.ghostty(SIZE);
    engine.write(bytes("text"));
    const { revision } = engine;
    engine.write(bytes(output));
    expect(engine.revision).toBe(revision + 1);
    expect(engine.revision).toBe(revision + 1);
  });
});

describe("an unfinished sequence", () => {
  test.each(["\x1b", "\x1b[38;5", "\x1b]2;half", "\x1bP$q", "\x1b_Gi=1", "\x1b("])("is told: %j", (output) => {
    using engine = terminals.ghostty(SIZE);
    engine.write(bytes(`abc${output}`));
    expect(Buffer.from(engine.pendingBytes()).toString("latin1")).toBe(output);
  });

  test("of a character is told", () => {
    using engine = terminals.ghostty(SIZE);
    engine.write(Uint8Array.of(0x61, 0xf0, 0x9f, 0x98));
    expect([...engine.pendingBytes()]).toEqual([0xf0, 0x9f, 0x98]);
  });

  test("that the encoder refuses does not hide the screen", () => {
    using engine = terminals.ghostty(SIZE);
    engine.write(Uint8Array.of(0x61, 0x1b, 0x5f, 0xe2, 0x9d));
    expect(engine.visibleLines()[0]).toBe("a");
    expect([...engine.pendingBytes()]).toEqual([0x1b, 0x5f, 0xe2, 0x9d]);
    engine.write(bytes("\x1b\\b"));
    expect(engine.visibleLines()[0]).toBe("ab");
  });

  test("that never ends is dropped, and what follows its end is not", () => {
    using engine = terminals.ghostty(SIZE);
    engine.write(bytes("seen\x1b]52;c;"));
    const chunk = new Uint8Array(100_000).fill(0x41);
    for (let index = 0; index < 30; index += 1) engine.write(chunk);
    expect(engine.visibleLines()[0]).toBe("seen");
    expect(Buffer.from(engine.pendingBytes()).toString("latin1")).toBe("\x1b]99999;");
    engine.write(bytes("AAAA\x07 again"));
    expect([engine.visibleLines()[0], engine.pendingBytes().length]).toEqual(["seen again", 0]);
  });

  test("a copy of 1 MiB is delivered whole", () => {
    const copies: number[] = [];
    using engine = terminals.ghostty(SIZE, { clipboard: ({ content }) => copies.push(content.length) });
    const output = bytes(`\x1b]52;c;${Buffer.alloc(1_048_576, "x").toString("base64")}\x07`);
    for (let offset = 0; offset < output.length; offset += 1000) engine.write(output.subarray(offset, offset + 1000));
    expect(copies).toEqual([1_048_576]);
  });
});
