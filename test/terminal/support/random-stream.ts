import type { TerminalSize } from "../../../packages/host/src/worker/engine/terminal-engine.ts";
import { seededRandom } from "./random.ts";

const WORDS = ["a", "bc", "def", "hello", "  ", "漢字", "テ", "😀", "e\u0301", "👩\u200d💻", "❤\ufe0f", "q", "│"];
const MODES = [
  1, 4, 5, 6, 7, 8, 9, 12, 25, 40, 45, 47, 66, 67, 69, 1000, 1002, 1003, 1004, 1005, 1006, 1007, 1015, 1016,
].concat([1035, 1036, 1039, 1045, 1047, 1048, 1049, 1049, 2004, 2026, 2027, 2031, 2048]);
const ATTRIBUTES = [
  "",
  "0",
  "1",
  "2",
  "3",
  "4",
  "5",
  "7",
  "8",
  "9",
  "21",
  "22",
  "24",
  "27",
  "4:3",
  "4:5",
  "31",
  "44",
  "103",
].concat(["38;5;200", "48;5;17", "48;2;1;2;3", "38;2;9;8;7", "58;5;9", "58:2::1:2:3", "59", "39", "49", "53"]);
const FINALS = "A B C D E F G d X P L M @ S T Z I ` a e b".split(" ");
const ESCAPES = [
  "7",
  "8",
  "D",
  "M",
  "E",
  "H",
  "=",
  ">",
  "(0",
  "(B",
  ")0",
  "*0",
  "(A",
  "n",
  "o",
  "N",
  "O",
  "}",
  "V",
  "W",
];
const KEYBOARD = [">1u", ">5u", ">31u", "<u", "<2u", "=3;1u", "=2;2u", "=1;3u", ">4;1m", ">4;2m", ">1s", ">0s"];
const HOSTILE = [
  "\x18",
  "\x1a",
  "\x1b",
  "\x1b[",
  "\x1b]",
  "\x1bP",
  "\x1b_",
  "\x1b[?",
  "\x1b[38;5",
  "\x7f",
  "\0",
  "\x1b\\",
  "\x07",
].concat(["\x1b[:;<=>?m", "\x1b[99999999999A", "\x1bP$q", `\x1b[${"1;".repeat(40)}m`]);

export interface RandomStreamOptions extends TerminalSize {
  readonly seed: number;
  readonly length: number;
  /** Broken and hostile sequences among the valid ones. */
  readonly isHostile: boolean;
}

/** Output of a program that does everything at once; the same for the same options. */
export function randomStream(options: RandomStreamOptions): Uint8Array {
  const pieces = new PieceMaker(options);
  // Something is printed first, so that there is a character to repeat.
  let stream = "a";
  while (stream.length < options.length) stream += pieces.next();
  return Buffer.from(stream, "utf8");
}

class PieceMaker {
  readonly #random: () => number;
  readonly #options: RandomStreamOptions;

  constructor(options: RandomStreamOptions) {
    this.#random = seededRandom(options.seed);
    this.#options = options;
  }

  next(): string {
    const kind = this.#below(this.#options.isHostile ? 20 : 18);
    if (kind < 5)
      return this.#below(12) === 0 ? "x".repeat(this.#options.cols + this.#below(9) - 4) : this.#pick(WORDS);
    if (kind < 7) return this.#pick(["\r\n", "\r\n", "\n", "\r", "\b", "\t", "\x0b", "\x0e", "\x0f"]);
    if (kind < 9) return `\x1b[${this.#pick(ATTRIBUTES)};${this.#pick(ATTRIBUTES)}m`;
    if (kind < 14) return this.#control(kind);
    if (kind < 18) return this.#other(kind);
    return this.#below(3) === 0 ? String.fromCharCode(this.#below(256)) : this.#pick(HOSTILE);
  }

  #control(kind: number): string {
    if (kind === 9) return `\x1b[${this.#number()};${this.#number()}H`;
    if (kind === 10) return `\x1b[${this.#number()}${this.#pick(FINALS)}`;
    if (kind === 11) return `\x1b[${this.#pick(["", "?"])}${this.#pick(["", "0", "1", "2"])}${this.#pick(["J", "K"])}`;
    if (kind === 12) return `\x1b[?${this.#pick(MODES)}${this.#pick(["h", "l", "h", "l", "s", "r"])}`;
    return `\x1b[${this.#pick(["4h", "4l", "20h", "20l", "r", `${this.#number()};${this.#number()}r`, `${this.#number()};9s`])}`;
  }

  #other(kind: number): string {
    if (kind === 14) return `\x1b${this.#pick(ESCAPES)}`;
    if (kind === 15) return `\x1b[${this.#pick([...KEYBOARD, '1"q', '0"q', "3g", "g", `${this.#below(7)} q`])}`;
    if (kind === 16) return this.#command();
    return this.#pick(["\x1b[?1049h", "\x1b[?1049l", "\x1b]8;;\x1b\\", "\x1b[m"]);
  }

  #command(): string {
    const color = `rgb:${this.#below(10)}${this.#below(10)}/20/30`;
    const mark = this.#pick(["A", "B", "C", "D", "P", "I", "P;k=c"]);
    const body = this.#pick([
      `8;${this.#pick(["", "id=a", "id=b"])};https://example.org/${this.#below(3)}`,
      `2;title ${this.#below(9)}`,
      `7;file:///d${this.#below(9)}`,
      `4;${this.#below(20)};${color}`,
      `1${this.#below(3)};${color}`,
      `10${this.#pick(["4", "4;3"])}`,
      `133;${mark}`,
      `22;${this.#pick(["pointer", "text", "wait"])}`,
    ]);
    return `\x1b]${body}\x07`;
  }

  #number(): string {
    const { cols, rows } = this.#options;
    return this.#pick(["", "0", "1", "2", "99", String(1 + this.#below(rows + 2)), String(1 + this.#below(cols + 3))]);
  }

  #pick<T>(choices: readonly T[]): T {
    const choice = choices[this.#below(choices.length)];
    if (choice === undefined) throw new Error("nothing to choose from");
    return choice;
  }

  #below(limit: number): number {
    return Math.floor(this.#random() * limit);
  }
}
