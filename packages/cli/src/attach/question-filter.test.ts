import { describe, expect, test } from "bun:test";
import type { ClipboardPolicy } from "@pohunek/protocol/wire";
import { CLIPBOARD_DEFAULTS } from "@pohunek/protocol/wire";
import { QuestionFilter } from "./question-filter.ts";

const ST = "\x1b\\";

interface Shown {
  readonly text: string;
  readonly oversized: number;
}

/** What the terminal gets of this output when it comes in pieces of so many bytes. */
function shown(output: string, size = output.length, policy: ClipboardPolicy = CLIPBOARD_DEFAULTS): Shown {
  let oversized = 0;
  const filter = new QuestionFilter({ policy, onOversizedCopy: () => (oversized += 1) });
  const bytes = Buffer.from(output, "latin1");
  let text = "";
  for (let at = 0; at < bytes.length; at += size) {
    text += Buffer.from(filter.take(bytes.subarray(at, at + size))).toString("latin1");
  }
  return { text, oversized };
}

const QUESTIONS: readonly string[] = [
  ..."c 0c >c >0c =c 5n 6n ?6n ?15n ?996n ?2026$p 4$p >q >0q ?u ?4m ?1g x 1x 14t 14;2t 16t 18t 19t 21t 11t".split(" "),
  ..."1;1;1;1;2;2*y 1$w 1$u &u ?1;1;0S ?2;4S #R 1;1;2;2#| '|".split(" "),
].map((text) => `\x1b[${text}`);
const STRINGS: readonly string[] = [
  "]4;1;?",
  "]4;1;?;2;?",
  "]5;0;?",
  "]10;?",
  "]10;?;?",
  "]11;?",
  "]12;?",
  "]19;?",
  "]21;foreground=?",
  "]22;?__current__",
  "]50;?",
  "]52;c;?",
  "]52;;?",
  "]99;i=1:p=?;",
  "]1337;ReportCellSize",
  "]7501;?",
];
const DEVICE_STRINGS = ["P$qm", "P+q4d73;524742", "_Gi=31,s=1,v=1,a=q,t=d,f=24;AAAA", "_Ga=q"];
const ALL: readonly string[] = [
  ...QUESTIONS,
  "\x1bZ",
  "\x05",
  ...STRINGS.flatMap((text) => [`\x1b${text}\x07`, `\x1b${text}${ST}`]),
  ...DEVICE_STRINGS.map((text) => `\x1b${text}${ST}`),
];

describe("a question", () => {
  test.each(ALL)("%j does not reach the terminal, however it is cut, and what is around it does", (question) => {
    const output = `before\x1b[1m${question}after${question}${question}\x1b[0m`;
    for (let size = 1; size <= output.length; size += 1) {
      expect(shown(output, size).text).toBe("before\x1b[1mafter\x1b[0m");
    }
  });
});

const OTHERS: readonly string[] = [
  "plain text, \xe2\x94\x80 and \r\n",
  ..."m|0;1;38;5;3m|38:2::1:2:3m|H|2J|?6c|>4n|>4;2m|>5u|<u|=1;1u|2 q|!p|?1$|22;0t|23;0t|8;24;80t|1;5r|?2026h|?1;2;3S|3S"
    .split("|")
    .map((text) => `\x1b[${text}`),
  `\x1b]2;a title with ? in it\x07`,
  `\x1b]8;id=1;https://example.org/?q=1${ST}link\x1b]8;;${ST}`,
  `\x1b]4;1;rgb:11/22/33${ST}`,
  `\x1b]4;1;?;2;rgb:11/22/33${ST}`,
  `\x1b]11;#102030\x07`,
  `\x1b]52;c;aGVsbG8=\x07`,
  `\x1b]52;c;${ST}`,
  `\x1b]133;A${ST}\x1b]633;A\x07\x1b]9;4;1;50\x07\x1b]777;notify;a;b?\x07`,
  `\x1b]7501;state=idle${ST}`,
  `\x1b]1337;File=inline=1:AAAA\x07`,
  `\x1b]99;i=1:p=title;what?${ST}`,
  `\x1bP0;1;0q"1;1;10;10#0;2;0;0;0#0~~@@vv@@~~$-${ST}`,
  `\x1b_Ga=T,f=100,i=1;AAAA${ST}\x1b_Gm=0;a=q${ST}`,
  `\x1b^private${ST}\x1bXstart of string${ST}`,
  "\x1b(0\x1b7\x1b8\x1bM\x1bc\x1b=\x1b>",
  "\x1b\x1b[1mtwice",
  "\x1b[6\x18n",
  `\x1b]11;?\x18n`,
  "\x1b]11;?\x1b[1m",
];

describe("anything else", () => {
  test.each(OTHERS)("%j passes as it is, however it is cut", (output) => {
    for (let size = 1; size <= output.length; size += 1) {
      const { text, oversized } = shown(`${output}end`, size);
      expect(text).toBe(`${output}end`);
      expect(oversized).toBe(0);
    }
  });

  test("passes as the very bytes that came, without a copy", () => {
    const filter = new QuestionFilter({ policy: CLIPBOARD_DEFAULTS, onOversizedCopy: () => undefined });
    const bytes = Buffer.from("\x1b[31mred\x1b[0m\r\nplain\r\n".repeat(1_000));
    expect(filter.take(bytes)).toBe(bytes);
  });
});

describe("a copy to the clipboard (C20)", () => {
  const copyOf = (bytes: number): string => `\x1b]52;c;${Buffer.alloc(bytes, "x").toString("base64")}\x07`;

  test.each([1_024, 3_066, 196_000, 197_000, 1_048_576])("of %d bytes in slices arrives whole", (bytes) => {
    const copy = copyOf(bytes);
    expect(shown(`a${copy}b`, 1_000)).toEqual({ text: `a${copy}b`, oversized: 0 });
  });

  test("that is larger is dropped as a whole and told once", () => {
    expect(shown(`a${copyOf(1_048_700)}b`, 1_000)).toEqual({ text: "ab", oversized: 1 });
    expect(shown(`a${copyOf(1_048_700)}b${copyOf(10)}`)).toEqual({ text: `ab${copyOf(10)}`, oversized: 1 });
  });

  test("is dropped without a word where the policy refuses it", () => {
    expect(shown(`a${copyOf(10)}b`, 3, { ...CLIPBOARD_DEFAULTS, write: "refuse" })).toEqual({
      text: "ab",
      oversized: 0,
    });
  });

  test("is asked for only where the policy allows it", () => {
    const question = "\x1b]52;c;?\x07";
    expect(shown(question, 2, { ...CLIPBOARD_DEFAULTS, read: "allow" }).text).toBe(question);
  });
});
