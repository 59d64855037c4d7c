/** A program's output that leaves the terminal in a state worth restoring. */
export interface SyntheticState {
  readonly name: string;
  readonly output: string | Uint8Array;
  /** Why @xterm/headless is not asked: it does not know the property. */
  readonly notInXterm?: string;
}

const repeat = (count: number, line: (index: number) => string): string =>
  Array.from({ length: count }, (_, index) => line(index)).join("");

const text: SyntheticState[] = [
  { name: "one line", output: "uptime\r\n 10:02 up 3 days\r\n" },
  {
    name: "every SGR flag",
    output: "\x1b[1mA\x1b[22;2mB\x1b[22;3mC\x1b[23;5mD\x1b[25;7mE\x1b[27;8mF\x1b[28;9mG\x1b[29;53mH\x1b[m.",
  },
  { name: "underline styles", output: "\x1b[4mA\x1b[4:2mB\x1b[4:3mC\x1b[4:4mD\x1b[4:5mE\x1b[4:0mF" },
  { name: "underline colours", output: "\x1b[4;58;5;208mA\x1b[58:2::10:20:30mB\x1b[59mC\x1b[m" },
  {
    name: "colours of all depths",
    output: "\x1b[33;104mA\x1b[38;5;9;48;5;200mB\x1b[38;2;1;2;3;48;2;4;5;6mC\x1b[39mD\x1b[49mE",
  },
  { name: "pen left dirty", output: "x\x1b[1;4:3;38;5;33;48;2;9;9;9;58:5:3m" },
  { name: "CJK", output: "日本語のテキスト 中文 한국어 tail" },
  { name: "CJK to the last column", output: `${"字".repeat(40)}\r\n${"a"}${"字".repeat(40)}` },
  { name: "combining marks", output: "e\u0301a\u0308 o\u0302\u0323 n\u0303 end" },
  { name: "emoji", output: "😀 🧪 🚀 ok" },
  {
    name: "emoji clusters in mode 2027",
    output: "\x1b[?2027h👩\u200d💻 🇨🇿 👍🏽 ❤\ufe0f end",
    notInXterm: "has no clusters",
  },
  {
    name: "clusters left behind after mode 2027",
    output: "\x1b[?2027h👩\u200d💻👍🏽\x1b[?2027l👩\u200d💻 x",
    notInXterm: "has no clusters",
  },
  { name: "written and unwritten blanks", output: "a   \x1b[12Cb   \r\n\x1b[5C \r\n" },
  { name: "coloured trailing blanks", output: "\x1b[42m    \x1b[0m\r\n\x1b[7m   \x1b[m\r\n" },
];

const erasing: SyntheticState[] = [
  { name: "screen erased in a colour", output: "\x1b[44m\x1b[2J\x1b[3;3Hmenu\x1b[m" },
  {
    name: "lines erased in colours",
    output: "abc\x1b[41m\x1b[K\x1b[m\r\n\x1b[48;5;99m\x1b[2K\x1b[m\r\n\x1b[48;2;3;4;5m\x1b[10X\x1b[m",
  },
  { name: "hole in a coloured line", output: "\x1b[45m\x1b[2K\x1b[10G\x1b[49m\x1b[5X\x1b[m" },
  { name: "scrolled in with a background", output: `\x1b[43m${"\r\n".repeat(30)}text\x1b[m` },
  { name: "inserted and deleted characters", output: "abcdef\x1b[3G\x1b[2@\x1b[8G\x1b[P\x1b[41m\x1b[2G\x1b[@\x1b[m" },
  {
    name: "inserted and deleted lines",
    output: `${repeat(20, (index) => `row ${index}\r\n`)}\x1b[5H\x1b[2L\x1b[12H\x1b[3M`,
  },
  { name: "alignment pattern", output: "E\x1b#8" },
];

const wrapping: SyntheticState[] = [
  {
    name: "wrap due left of the edge",
    output: `${"0123456789".repeat(8)}\x1b[3Z`,
    notInXterm: "stays at the edge",
  },
  {
    name: "wrap due left of the edge where no tab stop is",
    output: `${"0123456789".repeat(8)}\x1b[3Z\x1b[3g`,
    notInXterm: "stays at the edge",
  },
  { name: "wrap pending", output: "0123456789".repeat(8) },
  { name: "wrap pending in colour", output: `\x1b[31;44m${"0123456789".repeat(8)}` },
  { name: "wrap pending after a wide character", output: `${"x".repeat(78)}漢` },
  { name: "long line", output: `${"word ".repeat(60)}end` },
  { name: "long line scrolled", output: `${"lorem ipsum ".repeat(300)}end` },
  { name: "long coloured line scrolled", output: `\x1b[46m${"lorem ipsum ".repeat(300)}end\x1b[m` },
  { name: "wide character wrapped early", output: `${"x".repeat(79)}漢字` },
  { name: "last cell of a wrapped line blanked", output: `${"x".repeat(100)}\x1b[1;79H\x1b[@\x1b[@` },
  { name: "continuation that begins with a blank", output: `${"x".repeat(100)}\r\x1b[X` },
  { name: "line inserted under a wrapped one", output: `${"x".repeat(100)}\x1b[L`, notInXterm: "keeps the pair apart" },
  { name: "history", output: repeat(120, (index) => `entry ${index} \x1b[3${index % 8}mcolour\x1b[m\r\n`) },
  { name: "history longer than is kept", output: repeat(1800, (index) => `${index}\r\n`) },
];

const cursor: SyntheticState[] = [
  { name: "cursor in the middle", output: "text\x1b[13;37H" },
  { name: "cursor hidden", output: "\x1b[?25l" },
  { name: "cursor a blinking bar", output: "\x1b[5 q" },
  { name: "cursor a steady underline", output: "\x1b[4 q" },
  { name: "cursor shape taken back", output: "\x1b[6 q\x1b[0 q" },
  { name: "cursor saved with attributes", output: "\x1b[4;9H\x1b[1;35m\x1b7\x1b[m\x1b[20;30Hlater" },
  {
    name: "cursor saved in origin mode",
    output: "\x1b[5;18r\x1b[?6h\x1b[2;3H\x1b7\x1b[?6l\x1b[H",
  },
  {
    name: "cursor saved while a wrap is pending",
    output: `${"y".repeat(80)}\x1b7\x1b[10;10H`,
  },
  { name: "cursor saved by mode 1048", output: "\x1b[6;6H\x1b[?1048h\x1b[H" },
  { name: "scroll region", output: "head\x1b[4;16r\x1b[9;3Hbody" },
  { name: "scroll region in origin mode", output: "\x1b[4;16r\x1b[?6h\x1b[3;7Hbody" },
  { name: "left and right margins", output: "\x1b[?69h\x1b[11;61s\x1b[4;13Hbody", notInXterm: "has no margins" },
  { name: "tab stops", output: "\x1b[3g\x1b[1;4H\x1bH\x1b[1;30H\x1bH\x1b[1;1H" },
  { name: "no tab stops", output: "\x1b[3g" },
];

const sets: SyntheticState[] = [
  { name: "line drawing", output: "\x1b(0lqqqk\r\nx   x\r\nmqqqj" },
  { name: "shifted out", output: "\x1b)0a\x0eqqq\x0fb\x0e" },
  { name: "single shift pending", output: "\x1b*0a\x1bN" },
  { name: "line drawing saved", output: "\x1b(0\x1b7\x1b(Bplain" },
  { name: "protected cells", output: '\x1b[1"qlocked\x1b[0"qfree' },
  { name: "protection on", output: 'a\x1b[1"qb' },
  { name: "ISO protection", output: "\x1bVlocked\x1bWfree" },
  { name: "link", output: "\x1b]8;;https://example.org/a\x1b\\here\x1b]8;;\x1b\\ there" },
  { name: "link left open", output: "\x1b]8;id=n1;https://example.org/b\x1b\\here" },
  {
    name: "link over several rows",
    output:
      "\x1b[2;5H\x1b]8;;https://example.org/c\x1b\\first\x1b[3;5Hsecond\x1b]8;;\x1b\\\x1b[2;1H|\x1b[3;1H|\x1b[4;1H",
  },
  {
    name: "prompt marks",
    output: "\x1b]133;A\x07$ \x1b]133;B\x07ls\r\n\x1b]133;C\x07a b c\r\n\x1b]133;D;0\x07\x1b]133;A\x07$ ",
  },
];

const modes: SyntheticState[] = [
  { name: "bracketed paste", output: "\x1b[?2004h" },
  { name: "mouse with SGR encoding", output: "\x1b[?1000h\x1b[?1006h" },
  { name: "several mouse modes, the widest last", output: "\x1b[?1000h\x1b[?1002h\x1b[?1003h\x1b[?1006h" },
  { name: "mouse mode reset while another is set", output: "\x1b[?1000h\x1b[?1002h\x1b[?1002l" },
  { name: "mouse in pixels", output: "\x1b[?1003h\x1b[?1016h" },
  { name: "focus reports", output: "\x1b[?1004h" },
  { name: "application keys", output: "\x1b[?1h\x1b=" },
  { name: "insert and no wrap", output: "abc\x1b[4h\x1b[?7l" },
  { name: "line feed is new line", output: "\x1b[20h" },
  { name: "reverse video", output: "\x1b[?5h" },
  { name: "synchronized output", output: "\x1b[?2026hhalf a frame" },
  { name: "size, colour and visibility reports", output: "\x1b[?2048h\x1b[?2031h\x1b[?2033h" },
  { name: "kitty keyboard", output: "\x1b[>5u" },
  { name: "kitty keyboard stack", output: "\x1b[=1;1u\x1b[>3u\x1b[>15u" },
  { name: "kitty keyboard stack overflown", output: repeat(11, (index) => `\x1b[>${index + 1}u`) },
  { name: "modify other keys", output: "\x1b[>4;2m" },
  { name: "wheel and backspace preferences", output: "\x1b[?1007l\x1b[?67h\x1b[?1036l" },
  { name: "modes saved", output: "\x1b[?2004h\x1b[?2004s\x1b[?2004l\x1b[?1000h\x1b[?1000s\x1b[?1000l" },
];

const screens: SyntheticState[] = [
  {
    name: "alternate screen scrolled away as a whole",
    output: `\x1b[?1049h${repeat(5, (index) => `row ${index}\r\n`)}${"x".repeat(81)}\x1b[22Jnew`,
    notInXterm: "does not know the sequence",
  },
  {
    name: "alternate screen entered with a wrap due",
    output: `${"x".repeat(80)}\x1b[?1049h`,
    notInXterm: "enters it without",
  },
  {
    name: "default cursor asked for on the alternate screen",
    output: "\x1b[5 q$ \x1b[?1049h\x1b[0 q\x1b[?1049l",
  },
  { name: "alternate screen", output: "shell$ edit\r\n\x1b[?1049h\x1b[2J\x1b[H\x1b[32m~\x1b[m editor\x1b[7;7H" },
  { name: "alternate screen by 47", output: "below\x1b[?47habove" },
  { name: "alternate screen by 1047", output: "below\x1b[?1047habove" },
  { name: "alternate screen left", output: "\x1b[?1049heditor\x1b[?1049lshell" },
  { name: "alternate screen left with content by 47", output: "shell\x1b[?47h\x1b[31mkept\x1b[?47l" },
  { name: "alternate screen with own keyboard stack", output: "\x1b[>1ushell\x1b[?1049h\x1b[>7ueditor" },
  { name: "alternate screen over history", output: `${repeat(60, (index) => `line ${index}\r\n`)}\x1b[?1049hcover` },
  { name: "alternate screen with a saved cursor", output: "\x1b[5;5H\x1b7\x1b[?1049h\x1b[9;9H\x1b[34m\x1b7\x1b[H" },
];

const facts: SyntheticState[] = [
  {
    name: "prompt mark taken off a wrapped row",
    output: `\x1b]133;A\x07${"p".repeat(85)}\r\x1b]133;C\x07\x1b[5Ctext`,
    notInXterm: "has no prompt marks",
  },
  {
    name: "prompt mark taken off a row that one character fills",
    output: `\x1b]133;A\x07${"p".repeat(160)}\x1b[2;1H\x1b]133;C\x07`,
    notInXterm: "has no prompt marks",
  },
  { name: "title", output: "\x1b]2;build ✓ done\x1b\\" },
  { name: "directory", output: "\x1b]7;file://host/srv/data\x1b\\" },
  { name: "palette", output: "\x1b]4;2;rgb:10/20/30\x1b\\\x1b[32mgreen\x1b[m" },
  { name: "default colours", output: "\x1b]10;#aabbcc\x1b\\\x1b]11;#101010\x1b\\\x1b]12;#ff0000\x1b\\" },
  { name: "pointer shape", output: "\x1b]22;pointer\x1b\\" },
];

/** What users complained about elsewhere (cursor, history and characters after a re-attach), and what random output has found. */
const complaints: SyntheticState[] = [
  {
    name: "region, origin mode and a wrap that is due, over 200 lines",
    output: `${repeat(200, (index) => `line ${index + 1}\r\n`)}\x1b[5;17H\x1b[3;20r\x1b[?6h\x1b[3;78Habc`,
  },
  {
    name: "screen cleared with lines above",
    output: `${repeat(40, (index) => `${index + 1}\r\n`)}\x1b[H\x1b[2J$ `,
  },
  { name: "synchronized output begun and ended", output: "\x1b[?2026$p\x1b[?2026hframe\x1b[?2026l\x1b[?2026$p" },
  { name: "boxes as wide as the screen", output: repeat(30, () => `┌${"─".repeat(78)}┐\r\n`) },
  { name: "character before a cut dash", output: Uint8Array.of(0x63, 0x6c, 0x65, 0x61, 0x6e, 0xe2, 0x80) },
  { name: "emoji behind a full history", output: `${repeat(820, () => `${"x".repeat(78)}\r\n`)}😀` },
  {
    name: "ten wide characters and a line that ends at the edge",
    output: `日本語のテキスト漢字\r\n${"漢".repeat(40)}`,
  },
  {
    name: "attributes of more than 24 parameters",
    output: "\x1b[1;2;3;5;7;9;53m\x1b[4:3m\x1b[38;2;1;2;3m\x1b[48;2;4;5;6m\x1b[58:2::7:8:9mA",
  },
  {
    name: "wrapped below the scroll region",
    output: `\x1b[3;10r\x1b[24;1H${"abcdefghij".repeat(9)}`,
  },
  {
    name: "zero width space before mode 2027",
    output: "a\u200bb\x1b[?2027h",
  },
  { name: "character repeated on a screen without room", output: "x\x1b#8" },
  { name: "screen modes saved", output: "\x1b[?1049h\x1b[?1049;1047s\x1b[?1049lx" },
  {
    name: "prompt mark with a background",
    output: "\x1b[44ma\x1b]133;A\x07\x1b[3;1H",
  },
  {
    name: "unused last column in another colour",
    output: `\x1b[41m${"x".repeat(79)}漢\r\x1b[m字`,
  },
];

const unfinished: SyntheticState[] = [
  { name: "inside CSI", output: "abc\x1b[38;2;10;2" },
  { name: "inside OSC", output: "abc\x1b]2;half a ti" },
  { name: "inside DCS", output: "abc\x1bP$qr" },
  { name: "after ESC", output: "abc\x1b" },
  { name: "inside a character", output: Uint8Array.of(0x61, 0xe6, 0xbc) },
  { name: "inside an emoji", output: Uint8Array.of(0x61, 0xf0, 0x9f) },
];

export const SYNTHETIC_STATES: readonly SyntheticState[] = [
  text,
  erasing,
  wrapping,
  cursor,
  sets,
  modes,
  screens,
  facts,
  complaints,
  unfinished,
].flat();

/** What the program writes next: each makes something visible that no cell shows. */
export const PROBES: Readonly<Record<string, string>> = {
  nothing: "",
  "a character": "Z",
  "repeated character": "\x1b[3b",
  "restored cursor": "\x1b8R",
  tabs: "\tT\tU\x1b[Z\x1b[Zv",
  "line feeds": "\r\n\n\nN",
  "text over the edge": "\x1b[1;77Hwrapped text",
  "scrolling at the bottom": "\x1b[24;1H\r\nq\r\nq",
  "scrolling back": "\x1b[1;1H\x1bM\x1bMtop",
  "return to the main screen": "\x1b[?1049lQ",
  "other screen and back": "\x1b[?47hO\x1b[?47lP",
  "keyboard pop": "\x1b[<u\x1b[<u",
  "selective erase": "\x1b[3;1H\x1b[?J\x1b[J",
  "rest of a sequence": "1;1m|\x07\x1b\\!",
  "restored modes": "\x1b[?1000;2004r",
  "erased screen": "\x1b[2J\x1b[HE",
  "combining mark": "\u0301",
};
