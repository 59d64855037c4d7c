import { endOfString, OSC_ENDS, STRING_ENDS } from "./string-end.ts";

/** What the scanner tells about a stream of terminal output. Parameters are valid only during the call. */
export interface SequenceListener {
  onCsi(sequence: CsiSequence): void;
  /** ESC, at most one intermediate (0 for none), final. */
  onEscape(intermediate: number, final: number): void;
  /** The first bytes of an OSC string, and whether they are all. */
  onOsc(text: string, isWhole: boolean): void;
}

/** One control sequence. Missing parameters are -1. */
export class CsiSequence {
  /** One of `< = > ?`, or 0. */
  prefix = 0;
  /** The last of the intermediate bytes, or 0. */
  intermediate = 0;
  final = 0;
  count = 0;
  readonly #values = new Int32Array(MAX_PARAMETERS).fill(-1);
  readonly #isSub = new Uint8Array(MAX_PARAMETERS);

  reset(): void {
    this.prefix = 0;
    this.intermediate = 0;
    this.count = 1;
    this.#values[0] = -1;
    this.#isSub[0] = 0;
  }

  digit(digit: number): void {
    const last = this.count - 1;
    const value = this.#values[last] as number;
    if (value < MAX_PARAMETER) this.#values[last] = (value < 0 ? 0 : value * 10) + digit;
  }

  separate(isSub: boolean): void {
    if (this.count >= MAX_PARAMETERS) return;
    this.#values[this.count] = -1;
    this.#isSub[this.count] = isSub ? 1 : 0;
    this.count += 1;
  }

  /** A parameter, or the fallback when it is absent. */
  value(index: number, fallback: number): number {
    const value = index < this.count ? (this.#values[index] as number) : -1;
    return value < 0 ? fallback : value;
  }

  /** True when the parameter belongs to the one before it (`4:3`). */
  isSub(index: number): boolean {
    return index < this.count && this.#isSub[index] === 1;
  }
}

const MAX_PARAMETERS = 32;
const MAX_PARAMETER = 1_000_000;
/** Enough of an OSC string to tell what it sets. */
const OSC_HEAD_BYTES = 64;
/** Gaps between sequences are mostly shorter than a native search costs. */
const INLINE_SCAN_BYTES = 24;

const ESC = 0x1b;
const CAN = 0x18;
const SUB = 0x1a;

const GROUND = 0;
const ESCAPE = 1;
const CSI = 2;
const OSC = 3;
const STRING = 4;

/**
 * Walks terminal output of any cut and reports its control sequences. It is on the path of every byte that is shown, so
 * it skips printable runs by native search and makes no object for a sequence.
 */
export class SequenceScanner {
  readonly #listener: SequenceListener;
  readonly #csi = new CsiSequence();
  readonly #oscHead = new Uint8Array(OSC_HEAD_BYTES);
  #oscLength = 0;
  #intermediate = 0;
  #state = GROUND;

  constructor(listener: SequenceListener) {
    this.#listener = listener;
  }

  /** True between sequences: text written now does not fall into one. */
  get isInGround(): boolean {
    return this.#state === GROUND;
  }

  /** Forgets an unfinished sequence, as CAN does to a terminal. */
  cancel(): void {
    this.#state = GROUND;
  }

  push(bytes: Uint8Array): void {
    let at = 0;
    while (at < bytes.length) {
      switch (this.#state) {
        case GROUND:
          at = this.#skipText(bytes, at);
          break;
        case ESCAPE:
          at = this.#inEscape(bytes, at);
          break;
        case CSI:
          at = this.#inCsi(bytes, at);
          break;
        default:
          at = this.#inString(bytes, at);
      }
    }
  }

  #skipText(bytes: Uint8Array, from: number): number {
    const inlineEnd = Math.min(bytes.length, from + INLINE_SCAN_BYTES);
    for (let at = from; at < inlineEnd; at += 1) {
      if (bytes[at] === ESC) return this.#enterEscape(at);
    }
    const found = inlineEnd === bytes.length ? -1 : bytes.indexOf(ESC, inlineEnd);
    return found === -1 ? bytes.length : this.#enterEscape(found);
  }

  #enterEscape(at: number): number {
    this.#state = ESCAPE;
    this.#intermediate = 0;
    return at + 1;
  }

  #inEscape(bytes: Uint8Array, at: number): number {
    const byte = bytes[at] as number;
    if (byte === ESC) return this.#enterEscape(at);
    if (byte < 0x20) {
      if (byte === CAN || byte === SUB) this.#state = GROUND;
      return at + 1;
    }
    if (byte < 0x30) {
      this.#intermediate = byte;
      return at + 1;
    }
    if (this.#intermediate === 0 && this.#enterString(byte)) return at + 1;
    this.#state = GROUND;
    this.#listener.onEscape(this.#intermediate, byte);
    return at + 1;
  }

  #enterString(byte: number): boolean {
    switch (byte) {
      case 0x5b: // [
        this.#state = CSI;
        this.#csi.reset();
        return true;
      case 0x5d: // ]
        this.#state = OSC;
        this.#oscLength = 0;
        return true;
      case 0x50: // P
      case 0x58: // X
      case 0x5e: // ^
      case 0x5f: // _
        this.#state = STRING;
        return true;
      default:
        return false;
    }
  }

  #inCsi(bytes: Uint8Array, from: number): number {
    const csi = this.#csi;
    for (let at = from; at < bytes.length; at += 1) {
      const byte = bytes[at] as number;
      if (byte >= 0x30 && byte <= 0x39) csi.digit(byte - 0x30);
      else if (byte === 0x3b) csi.separate(false);
      else if (byte === 0x3a) csi.separate(true);
      else if (byte >= 0x40 && byte <= 0x7e) {
        csi.final = byte;
        this.#state = GROUND;
        this.#listener.onCsi(csi);
        return at + 1;
      } else if (byte >= 0x3c && byte <= 0x3f) csi.prefix = byte;
      else if (byte >= 0x20 && byte < 0x30) csi.intermediate = byte;
      else if (byte === ESC) return this.#enterEscape(at);
      else if (byte === CAN || byte === SUB) {
        this.#state = GROUND;
        return at + 1;
      }
      // Other controls act at once, inside the sequence, and do not end it.
    }
    return bytes.length;
  }

  #inString(bytes: Uint8Array, from: number): number {
    const end = endOfString(bytes, from, this.#state === OSC ? OSC_ENDS : STRING_ENDS);
    if (this.#state === OSC) this.#keepOsc(bytes.subarray(from, end));
    if (end === bytes.length) return end;
    const byte = bytes[end] as number;
    if (this.#state === OSC && byte !== CAN && byte !== SUB) this.#endOsc();
    if (byte === ESC) return this.#enterEscape(end);
    this.#state = GROUND;
    return end + 1;
  }

  #keepOsc(bytes: Uint8Array): void {
    const room = OSC_HEAD_BYTES - this.#oscLength;
    if (room > 0) this.#oscHead.set(bytes.subarray(0, room), this.#oscLength);
    // Counted beyond the kept head too, so that the end knows whether the head is all.
    this.#oscLength += bytes.length;
  }

  #endOsc(): void {
    const isWhole = this.#oscLength <= OSC_HEAD_BYTES;
    const head = this.#oscHead.subarray(0, Math.min(this.#oscLength, OSC_HEAD_BYTES));
    this.#listener.onOsc(String.fromCharCode(...head), isWhole);
  }
}
