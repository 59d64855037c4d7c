import {
  closeSync,
  constants,
  fchmodSync,
  fstatSync,
  fsyncSync,
  openSync,
  readFileSync,
  realpathSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from "node:fs";
import { dirname, join } from "node:path";
import { isProtocolError, protocolError } from "@pohunek/protocol/wire";

export interface SettingsFileOptions {
  /** The agent's configuration home. */
  readonly home: string;
  /** Path below it. */
  readonly file: string;
  readonly uid: number;
  readonly syncDirectory: (path: string) => void;
}

const WRITABLE_BY_ALL = 0o002;
const MAX_BYTES = 1_048_576;
const NEW_MODE = 0o600;

/**
 * An agent's settings, changed as a whole or not at all: the new content is written beside the old one and takes its place in
 * one step. A link is followed, so settings that live in a folder of their own stay there.
 */
export class SettingsFile {
  /** As the agent calls it. */
  readonly path: string;
  readonly #options: SettingsFileOptions;

  constructor(options: SettingsFileOptions) {
    this.#options = options;
    this.path = join(options.home, options.file);
  }

  /** Undefined when there is none. Fails when it can't be read, or is not its owner's alone to write. */
  read(): string | undefined {
    return this.#guard(() => this.#readAt(this.#target()));
  }

  /** Replaces exactly the content that was read. */
  replace(before: string | undefined, after: string): void {
    this.#guard(() => {
      const target = this.#target();
      const temporary = `${target}.pohunek-new`;
      rmSync(temporary, { force: true });
      try {
        this.#write(temporary, after, this.#modeOf(target));
        this.#ensureStill(target, before);
        renameSync(temporary, target);
      } catch (cause) {
        rmSync(temporary, { force: true });
        throw cause;
      }
      this.#options.syncDirectory(dirname(target));
    });
  }

  /** Takes the file away, if it still has this content. */
  remove(before: string): void {
    this.#guard(() => {
      const target = this.#target();
      this.#ensureStill(target, before);
      rmSync(target);
      this.#options.syncDirectory(dirname(target));
    });
  }

  #target(): string {
    const home = realpathSync(this.#options.home);
    this.#ensureOwn(statSync(home));
    try {
      const target = realpathSync(join(home, this.#options.file));
      this.#ensureOwn(statSync(dirname(target)));
      return target;
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
      return join(home, this.#options.file);
    }
  }

  #readAt(target: string): string | undefined {
    let fd: number;
    try {
      fd = openSync(target, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch (cause) {
      if ((cause as NodeJS.ErrnoException).code === "ENOENT") return undefined;
      throw cause;
    }
    try {
      const stat = fstatSync(fd);
      this.#ensureOwn(stat);
      if (!stat.isFile() || stat.size > MAX_BYTES) {
        throw protocolError("integration_settings_invalid");
      }
      return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(readFileSync(fd));
    } catch (cause) {
      // Not UTF-8.
      if (cause instanceof TypeError) throw protocolError("integration_settings_invalid", { cause });
      throw cause;
    } finally {
      closeSync(fd);
    }
  }

  #ensureOwn({ uid, mode }: { uid: number; mode: number }): void {
    if (uid !== this.#options.uid || (mode & WRITABLE_BY_ALL) !== 0) {
      throw protocolError("integration_path_untrusted");
    }
  }

  #ensureStill(target: string, before: string | undefined): void {
    if (this.#readAt(target) !== before) {
      throw protocolError("integration_io_failed", {
        message: "the agent's settings were changed by somebody else at this moment",
        recover: "Try again.",
      });
    }
  }

  #modeOf(target: string): number {
    return (statSync(target, { throwIfNoEntry: false })?.mode ?? NEW_MODE) & 0o777;
  }

  #write(path: string, content: string, mode: number): void {
    const { O_CREAT, O_EXCL, O_WRONLY, O_NOFOLLOW } = constants;
    const fd = openSync(path, O_CREAT | O_EXCL | O_WRONLY | O_NOFOLLOW, NEW_MODE);
    try {
      const bytes = Buffer.from(content);
      for (let at = 0; at < bytes.length; ) {
        at += writeSync(fd, bytes, at);
      }
      fchmodSync(fd, mode);
      fsyncSync(fd);
    } finally {
      closeSync(fd);
    }
  }

  #guard<Result>(act: () => Result): Result {
    try {
      return act();
    } catch (cause) {
      if (isProtocolError(cause)) throw cause;
      const { code = "unknown" } = cause as NodeJS.ErrnoException;
      throw protocolError("integration_io_failed", {
        message: `the agent's settings could not be read or written (${code})`,
        cause,
      });
    }
  }
}
