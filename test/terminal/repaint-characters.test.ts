import { describe, expect, test } from "bun:test";
import { AttachStream, openByRepaint, SCRATCH_BYTES } from "../../packages/host/src/worker/attach-stream.ts";
import { OutputRing } from "../../packages/host/src/worker/output-ring.ts";
import { repaint } from "../../packages/host/src/worker/repaint/repaint.ts";
import { bytes, compareGhostty, compareXterm, Terminals } from "./support/terminals.ts";

const SIZE = { cols: 20, rows: 6 };
const terminals = new Terminals();
/** Among them a byte 0x80, with which xterm.js loses a character that comes in two pieces. */
const STREAMS: Readonly<Record<string, string>> = {
  "characters of two to four bytes": "é漢😀 Àà耀😀\u{10000}x一\r\n漢字 tail",
  "clusters of several characters": "👩\u200d💻 👍🏽 🇨🇿🇨🇿 e\u0301 ❤\ufe0f a\u200bb",
  "characters inside sequences":
    "\x1b]2;title 漢😀\x07\x1b]8;;https://example.org/é\x1b\\link\x1b]8;;\x1b\\\x1bPqé漢\x1b\\.",
  "the last column": `${"x".repeat(19)}漢${"y".repeat(18)}😀${"漢".repeat(12)}`,
};

function fail(cause: unknown): never {
  throw cause;
}

/** What a viewer gets that attaches at `cut`, write by write, while the rest of the character comes byte by byte. */
function attachAt(
  output: Uint8Array,
  cut: number,
): { readonly writes: readonly Uint8Array[]; readonly offset: number } {
  using source = terminals.ghostty(SIZE);
  const ring = new OutputRing(1_000_000);
  const writes: Uint8Array[] = [];
  let offset = -1;
  source.write(output.subarray(0, cut));
  ring.append(output.subarray(0, cut));
  const stream = new AttachStream({
    sink: { write: (piece) => writes.push(piece.slice()) && piece.length, end: () => undefined },
    ring,
    scratch: new Uint8Array(SCRATCH_BYTES),
    open: () =>
      openByRepaint(repaint(source, { historyLines: 100, viewer: "fresh" }), { endOffset: ring.endOffset, ...SIZE }),
    onFailure: fail,
    raw: {
      sync: (sync) => {
        offset = sync.output_offset;
      },
      failed: fail,
    },
  });
  stream.pump();
  let at = cut;
  for (; ((output[at] ?? 0) & 0xc0) === 0x80; at += 1) {
    ring.append(output.subarray(at, at + 1));
    stream.pump();
  }
  ring.append(output.subarray(at));
  stream.pump();
  return { writes, offset };
}

describe.each(Object.entries(STREAMS))("a cut at every byte of %s", (_, text) => {
  const output = bytes(text);
  const cuts = Array.from({ length: output.length + 1 }, (_unused, cut) => cut);

  test("falls between characters: what comes first is whole, and then the rest comes once", () => {
    const strict = new TextDecoder("utf-8", { fatal: true });
    for (const cut of cuts) {
      const { writes, offset } = attachAt(output, cut);
      const [painted = new Uint8Array(0), ...live] = writes;
      expect(() => strict.decode(painted)).not.toThrow();
      expect(cut - offset).toBeLessThan(4);
      for (const write of live) expect(() => strict.decode(write)).not.toThrow();
      expect(Buffer.concat(live).toString("utf8")).toBe(Buffer.from(output.subarray(offset)).toString("utf8"));
    }
  });

  test("is continued exactly in both engines", () => {
    using whole = terminals.ghostty(SIZE);
    using reference = terminals.xterm(SIZE);
    for (const engine of [whole, reference]) engine.write(output);
    for (const cut of cuts) {
      using viewer = terminals.ghostty(SIZE);
      using xterm = terminals.xterm(SIZE);
      for (const write of attachAt(output, cut).writes) {
        viewer.write(write);
        xterm.write(write);
      }
      expect([cut, ...compareGhostty(whole, viewer, 100)]).toEqual([cut]);
      expect([cut, ...compareXterm(reference, xterm, 100)]).toEqual([cut]);
    }
  });
});

test("a beginning whose rest never comes is given as it is when the program ends, and when something else comes", () => {
  for (const rest of ["", "x"]) {
    const ring = new OutputRing(1_000_000);
    const writes: Uint8Array[] = [];
    using source = terminals.ghostty(SIZE);
    const start = Buffer.from("a\xf0\x9f", "latin1");
    source.write(start);
    ring.append(start);
    const stream = new AttachStream({
      sink: { write: (piece) => writes.push(piece.slice()) && piece.length, end: () => undefined },
      ring,
      scratch: new Uint8Array(SCRATCH_BYTES),
      open: () => openByRepaint(repaint(source, { historyLines: 0 }), { endOffset: ring.endOffset, ...SIZE }),
      raw: { sync: () => undefined, failed: () => undefined },
      onFailure: fail,
    });
    stream.pump();
    expect(writes).toHaveLength(1);
    ring.append(bytes(rest));
    if (rest === "") stream.finish({ code: 0, at_ms: 0 });
    else stream.pump();
    expect(Buffer.concat(writes.slice(1)).toString("latin1")).toBe(`\xf0\x9f${rest}`);
  }
});
