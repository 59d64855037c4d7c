/** Sequences by which a program asks its terminal something, by their last byte; the text stands between `ESC [` and its end. */
const CONTROL_QUESTIONS: Readonly<Record<string, RegExp>> = {
  // Device attributes. `CSI ? 6 c` sets the cursor of the Linux console.
  c: /^[>=]?0?c$/,
  // Status, position, colour scheme. `CSI > 4 n` sets a keyboard mode.
  n: /^\??[\d;]*n$/,
  // DECRQM
  p: /^\??[\d;]*\$p$/,
  // XTVERSION
  q: /^>\d*q$/,
  // Size, position and titles of the window; other numbers change it.
  t: /^(?:1[1345689]|2[01])(?:;\d*)*t$/,
  // Kitty keyboard, DECRQTSR, DECRQUPSS
  u: /^(?:\?\d*|\d*\$|&)u$/,
  // DECREQTPARM
  x: /^[01]?x$/,
  // DECRQCRA
  y: /^[\d;]*\*y$/,
  // DECRQPSR
  w: /^\d*\$w$/,
  // XTSMGRAPHICS; the other two actions change something.
  S: /^\?\d+;[14](?:;\d*)*S$/,
  // XTQMODKEYS, XTQFMTKEYS
  m: /^\?\d*m$/,
  g: /^\?\d*g$/,
  // XTREPORTCOLORS, XTREPORTSGR, DECRQLP, DECRQDE
  R: /^#R$/,
  "|": /^(?:[\d;]*#|\d*')\|$/,
  v: /^"v$/,
};

const OSC_QUESTIONS: readonly RegExp[] = [
  // Palette and special colours, in pairs; a list that also sets one is no mere question.
  /^[45];\d+;\?(?:;\d+;\?)*$/,
  // Dynamic colours
  /^1\d(?:;\?)+$/,
  // Kitty's colours
  /^21(?:;[^;=]+=\?)+$/,
  // Property, pointer shape, font, locale
  /^(?:3|22|50|702);\?/,
  /^7501;\?$/,
  // Desktop notifications: what is supported
  /^99;(?:[^;]*:)?p=\?(?:[:;]|$)/,
  /^1337;(?:ReportCellSize|ReportVariable=.*|Capabilities)$/,
  // Kitty's clipboard
  /^5522;(?:[^;]*:)?type=read(?:[:;]|$)/,
];
const SEMICOLON = 0x3b;
const ZERO = 0x30;
const CLIPBOARD_QUESTION = /^52;[^;]*;\?$/;

/** Numbers of OSC strings that may be questions, or copies. */
const OSC_NUMBERS: ReadonlySet<number> = new Set([
  3, 4, 5, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 21, 22, 50, 52, 99, 702, 1337, 5522, 7501,
]);
const OSC_PREFIXES: ReadonlySet<number> = new Set([...OSC_NUMBERS].flatMap(prefixesOf));

function prefixesOf(number: number): number[] {
  return number < 10 ? [number] : [number, ...prefixesOf(Math.floor(number / 10))];
}

export function isControlQuestion(text: string): boolean {
  return CONTROL_QUESTIONS[text.at(-1) ?? ""]?.test(text) ?? false;
}

/** `text` is the string without its introducer and end. */
export function isOscQuestion(text: string): boolean {
  return OSC_QUESTIONS.some((question) => question.test(text));
}

export function isClipboardQuestion(text: string): boolean {
  return CLIPBOARD_QUESTION.test(text);
}

/** Whether the OSC string that begins at `from` may be a question, as far as it has come. */
export function mayBecomeOscQuestion(bytes: Uint8Array, from: number): boolean {
  let number = 0;
  for (let at = from; at < bytes.length; at += 1) {
    const byte = bytes[at] as number;
    if (byte === SEMICOLON) return OSC_NUMBERS.has(number);
    if (byte < ZERO || byte > ZERO + 9) return false;
    number = number * 10 + byte - ZERO;
    if (!OSC_PREFIXES.has(number)) return false;
  }
  return true;
}

/** DECRQSS and XTGETTCAP. */
export function isDeviceQuestion(text: string): boolean {
  return text.startsWith("$q") || text.startsWith("+q");
}

/** Kitty graphics: whether the terminal could show a picture. `text` is the string up to its payload. */
export function isGraphicsQuestion(text: string): boolean {
  return /^G(?:[^;]*,)?a=q(?:[,;]|$)/.test(text);
}
