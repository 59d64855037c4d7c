import { writeSync } from "node:fs";

const OUT = 1;
const ERRORS = 2;
/** A pipe that somebody made non-blocking is full: look again after this long. */
const RETRY_MS = 2;

/** Nobody reads the output any more (`pohunek ls | head -1`): there is nothing left to do, and nothing to complain to. */
export class OutputClosedError extends Error {
  override readonly name = "OutputClosedError";
}

/** What a command prints. `process.stdout` would cost half a millisecond of each start. */
export interface Output {
  print(text: string): void;
  printBytes(bytes: Uint8Array): void;
  /** For diagnostics. */
  complain(text: string): void;
}

export const standardOutput: Output = {
  print(text) {
    writeAll(OUT, Buffer.from(text));
  },
  printBytes(bytes) {
    writeAll(OUT, bytes);
  },
  complain(text) {
    writeAll(ERRORS, Buffer.from(text));
  },
};

function writeAll(fd: number, bytes: Uint8Array): void {
  let written = 0;
  while (written < bytes.length) {
    try {
      written += writeSync(fd, bytes, written);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code === "EPIPE" || code === "EIO") throw new OutputClosedError("the output was closed", { cause });
      if (code !== "EAGAIN") throw cause;
      Bun.sleepSync(RETRY_MS);
    }
  }
}
