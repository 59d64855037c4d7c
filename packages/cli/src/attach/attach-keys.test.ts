import { describe, expect, test } from "bun:test";
import { AttachKeys, DETACH_KEY } from "./attach-keys.ts";

const bytes = (text: string): Uint8Array => Buffer.from(text, "latin1");
const text = (data: Uint8Array): string => Buffer.from(data).toString("latin1");

interface Seen {
  forwarded: string;
  actions: string[];
}

/** Feeds reads one after the other, 1 ms apart, and continues behind each action as the client does after a menu. */
function feed(reads: readonly string[], keys = new AttachKeys()): Seen & { keys: AttachKeys } {
  const seen: Seen = { forwarded: "", actions: [] };
  for (const [index, read] of reads.entries()) {
    let rest = bytes(read);
    do {
      const decoded = keys.push(rest, index);
      seen.forwarded += text(decoded.forward);
      if (decoded.action !== undefined) seen.actions.push(decoded.action);
      rest = Buffer.from(decoded.rest);
    } while (rest.length > 0);
  }
  return { ...seen, keys };
}

describe("the detach key", () => {
  test.each([
    ["the plain byte", "\x1d"],
    ["kitty", "\x1b[93;5u"],
    ["kitty with num lock", "\x1b[93;133u"],
    ["kitty with caps lock and num lock", "\x1b[93;197u"],
    ["kitty with a press event", "\x1b[93;5:1u"],
    ["kitty with alternate keys", "\x1b[93:125;5u"],
    ["kitty on another layout, by the base key", "\x1b[43::93;5u"],
    ["kitty with text", "\x1b[93;5;29u"],
    ["modifyOtherKeys", "\x1b[27;5;93~"],
  ])("is known as %s, whole and cut anywhere", (_name, sequence) => {
    expect(feed([sequence])).toMatchObject({ forwarded: "", actions: ["detach"] });
    expect(feed([`ls -l\r${sequence}`])).toMatchObject({ forwarded: "ls -l\r", actions: ["detach"] });
    for (let cut = 1; cut < sequence.length; cut += 1) {
      expect(feed([`x${sequence.slice(0, cut)}`, sequence.slice(cut)])).toMatchObject({
        forwarded: "x",
        actions: ["detach"],
      });
    }
    expect(feed([...sequence])).toMatchObject({ forwarded: "", actions: ["detach"] });
  });

  test("is known at the end of a longer read, and what follows it is not lost", () => {
    const decoded = new AttachKeys().push(bytes(`${"a".repeat(5_000)}\x1dmore`), 0);
    expect(decoded.forward.length).toBe(5_000);
    expect(decoded.action).toBe("detach");
    expect(text(decoded.rest)).toBe("more");
  });

  test("does nothing on release, and the release is not the session's", () => {
    expect(feed(["\x1b[93;5:3u"])).toMatchObject({ forwarded: "", actions: [] });
    expect(feed(["a\x1b[93;5:3ub"])).toMatchObject({ forwarded: "ab", actions: [] });
  });

  test("acts after a lone Escape in the same read", () => {
    expect(feed(["\x1b\x1d"])).toMatchObject({ forwarded: "\x1b", actions: ["detach"] });
  });
});

describe("input that is not the client's", () => {
  test.each([
    ["other keys in kitty's encoding", "\x1b[97;5u\x1b[93;6u\x1b[93u\x1b[13;2u"],
    ["other keys in modifyOtherKeys", "\x1b[27;6;93~\x1b[27;5;91~"],
    ["arrow and function keys", "\x1b[A\x1b[1;5C\x1bOP\x1b[3~\x1b[15;2~"],
    ["mouse reports", "\x1b[<0;93;5M\x1b[<35;10;20m\x1b[M !!"],
    ["focus and answers to queries", "\x1b[I\x1b[O\x1b[?62;22c\x1b]11;rgb:0000/0000/0000\x1b\\\x1bP1$r0m\x1b\\"],
    ["Alt keys", "\x1bx\x1b]\x1b\x1b[A"],
    ["text in UTF-8", "d\xc5\x99\xc3\xadve \xe2\x80\x94 \xf0\x9f\x98\x80"],
    ["a sequence that is too long for a key", `\x1b[${"9".repeat(80)}u`],
    ["numbers beyond all keys", "\x1b[99999999999999999999;5u\x1b[;5u\x1b[u"],
  ])("%s passes as it is, in any cut", (_name, input) => {
    for (let cut = 0; cut <= input.length; cut += 1) {
      const seen = feed([input.slice(0, cut), input.slice(cut)]);
      expect(seen.forwarded + text(seen.keys.flush())).toBe(input);
      expect(seen.actions).toEqual([]);
    }
  });

  test("is held back only while it may become a key, and at most 64 bytes of it", () => {
    for (const start of ["\x1b", "\x1b[", "\x1b[93", "\x1b[93;5", "\x1b[27;5;9"]) {
      const { keys, forwarded } = feed([`a${start}`]);
      expect(forwarded).toBe("a");
      expect(keys.isHolding).toBe(true);
      expect(text(keys.flush())).toBe(start);
      expect(keys.isHolding).toBe(false);
    }
    for (const other of ["\x1bO", "\x1b]", "\x1b[<0;1", `\x1b[${"9".repeat(70)}`]) {
      const { keys, forwarded } = feed([other]);
      expect(forwarded).toBe(other);
      expect(keys.isHolding).toBe(false);
    }
  });
});

describe("a bracketed paste", () => {
  const paste = "\x1b[200~one \x1d two \x1b[93;5u three \x1c\x1b[201~";

  test("is text, also where it looks like a key, in any cut", () => {
    for (let cut = 0; cut <= paste.length; cut += 1) {
      const seen = feed([paste.slice(0, cut), `${paste.slice(cut)}\x1d`]);
      expect(seen).toMatchObject({ forwarded: paste, actions: ["detach"] });
    }
    expect(feed([...paste.split(""), "\x1d"])).toMatchObject({ forwarded: paste, actions: ["detach"] });
  });

  test("that has lost its end mark stops being one after a second", () => {
    const keys = new AttachKeys();
    keys.push(bytes("\x1b[200~cut short"), 0);
    expect(keys.push(bytes("\x1d"), 900).action).toBeUndefined();
    expect(keys.push(bytes("\x1d"), 2_000).action).toBe("detach");
  });
});

describe("the menu key", () => {
  test.each(["\x1c", "\x1b[92;5u", "\x1b[27;5;92~"])("is known as %p", (sequence) => {
    expect(feed([`a${sequence}b`])).toMatchObject({ forwarded: "ab", actions: ["menu"] });
  });

  test("belongs to the session when the client has no menu", () => {
    const input = "a\x1cb\x1b[92;5u";
    expect(feed([input, "\x1d"], new AttachKeys([DETACH_KEY]))).toMatchObject({
      forwarded: input,
      actions: ["detach"],
    });
  });
});
