import { describe, expect, test } from "bun:test";
import type { GateLimits } from "./input-gate.ts";
import { GATE_LIMITS, InputGate } from "./input-gate.ts";
import { InputScanner } from "./input-scanner.ts";

const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

class Gate extends InputGate {
  readonly written: string[];
  readonly typed: string[] = [];

  constructor(limits: Partial<GateLimits> = {}) {
    const written: string[] = [];
    const write = (passed: Uint8Array): void => {
      written.push(new TextDecoder().decode(passed));
    };
    super({ write, onRoom: () => undefined, limits: { ...GATE_LIMITS, ...limits } });
    this.written = written;
  }

  client(name: string): { pass(text: string): void; leave(): void; readonly isFull: boolean } {
    const passage = this.enter(() => this.typed.push(name));
    return {
      pass: (text) => passage.pass(bytes(text)),
      leave: () => passage.leave(),
      get isFull() {
        return passage.isFull;
      },
    };
  }

  get text(): string {
    return this.written.join("|");
  }
}

describe("input of two clients", () => {
  test.each([
    ["a paste", "\x1b[200~one ", "two\x1b[201~"],
    ["a paste whose end mark is cut", "\x1b[200~one two\x1b[20", "1~"],
    ["a key", "\x1b[1;", "5C"],
    ["a key of one letter", "\x1bO", "P"],
    ["an old mouse report", "\x1b[M !", "!"],
    ["an answer that is a string", "\x1b]11;rgb:00", "00/0000/0000\x1b\\"],
    ["a string ended by a bell", "\x1b]11;rgb", ":\x07"],
  ])("is not mixed in the middle of %s", (_what, first, rest) => {
    using gate = new Gate();
    const [a, b] = [gate.client("a"), gate.client("b")];
    a.pass(first);
    b.pass("x");
    a.pass(rest);
    b.pass("y");
    expect(gate.written.join("")).toBe(`${first}${rest}xy`);
  });

  test("is not mixed in the middle of a character", () => {
    const smile = new TextEncoder().encode("\u{1f600}");
    const got: number[] = [];
    using gate = new InputGate({ write: (passed) => got.push(...passed), onRoom: () => undefined });
    const [a, b] = [gate.enter(() => undefined), gate.enter(() => undefined)];
    a.pass(smile.subarray(0, 1));
    b.pass(bytes("x"));
    a.pass(smile.subarray(1, 3));
    b.pass(bytes("y"));
    a.pass(smile.subarray(3));
    expect(got).toEqual([...smile, ...bytes("xy")]);
  });

  test("waits, and is not read on, only while the other one is inside something", async () => {
    using gate = new Gate({ heldBytes: 4 });
    const [a, b] = [gate.client("a"), gate.client("b")];
    a.pass("\x1b[200~");
    b.pass("abc");
    expect(b.isFull).toBe(false);
    b.pass("d");
    expect(b.isFull).toBe(true);
    const plan = gate.admit(() => {
      gate.written.push("PLAN");
      return Promise.resolve("done");
    });
    a.pass("p\x1b[201~");
    expect(await plan).toBe("done");
    expect(gate.text).toBe("\x1b[200~|p\x1b[201~|abc|d|PLAN");
    expect(b.isFull).toBe(false);
  });
});

test("what the terminal says to the program while a paste begins comes behind the paste", () => {
  const written: string[] = [];
  using gate: InputGate = new InputGate({
    write: (passed) => {
      written.push(new TextDecoder().decode(passed));
      // Writing takes the output that is there, and a question in it is answered at once.
      if (written.length === 1) void gate.admit(() => Promise.resolve(written.push("ANSWER")));
    },
    onRoom: () => undefined,
  });
  const client = gate.enter(() => undefined);
  client.pass(bytes("\x1b[200~one "));
  client.pass(bytes("two\x1b[201~"));
  expect(written).toEqual(["\x1b[200~one ", "two\x1b[201~", "ANSWER"]);
});

describe("a client that does not come to an end", () => {
  const held = (limits: Partial<GateLimits>) => {
    const gate = new Gate(limits);
    const [a, b] = [gate.client("a"), gate.client("b")];
    a.pass("\x1b[200~one\x1b[20");
    const passed = gate.admit(() => Promise.resolve());
    b.pass("x");
    return { gate, a, passed };
  };

  test("in its paste has it closed, and opened again when the rest comes", async () => {
    const { gate, a, passed } = held({ pasteStallMs: 20 });
    using _gate = gate;
    expect(gate.text).toBe("\x1b[200~one");
    await passed;
    expect(gate.text).toBe("\x1b[200~one|\x1b[201~|x");
    a.pass("1~after");
    expect(gate.text).toBe("\x1b[200~one|\x1b[201~|x|\x1b[200~\x1b[201~after");
  });

  test("though something of its paste keeps coming", async () => {
    const { gate, a, passed } = held({ pasteStallMs: 60_000, turnMs: 50 });
    using _gate = gate;
    const more = setInterval(() => a.pass("."), 5);
    await passed;
    clearInterval(more);
    expect(gate.text).toMatch(/\x1b\[201~\|x/);
  });

  test("because its paste is endless", () => {
    const { gate, a } = held({ turnBytes: 100 });
    using _gate = gate;
    a.pass("y".repeat(100));
    expect(gate.text).toEndWith("y|\x1b[201~|x");
  });

  test("in a sequence is passed by", async () => {
    using gate = new Gate({ sequenceStallMs: 20 });
    const [a, b] = [gate.client("a"), gate.client("b")];
    a.pass("\x1b");
    b.pass("x");
    expect(gate.text).toBe("\x1b");
    await gate.admit(() => Promise.resolve());
    expect(gate.text).toBe("\x1b|x");
  });

  test("because it went away has its paste closed, with or without others", () => {
    const { gate, a } = held({});
    using _gate = gate;
    a.leave();
    expect(gate.text).toBe("\x1b[200~one|\x1b[201~|x");
    const alone = gate.client("c");
    alone.pass("\x1b[200~two");
    alone.leave();
    expect(gate.text).toEndWith("two|\x1b[201~");
  });

  test("and goes away while it waits is heard to the end", () => {
    using gate = new Gate();
    const [a, b] = [gate.client("a"), gate.client("b")];
    a.pass("\x1b[200~");
    b.pass("exit\r\x1b[200~x");
    b.leave();
    a.pass("\x1b[201~");
    expect(gate.text).toBe("\x1b[200~|\x1b[201~|exit\r\x1b[200~x|\x1b[201~");
  });
});

test.each([
  ["a", true],
  ["\x1b[A", true],
  ["\x1bOP", true],
  ["\x1b\x1b[B", true],
  ["\x1bx", true],
  ["\x1b[97;5u", true],
  ["\x1b[200~p", true],
  ["\x1b[I", false],
  ["\x1b[O", false],
  ["\x1b[<35;10;10M", false],
  ["\x1b[<0;10;10m", false],
  ["\x1b[32;10;10M", false],
  ["\x1b[M !!", false],
  ["\x1b[?62;22c", false],
  ["\x1b[>1;10;0c", false],
  ["\x1b[12;40R", false],
  ["\x1b[0n", false],
  ["\x1b[?2026;2$y", false],
  ["\x1b[?1u", false],
  ["\x1b[8;24;80t", false],
  ["\x1b]11;rgb:0/0/0\x1b\\", false],
  ["\x1bP>|term\x1b\\", false],
  ["\x1b[?62cq", true],
])("%j is typed: %p, in whatever pieces it comes", (text, isTyped) => {
  for (let cut = 0; cut < text.length; cut += 1) {
    const scanner = new InputScanner();
    const wasTyped = [text.slice(0, cut), text.slice(cut)].map((piece) => {
      scanner.push(bytes(piece));
      return scanner.hasTyped;
    });
    expect(wasTyped.includes(true)).toBe(isTyped);
  }
});
