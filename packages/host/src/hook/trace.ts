import { closeSync, constants, fstatSync, openSync, renameSync, writeSync } from "node:fs";

export interface TraceEntry {
  readonly handler: string;
  readonly event: string;
  readonly type?: string;
  readonly reason: string;
}

const WORD = /[^A-Za-z0-9_.-]/g;
const WORD_LENGTH = 48;

/** One line that says why something was not delivered, and nothing of what it was. */
export function writeTrace({ path, maxBytes }: { path: string; maxBytes: number }, entry: TraceEntry): void {
  const { handler, event, type, reason } = entry;
  const facts = { handler: word(handler), event: word(event), type, reason };
  const line = Buffer.from(`${JSON.stringify({ at: new Date().toISOString(), ...facts })}\n`);
  try {
    let fd = openTrace(path);
    const stat = fstatSync(fd);
    if (!stat.isFile()) {
      closeSync(fd);
      return;
    }
    // The file and the one before it share the room.
    if (stat.size + line.length > maxBytes / 2) {
      closeSync(fd);
      renameSync(path, `${path}.1`);
      fd = openTrace(path);
    }
    writeSync(fd, line);
    closeSync(fd);
  } catch {
    // ENOSPC, EACCES, ELOOP: a hook that can't tell its trouble must not make more of it.
  }
}

function openTrace(path: string): number {
  const { O_APPEND, O_CREAT, O_WRONLY, O_NOFOLLOW, O_NONBLOCK } = constants;
  return openSync(path, O_APPEND | O_CREAT | O_WRONLY | O_NOFOLLOW | O_NONBLOCK, 0o600);
}

/** Arguments come from a settings file; they are names, or they are cut to look like ones. */
function word(text: string): string {
  return text.replaceAll(WORD, "?").slice(0, WORD_LENGTH);
}
