import { encodeUtf8, protocolError } from "@pohunek/protocol/wire";
import type { LocalTerminal } from "../terminal/local-terminal.ts";

const OUT = 1;
const ERRORS = 2;

/** Nobody reads the output any more (`pohunek ls | head -1`): there is nothing left to do, and nothing to complain to. */
export class OutputClosedError extends Error {
  override readonly name = "OutputClosedError";
}

/** What a command prints. */
export interface Output {
  print(text: string): void;
  printBytes(bytes: Uint8Array): void;
  /** For diagnostics. */
  complain(text: string): void;
}

/** Writes at once, by the C library: `process.stdout` would cost half a millisecond of each start, `node:fs` more than one. */
export class StandardOutput implements Output {
  readonly #terminal: LocalTerminal;

  constructor(terminal: LocalTerminal) {
    this.#terminal = terminal;
  }

  print(text: string): void {
    this.#writeAll(OUT, encodeUtf8(text));
  }

  printBytes(bytes: Uint8Array): void {
    this.#writeAll(OUT, bytes);
  }

  complain(text: string): void {
    this.#writeAll(ERRORS, encodeUtf8(text));
  }

  #writeAll(fd: number, bytes: Uint8Array): void {
    let rest = bytes;
    while (rest.length > 0) {
      const written = this.#terminal.calls.write(fd, rest, rest.length);
      if (written < 0) {
        writeSlowly(fd, rest);
        return;
      }
      rest = rest.subarray(written);
    }
  }
}

/** A pipe that somebody made non-blocking is full: look again after this long. */
const RETRY_MS = 2;

/** The same with the reason of each failure, for what did not go through the first time. */
function writeSlowly(fd: number, bytes: Uint8Array): void {
  const { writeSync } = process.getBuiltinModule("node:fs");
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(fd, bytes, written);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code === "EPIPE" || code === "EIO") throw new OutputClosedError("the output was closed", { cause });
      if (code !== "EAGAIN") {
        throw protocolError("io_error", { message: `the output cannot be written (${code ?? "unknown"})`, cause });
      }
      Bun.sleepSync(RETRY_MS);
    }
  }
}
