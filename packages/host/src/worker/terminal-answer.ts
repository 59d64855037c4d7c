/** What a viewer's terminal sent: an answer to a question, something else (a key, the mouse), or not enough to tell. */
export type Reading =
  | {
      readonly type: "answer";
      readonly about: "position" | "clipboard" | "other";
      /** F3 with modifiers is sent like a position in the first row. */
      readonly isMaybeKey: boolean;
      readonly length: number;
    }
  | { readonly type: "other"; readonly length: number }
  /** `isCertain`: it can't be a key any more. */
  | { readonly type: "unfinished"; readonly isCertain: boolean };

const ESC = "\x1b";
/** OSC, DCS, APC */
const STRING_STARTS: readonly (number | undefined)[] = [0x5d, 0x50, 0x5f];
/** Longer than any control sequence that a terminal sends, and than the beginning of a string that says what it is. */
const MOST_CONTROL_BYTES = 64;
const MOST_STRING_BYTES = 8_192;
/** A clipboard of 1 MiB in base64, and more. */
const MOST_CLIPBOARD_BYTES = 2 * 1_048_576;

const CONTROL = /^\x1b\[([<=>?]?)([\d;:]*)([ -/]*)([@-~])/;
const UNFINISHED_CONTROL = /^\x1b\[[=>?]?[\d;:]*[ -/]*$/;
const CERTAIN_CONTROL = /^\x1b\[[=>?]/;
/** Modifiers of a key are a number from 2 to 16. */
const MODIFIED_F3 = /^1;(?:[2-9]|1[0-6])$/;

/** By last byte: prefix, parameters and intermediate bytes of an answer. */
const CONTROL_ANSWERS: Readonly<Record<string, RegExp>> = {
  // Attributes
  c: /^[?>=]/,
  // Status, colour scheme
  n: /^(?:\?|[03]$)/,
  // Position
  R: /^\??\d+;\d+(?:;\d+)?$/,
  // DECRPM
  y: /^\??\d+;\d+\$$/,
  // Kitty keyboard flags
  u: /^\?\d*$/,
  // Window: state, position, sizes; 48 is the size that mode 2048 reports.
  t: /^(?:[1-689]|48)(?:;\d*)*$/,
  // DECREQTPARM
  x: /^[23](?:;\d+){6}$/,
  // XTSMGRAPHICS
  S: /^\?\d/,
  // XTQMODKEYS, XTQFMTKEYS
  m: /^>/,
  f: /^>/,
};

const OSC_ANSWER = /^(?:(?:3|4|5|1\d|21|22|50|52|99|702|1337|5522|7501);|[lL])/;
const OSC_BEGINNING = /^(?:\d{0,4}|\d{1,4};[\s\S]*|[lL][\s\S]*)$/;
/** DECRQSS, XTGETTCAP, XTVERSION, DA3, DECRQCRA, DECRQPSR. */
const DEVICE_ANSWER = /^(?:[01]\$r|[01]\+r|>\||!\||\d+!~|[12]\$u)/;
const DEVICE_BEGINNING = /^(?:[01][$+]?|>|!|\d+!?|[12]\$)?$/;

/** Reads what begins with the ESC at `at`. */
export function readTerminalInput(bytes: Uint8Array, at: number): Reading {
  const text = textOf(bytes, at);
  switch (text[1]) {
    case undefined:
      return { type: "unfinished", isCertain: false };
    case "[":
      return readControl(text);
    case "]":
      return readOsc(text);
    case "P":
      return readDevice(text);
    case "_":
      return readGraphics(text);
    default:
      return { type: "other", length: 1 };
  }
}

/** As much as is needed to tell, as Latin-1: hardly more than the sequence itself, however much stands behind it. */
function textOf(bytes: Uint8Array, at: number): string {
  const isString = STRING_STARTS.includes(bytes[at + 1]);
  const end = isString ? endOfString(bytes, at + 2) : at + MOST_CONTROL_BYTES;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  return buffer.toString("latin1", at, Math.min(end, bytes.length));
}

function endOfString(bytes: Uint8Array, from: number): number {
  const escape = bytes.indexOf(0x1b, from);
  const end = escape === -1 ? bytes.length : escape + 2;
  const bell = bytes.subarray(from, end).indexOf(0x07);
  return bell === -1 ? end : from + bell + 1;
}

function readControl(text: string): Reading {
  const head = text.slice(0, MOST_CONTROL_BYTES);
  const found = CONTROL.exec(head);
  if (found === null) {
    const isUnfinished = text.length < MOST_CONTROL_BYTES && UNFINISHED_CONTROL.test(head);
    return isUnfinished ? { type: "unfinished", isCertain: CERTAIN_CONTROL.test(head) } : { type: "other", length: 1 };
  }
  const [{ length }, prefix = "", parameters = "", intermediate = "", final = ""] = found;
  const shape = prefix + parameters + intermediate;
  if (CONTROL_ANSWERS[final]?.test(shape) !== true) return { type: "other", length };
  const about = final === "R" ? "position" : "other";
  return { type: "answer", about, isMaybeKey: final === "R" && MODIFIED_F3.test(shape), length };
}

function readOsc(text: string): Reading {
  const string = readString(text, true);
  const isClipboard = text.startsWith("52;", 2);
  if (string.end === undefined) {
    const most = isClipboard ? MOST_CLIPBOARD_BYTES : MOST_STRING_BYTES;
    if (string.isBroken || text.length > most || !OSC_BEGINNING.test(text.slice(2, 10))) {
      return { type: "other", length: 1 };
    }
    return { type: "unfinished", isCertain: OSC_ANSWER.test(text.slice(2, 10)) };
  }
  if (!OSC_ANSWER.test(text.slice(2, 10))) return { type: "other", length: 1 };
  return { type: "answer", about: isClipboard ? "clipboard" : "other", isMaybeKey: false, length: string.end };
}

function readDevice(text: string): Reading {
  const body = text.slice(2, 16);
  if (!DEVICE_ANSWER.test(body)) {
    return DEVICE_BEGINNING.test(body)
      ? { type: "unfinished", isCertain: body.length > 1 }
      : { type: "other", length: 1 };
  }
  return readAnswerString(text);
}

function readGraphics(text: string): Reading {
  if (text.length === 2) return { type: "unfinished", isCertain: false };
  return text[2] === "G" ? readAnswerString(text) : { type: "other", length: 1 };
}

function readAnswerString(text: string): Reading {
  const { end, isBroken } = readString(text, false);
  if (end !== undefined) return { type: "answer", about: "other", isMaybeKey: false, length: end };
  if (isBroken || text.length > MOST_STRING_BYTES) return { type: "other", length: 1 };
  return { type: "unfinished", isCertain: true };
}

/** Where a string ends, BEL or ST included; broken when something else ends it. */
function readString(text: string, mayEndWithBell: boolean): { readonly end?: number; readonly isBroken: boolean } {
  const at = text.slice(2).search(/[\x00-\x1f]/) + 2;
  if (at === 1) return { isBroken: false };
  if (mayEndWithBell && text[at] === "\x07") return { end: at + 1, isBroken: false };
  if (text[at] !== ESC) return { isBroken: true };
  if (at + 1 === text.length) return { isBroken: false };
  return text[at + 1] === "\\" ? { end: at + 2, isBroken: false } : { isBroken: true };
}
