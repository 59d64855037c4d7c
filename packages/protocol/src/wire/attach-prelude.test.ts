import { expect, test } from "bun:test";
import { encodeAttachPrelude, parseAttachPrelude, readAttachAnswer } from "./attach-prelude.ts";
import { encodeFailure } from "./envelope.ts";
import { streamIdOf } from "./ids.ts";
import { protocolError } from "./protocol-error.ts";
import { decodeUtf8, encodeUtf8 } from "./text.ts";

const parse = (text: string) => parseAttachPrelude(encodeUtf8(text));

test("the prelude is one object with the one key", () => {
  expect(decodeUtf8(encodeAttachPrelude(streamIdOf(7)))).toBe('{"attach":"a-7"}\n');
  expect(parse('{"attach":"a-7"}')).toBe(streamIdOf(7));
  expect(parse('{ "attach" : "a-7" }\r')).toBe(streamIdOf(7));
});

test("anything else is no prelude", () => {
  const others = [
    '{"attach":"a-7","x":1}',
    '{"attach":""}',
    '{"attach":7}',
    '{"attach":"a 7"}',
    "{}",
    "[]",
    "",
    "{",
    '"attach"',
  ];
  for (const text of others) expect(parse(text)).toBeUndefined();
  expect(parse('{"v":{"minimum":3,"maximum":4},"id":"r","method":"session.list"}')).toBeUndefined();
  expect(parseAttachPrelude(Uint8Array.of(0x7b, 0xff))).toBeUndefined();
});

test("the first bytes of an answer are terminal output or an error", () => {
  expect(readAttachAnswer(encodeUtf8("\u001b[2J"))).toBe("terminal");
  expect(readAttachAnswer(new Uint8Array(0))).toBe("more");
  const failure = encodeFailure(4, "a-7", protocolError("attach_expired"));
  expect(readAttachAnswer(failure.subarray(0, 20))).toBe("more");
  expect(readAttachAnswer(failure)).toMatchObject({ code: "attach_expired", class: "runtime" });
});

test("a program that prints braces is not taken for an error", () => {
  for (const text of ["{\n", '{"ok":1}\n', '{"v":4,"id":"a-7","ok":true}\n', '{"err":{"class":"runtime"}}\n']) {
    expect(readAttachAnswer(encodeUtf8(text))).toBe("terminal");
  }
});
