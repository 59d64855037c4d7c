import { readSync } from "node:fs";
import { decodeUtf8, LIMITS } from "@pohunek/protocol/wire";
import { usageError } from "../command-line/usage-error.ts";

const IN = 0;
/** Somebody made the descriptor non-blocking: look again after this long. */
const RETRY_MS = 10;

/** All of standard input as text, at most what one input may carry. */
export function readStandardInput(): string {
  const buffer = Buffer.alloc(LIMITS.inputTextBytes + 1);
  let length = 0;
  while (length < buffer.length) {
    const count = readSome(buffer, length);
    if (count === 0) break;
    length += count;
  }
  if (length > LIMITS.inputTextBytes) {
    throw usageError(`standard input has more than the ${LIMITS.inputTextBytes} bytes that one input may carry`);
  }
  const text = decodeUtf8(buffer.subarray(0, length));
  if (text === undefined) throw usageError("standard input is not UTF-8 text");
  return text;
}

/** One line that a person types. Undefined at the end of input. */
export function readAnswer(): string | undefined {
  const buffer = Buffer.alloc(1_024);
  const count = readSome(buffer, 0);
  return count === 0 ? undefined : buffer.subarray(0, count).toString("utf8").trim();
}

function readSome(buffer: Buffer, offset: number): number {
  for (;;) {
    try {
      return readSync(IN, buffer, offset, buffer.length - offset, null);
    } catch (cause) {
      const { code } = cause as NodeJS.ErrnoException;
      if (code === "EOF") return 0;
      if (code !== "EAGAIN") throw cause;
      Bun.sleepSync(RETRY_MS);
    }
  }
}
