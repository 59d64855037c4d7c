import fc from "fast-check";
import type { TerminalSize } from "../../../packages/host/src/worker/engine/terminal-engine.ts";
import type { Player } from "./recording.ts";

/** A piece of a program's output, or a new size of its terminal. */
export type Piece = Uint8Array | TerminalSize;

const WORDS = [
  "a",
  "bc",
  "def",
  "hello",
  "  ",
  "漢字",
  "テ",
  "😀",
  "e\u0301",
  "👩\u200d💻",
  "❤\ufe0f",
  "q",
  "│",
  "🇨🇿",
  "\u200b",
  "👍🏽",
  "ｱ",
];
const CONTROLS = ["\r\n", "\n", "\r", "\b", "\t", "\x0b", "\x0c", "\x0e", "\x0f", "\x07"];
const MODES =
  "1 4 5 6 7 8 9 12 25 40 45 47 66 67 69 1000 1002 1003 1004 1005 1006 1007 1015 1016 1035 1036 1039 1045 1047 1048 1049 2004 2026 2027 2031 2033 2048";
const ATTRIBUTES =
  "0 1 2 3 4 5 7 8 9 21 22 24 27 4:3 4:5 31 44 103 38;5;200 48;5;17 48;2;1;2;3 38;2;9;8;7 58;5;9 58:2::1:2:3 59 39 49 53";
const FINALS = "A B C D E F G d X P L M @ S T Z I ` a e b J K";
const ESCAPES = "7 8 D M E H = > (0 (B )0 *0 (A n o N O } V W #8 |";
const KEYBOARD = ">1u >5u >31u <u <2u =3;1u =2;2u =1;3u >4;1m >4;2m >4m >1s >0s";
const OTHER = '1"q 0"q 3g g 0W ?J ?K ?1K ?2J 1J 2J 3J 1K 2K 4h 4l 20h 20l r m 1$} 0$} !p s u';
const OPENINGS = [
  "\x1b[",
  "\x1b]",
  "\x1bP",
  "\x1b_",
  "\x1b^",
  "\x1bX",
  "\x1b",
  "\x1b[?",
  "\x1b[>",
  "\x1b[38;5",
  "\x1b[:;<=>?m",
];
const HOSTILE = [
  "\x18",
  "\x1a",
  "\x7f",
  "\0",
  "\x05",
  "\x1b\\",
  "\x9b1m",
  "\x1b[99999999999A",
  `\x1b[${"1;".repeat(40)}m`,
  "\x1b[1;1;1;1r",
  "\x1b[0;0H",
  "\x1bP$qm",
  "\x1b]52;c;!",
  "\x1b[65535b",
  "\x1b[?9999h",
];

const pick = (words: string): fc.Arbitrary<string> => fc.constantFrom(...words.split(" "));

/** Everything that a program may write, for a grid of about this size. */
function sequence({ cols, rows }: TerminalSize): fc.Arbitrary<string> {
  const number = fc.oneof(
    fc.constantFrom("", "0", "1", "2", "99"),
    fc.integer({ min: 1, max: Math.max(cols, rows) + 3 }).map(String),
  );
  const csi = (body: fc.Arbitrary<string>): fc.Arbitrary<string> => body.map((text) => `\x1b[${text}`);
  const words = fc.oneof(
    { weight: 8, arbitrary: fc.constantFrom(...WORDS) },
    {
      weight: 1,
      arbitrary: fc.integer({ min: cols - 4, max: cols * 2 + 4 }).map((length) => "x".repeat(Math.max(1, length))),
    },
  );
  return fc.oneof(
    { weight: 6, arbitrary: words },
    { weight: 3, arbitrary: fc.constantFrom(...CONTROLS) },
    {
      weight: 3,
      arbitrary: csi(fc.tuple(pick(ATTRIBUTES), pick(ATTRIBUTES)).map(([first, second]) => `${first};${second}m`)),
    },
    { weight: 2, arbitrary: csi(fc.tuple(number, number).map(([row, col]) => `${row};${col}H`)) },
    { weight: 3, arbitrary: csi(fc.tuple(number, pick(FINALS)).map(([count, final]) => count + final)) },
    {
      weight: 2,
      arbitrary: csi(
        fc.tuple(pick(MODES), fc.constantFrom("h", "l", "s", "r")).map(([mode, final]) => `?${mode}${final}`),
      ),
    },
    {
      weight: 2,
      arbitrary: csi(
        fc.tuple(number, number, fc.constantFrom("r", "s")).map(([from, to, final]) => `${from};${to}${final}`),
      ),
    },
    { weight: 2, arbitrary: pick(ESCAPES).map((text) => `\x1b${text}`) },
    {
      weight: 2,
      arbitrary: csi(
        fc.oneof(
          pick(KEYBOARD),
          pick(OTHER),
          fc.integer({ min: 0, max: 6 }).map((shape) => `${shape} q`),
        ),
      ),
    },
    { weight: 1, arbitrary: fc.constantFrom("\x1b[?1049h", "\x1b[?1049l", "\x1b]8;;\x1b\\") },
    { weight: 1, arbitrary: command() },
  );
}

function command(): fc.Arbitrary<string> {
  const color = fc.integer({ min: 0, max: 99 }).map((red) => `rgb:${String(red).padStart(2, "0")}/20/30`);
  const digit = fc.integer({ min: 0, max: 9 });
  const body = fc.oneof(
    fc.tuple(fc.constantFrom("", "id=a", "id=b"), digit).map(([id, page]) => `8;${id};https://example.org/${page}`),
    digit.map((title) => `2;title ${title}`),
    digit.map((folder) => `7;file:///d${folder}`),
    fc.tuple(digit, color).map(([index, value]) => `4;${index};${value}`),
    fc.tuple(fc.constantFrom("10", "11", "12"), color).map(([kind, value]) => `${kind};${value}`),
    fc.constantFrom("104", "104;3", "110", "112", "22;pointer", "22;text", "22;wait"),
    fc.constantFrom("A", "B", "C", "D", "P", "I", "P;k=c").map((mark) => `133;${mark}`),
  );
  return fc.tuple(body, fc.constantFrom("\x07", "\x1b\\")).map(([text, end]) => `\x1b]${text}${end}`);
}

const validBytes = (size: TerminalSize): fc.Arbitrary<Uint8Array> =>
  sequence(size).map((text) => Buffer.from(text, "utf8"));

function brokenBytes(size: TerminalSize): fc.Arbitrary<Uint8Array> {
  return fc.oneof(
    fc.constantFrom(...OPENINGS, ...HOSTILE).map((text) => Buffer.from(text, "latin1")),
    fc.uint8Array({ minLength: 1, maxLength: 4 }),
    fc.tuple(validBytes(size), fc.nat(5)).map(([bytes, count]) => bytes.subarray(0, count)),
  );
}

/** As many bytes of valid and broken sequences, the same ones for the same seed. */
export function hostileStream({ cols, rows, seed, bytes }: TerminalSize & { seed: number; bytes: number }): Uint8Array {
  const piece = fc.oneof(validBytes({ cols, rows }), brokenBytes({ cols, rows }));
  const [some = []] = fc.sample(fc.array(piece, { minLength: 5_000, maxLength: 5_000, size: "max" }), {
    seed,
    numRuns: 1,
  });
  const once = Buffer.concat(some);
  return Buffer.concat(Array.from({ length: Math.ceil(bytes / once.length) }, () => once));
}

/** Output of a program that does everything at once: valid sequences, broken ones, plain bytes, and new sizes between them. */
export function outputArbitrary(size: TerminalSize, length: number): fc.Arbitrary<Piece[]> {
  const [valid, broken] = [validBytes(size), brokenBytes(size)];
  const resize = fc.record({
    cols: fc.integer({ min: 2, max: size.cols * 2 }),
    rows: fc.integer({ min: 2, max: size.rows * 2 }),
  });
  return fc.array(
    fc.oneof({ weight: 20, arbitrary: valid }, { weight: 2, arbitrary: broken }, { weight: 1, arbitrary: resize }),
    { minLength: 1, maxLength: length, size: "max" },
  );
}

export function playPieces(pieces: readonly Piece[], player: Player): void {
  for (const piece of pieces) {
    if (piece instanceof Uint8Array) player.write(piece);
    else player.resize(piece.cols, piece.rows);
  }
}

/** The pieces before and behind a cut, which may fall into a piece. */
export function cutPieces(pieces: readonly Piece[], index: number, within: number): [before: Piece[], behind: Piece[]] {
  const at = index % (pieces.length + 1);
  const piece = pieces[at];
  if (!(piece instanceof Uint8Array)) return [pieces.slice(0, at), pieces.slice(at)];
  const count = within % (piece.length + 1);
  return [
    [...pieces.slice(0, at), piece.subarray(0, count)],
    [piece.subarray(count), ...pieces.slice(at + 1)],
  ];
}
