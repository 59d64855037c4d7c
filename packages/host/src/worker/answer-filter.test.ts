import { describe, expect, test } from "bun:test";
import { AnswerFilter } from "./answer-filter.ts";

const ST = "\x1b\\";

class Viewer {
  passed = "";
  clipboard = "";
  positionsAsked = 0;
  readonly filter: AnswerFilter;

  constructor(isNeverAsked = false) {
    this.filter = this.#open(isNeverAsked);
  }

  readonly #open = (isNeverAsked: boolean): AnswerFilter =>
    new AnswerFilter({
      isNeverAsked,
      deliver: (bytes) => {
        this.passed += Buffer.from(bytes).toString("latin1");
      },
      takePositionQuestion: () => {
        this.positionsAsked -= 1;
        return this.positionsAsked >= 0;
      },
      deliverClipboard: (bytes) => {
        this.clipboard += Buffer.from(bytes).toString("latin1");
      },
    });

  /** Waits for what was held back. */
  async hasPassed(text: string): Promise<void> {
    const deadline = performance.now() + 5_000;
    while (this.passed !== text && performance.now() < deadline) await Bun.sleep(1);
    expect(this.passed).toBe(text);
  }

  send(text: string, size = text.length): void {
    const bytes = Buffer.from(text, "latin1");
    for (let at = 0; at < bytes.length; at += size) this.filter.take(bytes.subarray(at, at + size));
  }
}

/** What reaches the program of this input when it comes in pieces of so many bytes. */
function passed(input: string, size = input.length): string {
  const viewer = new Viewer();
  viewer.send(input, size);
  viewer.filter[Symbol.dispose]();
  return viewer.passed;
}

const ANSWERS: readonly string[] = [
  ..."?62;22c ?1;2c >1;4000;0c 0n 3n ?997;1n 12;40R 1;1R 1;17R ?3;4R ?3;4;1R ?2026;2$y 4;1$y ?5u"
    .split(" ")
    .map((text) => `\x1b[${text}`),
  ..."8;24;80t 4;384;640t 6;16;8t 1t 3;10;20t 48;24;80;384;640t >4;2m 2;1;1;120;120;1;0x ?1;0;256S >4;1f"
    .split(" ")
    .map((text) => `\x1b[${text}`),
  ...[
    "4;1;rgb:1111/2222/3333",
    "10;rgb:d0d0/d0d0/d0d0",
    "11;#101010",
    "7501;?",
    "lTitle \xfcber alles",
    "52;c;aGVs",
  ].flatMap((text) => [`\x1b]${text}\x07`, `\x1b]${text}${ST}`]),
  ...["P>|XTerm(388)", "P1$r0;1m", "P0$r", "P1+r4d73=31", "P!|7E565445", "P1!~ABCD", "P1$u1;1;1", "_Gi=31;OK"].map(
    (text) => `\x1b${text}${ST}`,
  ),
];

describe("an answer of a viewer's terminal", () => {
  test.each(ANSWERS)("%j does not reach the program, however it is cut, and keys around it do", (answer) => {
    const input = `a\x1b[A${answer}\x1bOP${answer}${answer}b\r`;
    for (let size = 1; size <= input.length; size += 1) {
      expect(passed(input, size)).toBe("a\x1b[A\x1bOPb\r");
    }
  });

  test("is dropped also when its ESC was taken for a key", async () => {
    const viewer = new Viewer();
    viewer.send("\x1b");
    await viewer.hasPassed("\x1b");
    viewer.send("]11;rgb:0000/0000/0000\x07x");
    expect(viewer.passed).toBe("\x1bx");
  });

  test("that never ends is not typed later", () => {
    expect(passed("\x1b]11;rgb:00")).toBe("");
    expect(passed("\x1b[?62;")).toBe("");
  });

  test("about the clipboard goes where it is decided about", () => {
    const viewer = new Viewer();
    const answer = `\x1b]52;c;${Buffer.alloc(700_000, "x").toString("base64")}\x07`;
    viewer.send(`a${answer}b`, 4_096);
    expect(viewer.clipboard).toBe(answer);
    expect(viewer.passed).toBe("ab");
  });

  test("about the position looks like F3 with modifiers in the first row: it is one while a question is open", () => {
    const viewer = new Viewer();
    viewer.send("\x1b[1;2R");
    expect(viewer.passed).toBe("\x1b[1;2R");
    viewer.positionsAsked = 1;
    viewer.send("\x1b[1;5R");
    expect(viewer.passed).toBe("\x1b[1;2R");
    viewer.send("\x1b[1;5R");
    expect(viewer.passed).toBe("\x1b[1;2R\x1b[1;5R");
  });
});

const KEYS: readonly string[] = [
  "typed \xc3\xbc text\r\x03\x7f",
  "\x1b[A\x1b[1;5A\x1bOA\x1b[5~\x1b[15;2~\x1bOR\x1b[R\x1b[1;2P\x1b[Z",
  "\x1bx\x1b]\x1bP\x1b_\x1b[\x1b\x1b\x1b[A",
  "\x1b[97;5u\x1b[97:65;2:3u\x1b[57399u\x1b[27;5;9~\x1b[1;1:3A",
  "\x1b[<0;10;20M\x1b[<0;10;20m\x1b[<35;1;1M\x1b[M !!\x1b[32;10;20M",
  "\x1b[I\x1b[O",
  "\x1b[200~pasted \x1b]11;rgb:0/0/0\x07\x1b[?62c text\x1b[201~after\x1b[200~\x1b[201~",
  "\x1b[[A\x1b[24~\x1b[2;3~",
];

describe("a key", () => {
  test.each(KEYS)("%j passes as it is, however it is cut", (input) => {
    for (let size = 1; size <= input.length; size += 1) {
      expect(passed(`${input}.`, size)).toBe(`${input}.`);
    }
  });

  test("is not held back for being an Escape key where no query reaches the terminal, and a rest is no text all the same", () => {
    const viewer = new Viewer(true);
    viewer.send("\x1b");
    expect(viewer.passed).toBe("\x1b");
    viewer.send("[?1;2c");
    viewer.send("x");
    expect(viewer.passed).toBe("\x1bx");
    // In pieces that are no Escape key an answer is one there, too.
    for (const piece of ["\x1bP>", "|", "T", "\x1b\\"]) viewer.send(piece);
    for (const piece of ["\x1b]1", "1;rgb:0/0/0\x07", "\x1b[", "0n"]) viewer.send(piece);
    expect(viewer.passed).toBe("\x1bx");
  });

  test("is not held back when it can be no answer", () => {
    const viewer = new Viewer();
    for (const key of ["a", "\x1b[A", "\x1bx", "\x1b[<0;1;", "\x1b[I", "\x1b[200~half a paste\x1b[20"]) {
      viewer.passed = "";
      viewer.send(key);
      expect(viewer.passed).toBe(key);
    }
  });
});
