import type { LibraryCalls } from "./libc.ts";

/** termios is 60 bytes on Linux and 72 on Darwin. */
const SETTINGS_BYTES = 128;
/** Now, and without dropping input: waiting for output to drain could wait for a stopped terminal. */
const TCSANOW = 0;

/** Holds a terminal in raw mode. Giving it back twice is harmless; what it gets back is what it had at first. */
export class RawMode implements Disposable {
  readonly #calls: LibraryCalls;
  readonly #fd: number;
  readonly #before: Uint8Array;
  #isOn = false;

  constructor(calls: LibraryCalls, fd: number) {
    this.#calls = calls;
    this.#fd = fd;
    this.#before = new Uint8Array(SETTINGS_BYTES);
    if (calls.tcgetattr(fd, this.#before) !== 0) throw new Error(`descriptor ${fd} is not a terminal`);
  }

  enter(): void {
    const raw = this.#before.slice();
    this.#calls.cfmakeraw(raw);
    this.#isOn = true;
    this.#set(raw);
  }

  leave(): void {
    if (!this.#isOn) return;
    this.#isOn = false;
    this.#set(this.#before);
  }

  [Symbol.dispose](): void {
    this.leave();
  }

  /** A terminal that has hung up has no mode any more; that is no failure of the one who gives it back. */
  #set(settings: Uint8Array): void {
    this.#calls.tcsetattr(this.#fd, TCSANOW, settings);
  }
}
