import type { ResultOf } from "@pohunek/protocol";
import { ClipboardCopy } from "./clipboard-copy.ts";
import { endOfString, OSC_ENDS } from "./string-end.ts";
import {
  isClipboardQuestion,
  isControlQuestion,
  isDeviceQuestion,
  isGraphicsQuestion,
  isOscQuestion,
  mayBecomeOscQuestion,
} from "./terminal-question.ts";

export interface QuestionFilterOptions {
  readonly policy: NonNullable<ResultOf<"session.attach">["clipboard"]>;
  /** A copy was larger than the policy allows. */
  readonly onOversizedCopy: () => void;
}

/** What a sequence is: `end` is the index behind it. */
type Finding =
  | { readonly type: "pass"; readonly end: number }
  | { readonly type: "question"; readonly end: number }
  /** The bytes end before it can be told. */
  | { readonly type: "unfinished" }
  | { readonly type: "copy"; readonly end: number };

const ESC = 0x1b;
const BEL = 0x07;
const ENQ = 0x05;
const BACKSLASH = 0x5c;
const QUESTION_MARK = 0x3f;
const CONTROL = 0x5b;
const OSC = 0x5d;
const DEVICE = 0x50;
const APPLICATION = 0x5f;
const IDENTIFY = 0x5a;
const ATTRIBUTES = 0x6d;

/** Longer sequences are no questions, whatever they are. */
const MOST_CONTROL_BYTES = 64;
const MOST_STRING_BYTES = 4_096;
const MOST_GRAPHICS_CONTROL_BYTES = 512;
/** `52;` and what is copied to, up to the first byte of the text. */
const COPY_HEAD = /^52;[^;]{0,16};[^?]/;
const MOST_COPY_HEAD_BYTES = 24;

/** Gaps between sequences are mostly shorter than a native search costs. */
const INLINE_SCAN_BYTES = 24;
/** 1 for the last bytes of the control sequences that may be questions. */
const MAY_ASK = new Uint8Array(256);
for (const final of "cnpqtuxywSmgR|v") MAY_ASK[final.charCodeAt(0)] = 1;
/** 1 for the bytes behind an ESC that are looked at more closely. */
const IS_SPECIAL = new Uint8Array(256);
for (const second of [CONTROL, OSC, DEVICE, APPLICATION, IDENTIFY]) IS_SPECIAL[second] = 1;

/**
 * Takes out of the session's output what the local terminal would answer: the host has answered it already, so a second
 * answer would reach the program as typed text. It also holds copies to the clipboard (OSC 52) until they are whole, so that
 * one that is too large does not arrive in part. All else passes as it is. One filter
 * serves one stream. An ESC ends every string of a terminal, so only
 * what follows an ESC is looked at, wherever it stands.
 */
export class QuestionFilter {
  readonly #options: QuestionFilterOptions;
  /** Begins with an ESC, and may be a question when the rest has come. */
  #held: Uint8Array | undefined;
  #copy: ClipboardCopy | undefined;
  /** A whole one that the terminal is to get. */
  #finishedCopy: Uint8Array[] = [];

  constructor(options: QuestionFilterOptions) {
    this.#options = options;
  }

  /** What the terminal gets of these bytes: mostly themselves. */
  take(chunk: Uint8Array): Uint8Array {
    const bytes = chunk.indexOf(ENQ) === -1 ? chunk : chunk.filter((byte) => byte !== ENQ);
    if (this.#held === undefined && this.#copy === undefined) return this.#scan(bytes);
    const held = this.#held;
    this.#held = undefined;
    return this.#scan(held === undefined ? bytes : Buffer.concat([held, bytes]));
  }

  #scan(bytes: Uint8Array): Uint8Array {
    const pieces: Uint8Array[] = [];
    let from = 0;
    let at = 0;
    for (;;) {
      if (this.#copy !== undefined) {
        at = this.#continueCopy(this.#copy, bytes, at);
        if (this.#copy !== undefined) return join(pieces);
        from = at;
        pieces.push(...this.#finishedCopy.splice(0));
      }
      at = findSuspect(bytes, at);
      if (at === bytes.length) break;
      const finding = this.#examine(bytes, at);
      if (finding.type === "pass") {
        at = finding.end;
        continue;
      }
      pieces.push(bytes.subarray(from, at));
      if (finding.type === "unfinished") {
        this.#held = bytes.slice(at);
        return join(pieces);
      }
      if (finding.type === "copy") {
        this.#copy = new ClipboardCopy(this.#options.policy.max_bytes);
        this.#copy.add(bytes.subarray(at, finding.end));
      }
      at = finding.end;
      from = at;
    }
    if (from === 0 && pieces.length === 0) return bytes;
    pieces.push(bytes.subarray(from));
    return join(pieces);
  }

  /** Returns the index behind the copy, or behind its last byte so far. */
  #continueCopy(copy: ClipboardCopy, bytes: Uint8Array, from: number): number {
    const end = endOfString(bytes, from, OSC_ENDS);
    copy.add(bytes.subarray(from, end));
    if (end === bytes.length) return end;
    const isEscape = bytes[end] === ESC;
    if (isEscape && end + 1 === bytes.length) {
      this.#held = bytes.slice(end);
      return bytes.length;
    }
    this.#copy = undefined;
    // Another sequence behind the ESC is looked at by itself.
    const isCut = isEscape && bytes[end + 1] !== BACKSLASH;
    const next = isCut ? end : end + (isEscape ? 2 : 1);
    copy.add(bytes.subarray(end, next));
    if (this.#options.policy.write !== "allow") return next;
    if (copy.isOversized) this.#options.onOversizedCopy();
    else this.#finishedCopy = copy.pieces;
    return next;
  }

  #examine(bytes: Uint8Array, at: number): Finding {
    switch (bytes[at + 1]) {
      case undefined:
        return { type: "unfinished" };
      case CONTROL:
        return examineControl(bytes, at);
      case OSC:
        return this.#examineOsc(bytes, at);
      case DEVICE:
        return examineDevice(bytes, at);
      case APPLICATION:
        return examineGraphics(bytes, at);
      default:
        return { type: "question", end: at + 2 };
    }
  }

  #examineOsc(bytes: Uint8Array, at: number): Finding {
    const body = at + 2;
    if (!mayBecomeOscQuestion(bytes, body)) return { type: "pass", end: body };
    const head = latin1(bytes, body, body + MOST_COPY_HEAD_BYTES);
    if (COPY_HEAD.test(head)) return { type: "copy", end: body };
    const end = endOfString(bytes, body, OSC_ENDS);
    if (end - body > MOST_STRING_BYTES) return { type: "pass", end: body };
    if (end === bytes.length || (bytes[end] === ESC && end + 1 === bytes.length)) return { type: "unfinished" };
    const isEnded = bytes[end] === BEL || bytes[end + 1] === BACKSLASH;
    if (!isEnded || !this.#isQuestion(latin1(bytes, body, end))) return { type: "pass", end };
    return { type: "question", end: bytes[end] === BEL ? end + 1 : end + 2 };
  }

  #isQuestion(text: string): boolean {
    return isClipboardQuestion(text) ? this.#options.policy.read !== "allow" : isOscQuestion(text);
  }
}

/** Index of the next ESC that may begin a question, or the end. Colours and movements are passed over without an object. */
function findSuspect(bytes: Uint8Array, from: number): number {
  const { length } = bytes;
  let at = nextEscape(bytes, from);
  while (at < length) {
    const second = bytes[at + 1];
    if (second !== CONTROL) {
      if (second === undefined || IS_SPECIAL[second] === 1) return at;
      at = nextEscape(bytes, at + 1);
      continue;
    }
    let end = at + 2;
    let byte = 0;
    for (; end < length; end += 1) {
      byte = bytes[end] as number;
      if (byte < 0x20 || byte > 0x3f) break;
    }
    if (end === length) return at;
    if (MAY_ASK[byte] === 1 && (byte !== ATTRIBUTES || bytes[at + 2] === QUESTION_MARK)) return at;
    at = nextEscape(bytes, end);
  }
  return length;
}

function nextEscape(bytes: Uint8Array, from: number): number {
  const inlineEnd = Math.min(bytes.length, from + INLINE_SCAN_BYTES);
  for (let at = from; at < inlineEnd; at += 1) {
    if (bytes[at] === ESC) return at;
  }
  if (inlineEnd === bytes.length) return inlineEnd;
  const found = bytes.indexOf(ESC, inlineEnd);
  return found === -1 ? bytes.length : found;
}

function examineControl(bytes: Uint8Array, at: number): Finding {
  let end = at + 2;
  while (end < bytes.length && (bytes[end] as number) >= 0x20 && (bytes[end] as number) <= 0x3f) end += 1;
  if (end - at > MOST_CONTROL_BYTES) return { type: "pass", end };
  if (end === bytes.length) return { type: "unfinished" };
  return { type: isControlQuestion(latin1(bytes, at + 2, end + 1)) ? "question" : "pass", end: end + 1 };
}

function examineDevice(bytes: Uint8Array, at: number): Finding {
  const body = at + 2;
  const head = latin1(bytes, body, body + 2);
  if (head.length === 2 ? !isDeviceQuestion(head) : !/^[$+]?$/.test(head)) return { type: "pass", end: body };
  return wholeString(bytes, body);
}

function examineGraphics(bytes: Uint8Array, at: number): Finding {
  const body = at + 2;
  const head = latin1(bytes, body, body + MOST_GRAPHICS_CONTROL_BYTES);
  if (head !== "" && !head.startsWith("G")) return { type: "pass", end: body };
  const control = head.split(/[;\x1b]/, 1)[0] ?? "";
  const isWhole = control.length < head.length || head.length === MOST_GRAPHICS_CONTROL_BYTES;
  if (!isWhole) return { type: "unfinished" };
  return isGraphicsQuestion(control) ? wholeString(bytes, body) : { type: "pass", end: body };
}

/** A string that is a question, if it ends as one. */
function wholeString(bytes: Uint8Array, body: number): Finding {
  const end = nextEscape(bytes, body);
  if (end - body > MOST_STRING_BYTES) return { type: "pass", end };
  if (end + 1 >= bytes.length) return { type: "unfinished" };
  return bytes[end + 1] === BACKSLASH ? { type: "question", end: end + 2 } : { type: "pass", end };
}

function latin1(bytes: Uint8Array, from: number, to: number): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString(
    "latin1",
    from,
    Math.min(to, bytes.length),
  );
}

function join(pieces: Uint8Array[]): Uint8Array {
  const filled = pieces.filter((piece) => piece.length > 0);
  return filled.length === 1 ? (filled[0] as Uint8Array) : Buffer.concat(filled);
}
