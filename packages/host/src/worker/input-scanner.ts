import { PasteFollower } from "@pohunek/protocol/wire";

const ESC = 0x1b;
const BEL = 0x07;
const LETTER = { leftBracket: 0x5b, capitalM: 0x4d, capitalO: 0x4f, backslash: 0x5c } as const;
/** DCS, SOS, OSC, PM, APC: what goes on until ST. */
const STRING_STARTS: readonly number[] = [0x50, 0x58, 0x5d, 0x5e, 0x5f];
const PASTE_START_PARAMETERS = "200~";
/** Longest parameters that are looked at; nothing that matters here is longer. */
const PARAMETER_BYTES = 64;
/** Bytes of a mouse report in the oldest encoding, behind `CSI M`. */
const OLD_MOUSE_BYTES = 3;
/**
 * What a terminal sends unasked or in answer, and nobody types: focus, mouse, device attributes and status, positions, modes,
 * window sizes, keyboard flags.
 */
const REPORT = /^(?:[IO]|<.*[Mm]|[0-9;]+M|[0-9;?>=]*[cRnt]|\?.*[uy]|[0-9;]+\$y)$/;
const NOTHING = new Uint8Array(0);

type State = "ground" | "escape" | "control" | "counted" | "string" | "string-escape" | "paste";

/**
 * Follows what one client sends, as far as it matters where one thing ends and the next begins: pastes, escape sequences,
 * characters of several bytes. Plain text passes without a look at each byte.
 */
export class InputScanner {
  #state: State = "ground";
  #parameters = "";
  /** Bytes that still belong to a character or an old mouse report. */
  #missing = 0;
  readonly #paste = new PasteFollower();
  /** End of a paste's text that may be the start of its end mark; not passed on yet. */
  #tail: Uint8Array = NOTHING;
  #hasTyped = false;

  /** Another client's input here would get into the middle of something. */
  get isInside(): boolean {
    return this.#state !== "ground";
  }

  get isPasting(): boolean {
    return this.#state === "paste";
  }

  /** The last `push` had keys or a paste in it, not only what a terminal sends by itself. */
  get hasTyped(): boolean {
    return this.#hasTyped;
  }

  /** Returns the bytes to be passed on: all, but for the start of a paste's end mark, which comes with its rest. */
  push(bytes: Uint8Array): Uint8Array {
    this.#hasTyped = false;
    const all = this.#tail.length === 0 ? bytes : Buffer.concat([this.#tail, bytes]);
    // What was kept back has been looked at.
    let at = this.#tail.length;
    this.#tail = NOTHING;
    while (at < all.length) {
      at = this.#step(all, at);
    }
    if (this.#state !== "paste") {
      return all;
    }
    const held = this.#paste.markBytes;
    // Lent memory: what is kept has to be our own.
    this.#tail = all.slice(all.length - held);
    return all.subarray(0, all.length - held);
  }

  /** Takes what comes next from `at` on, and returns where it stopped. */
  #step(bytes: Uint8Array, at: number): number {
    switch (this.#state) {
      case "ground":
        return this.#passText(bytes, at);
      case "paste":
        return this.#passPaste(bytes, at);
      case "counted":
        return this.#passCounted(bytes, at);
      default:
        this.#passByte(bytes[at] ?? 0);
        return at + 1;
    }
  }

  #passText(bytes: Uint8Array, at: number): number {
    const escape = bytes.indexOf(ESC, at);
    const end = escape === -1 ? bytes.length : escape;
    if (end > at) {
      this.#hasTyped = true;
    }
    if (escape !== -1) {
      this.#state = "escape";
      return escape + 1;
    }
    this.#missing = missingBytes(bytes, at);
    this.#state = this.#missing > 0 ? "counted" : "ground";
    return end;
  }

  #passPaste(bytes: Uint8Array, at: number): number {
    this.#hasTyped = true;
    const end = this.#paste.skip(bytes, at);
    this.#state = this.#paste.isInside ? "paste" : "ground";
    return end;
  }

  #passCounted(bytes: Uint8Array, at: number): number {
    const taken = Math.min(this.#missing, bytes.length - at);
    this.#missing -= taken;
    this.#state = this.#missing > 0 ? "counted" : "ground";
    return at + taken;
  }

  #passByte(byte: number): void {
    switch (this.#state) {
      case "escape":
        this.#begin(byte);
        break;
      case "control":
        this.#continueControl(byte);
        break;
      case "string":
        this.#state = byte === BEL ? "ground" : byte === ESC ? "string-escape" : "string";
        break;
      case "string-escape":
        // Without the backslash the string was broken off by another sequence.
        this.#state = "ground";
        if (byte !== LETTER.backslash) {
          this.#begin(byte);
        }
        break;
      default:
        break;
    }
  }

  /** The byte behind an ESC. */
  #begin(byte: number): void {
    this.#parameters = "";
    if (byte === LETTER.leftBracket) {
      this.#state = "control";
    } else if (byte === LETTER.capitalO) {
      this.#hasTyped = true;
      this.#missing = 1;
      this.#state = "counted";
    } else if (STRING_STARTS.includes(byte)) {
      this.#state = "string";
    } else if (byte !== ESC) {
      // Alt and a key.
      this.#hasTyped = true;
      this.#state = "ground";
    }
  }

  #continueControl(byte: number): void {
    if (byte === ESC) {
      this.#state = "escape";
      return;
    }
    this.#parameters += String.fromCharCode(byte);
    const isFinal = byte >= 0x40 && byte <= 0x7e;
    if (!isFinal && this.#parameters.length <= PARAMETER_BYTES) {
      return;
    }
    if (this.#parameters === "M") {
      this.#missing = OLD_MOUSE_BYTES;
      this.#state = "counted";
      return;
    }
    if (this.#parameters === PASTE_START_PARAMETERS) {
      this.#paste.begin(NOTHING, 0);
    }
    this.#state = this.#paste.isInside ? "paste" : "ground";
    this.#hasTyped ||= !REPORT.test(this.#parameters);
  }
}

/** How many bytes of a UTF-8 character are missing at the end of the text that begins at `from`. */
function missingBytes(bytes: Uint8Array, from: number): number {
  for (let at = bytes.length - 1; at >= from && bytes.length - at <= 3; at -= 1) {
    const byte = bytes[at] ?? 0;
    if (byte < 0x80) {
      return 0;
    }
    if (byte >= 0xc0) {
      const length = byte >= 0xf0 ? 4 : byte >= 0xe0 ? 3 : 2;
      return Math.max(0, length - (bytes.length - at));
    }
  }
  return 0;
}
