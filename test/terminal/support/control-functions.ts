const ascii = (from: number, to: number): string[] =>
  Array.from({ length: to - from + 1 }, (_, index) => String.fromCharCode(from + index));

/** Introducers of what has to be ended, and the reset of the whole terminal. */
const NOT_ALONE = "[]P_^Xc";
const NUMBERS = ["", "1", "2", "3", "5", "20"];
const CHARACTERS = ["\0", "\b", "\t", "\n", "\v", "\f", "\r", "\x0e", "\x0f", " ", "x", "E", "漢"];
const MODES = "1 3 5 6 7 8 9 12 25 40 45 47 66 67 69 1045 1047 1048 1049 2026 2027".split(" ");
const OTHERS = "?J ?K ?1K ?2K ?1J ?2J !p 0$} 1$} 0W ?5W 1;2r 6;6H 1;20H 6;20H 4h 4l 20h 20l".split(" ");

/** Every single thing that a repaint could add: control characters, escapes, control functions, modes, prompt marks, characters. */
export const CONTROL_FUNCTIONS: readonly string[] = [
  ...CHARACTERS,
  ...ascii(0x30, 0x7e)
    .filter((final) => !NOT_ALONE.includes(final))
    .map((final) => `\x1b${final}`),
  "\x1b#8",
  ...ascii(0x40, 0x7e).flatMap((final) => NUMBERS.map((number) => `\x1b[${number}${final}`)),
  ...[...OTHERS, '1"q', '0"q'].map((body) => `\x1b[${body}`),
  ...MODES.flatMap((mode) => ["h", "l", "s", "r"].map((final) => `\x1b[?${mode}${final}`)),
  ...["A", "B", "C", "D", "P", "I", "P;k=c"].map((mark) => `\x1b]133;${mark}\x07`),
];
