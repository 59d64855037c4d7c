import { createHmac, randomBytes } from "node:crypto";
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  openSync,
  readSync,
  unlinkSync,
  writeSync,
} from "node:fs";
import { protocolError } from "@pohunek/protocol/wire";

const KEY_BYTES = 32;
const OPEN_TO_OTHERS = 0o077;

/**
 * The secret of this host under which revisions of profiles are made: without it nobody can tell from a revision what a
 * profile holds. Made on first use. Whatever is wrong with it is agent_profile_revision_unavailable: there is no revision
 * without it.
 */
export class ProfileKey {
  readonly #path: string;
  readonly #uid: number;

  constructor(path: string, uid: number) {
    this.#path = path;
    this.#uid = uid;
  }

  /** A digest of the parts, in hexadecimal, that another host would not make. `purpose` keeps kinds of digests apart. */
  digest(purpose: string, parts: readonly (string | null)[]): string {
    // As JSON no two lists look the same.
    return createHmac("sha256", this.#read())
      .update(JSON.stringify([purpose, ...parts]))
      .digest("hex");
  }

  #read(): Uint8Array {
    try {
      return this.#open() ?? this.#make() ?? refuse("vanished");
    } catch (cause) {
      throw protocolError("agent_profile_revision_unavailable", {
        message: `the key for the revisions of profiles can't be used (${codeOf(cause)})`,
        recover: "See to it that profile-revision.key in the data folder is this user's and private.",
      });
    }
  }

  #open(): Uint8Array | undefined {
    let fd: number;
    try {
      fd = openSync(this.#path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
    } catch (cause) {
      if (codeOf(cause) === "ENOENT") return undefined;
      throw cause;
    }
    try {
      const { uid, mode, size } = fstatSync(fd);
      if (uid !== this.#uid || (mode & OPEN_TO_OTHERS) !== 0) return refuse("not private");
      const key = new Uint8Array(KEY_BYTES);
      return size === KEY_BYTES && readSync(fd, key, 0, KEY_BYTES, 0) === KEY_BYTES ? key : refuse("damaged");
    } finally {
      closeSync(fd);
    }
  }

  /** Written in full under another name first: of two that make a key at the same time both use the same one. */
  #make(): Uint8Array | undefined {
    const temporary = `${this.#path}.${process.pid}.${randomBytes(8).toString("hex")}`;
    const fd = openSync(temporary, constants.O_WRONLY | constants.O_CREAT | constants.O_EXCL, 0o600);
    try {
      writeSync(fd, randomBytes(KEY_BYTES));
      fsyncSync(fd);
      linkSync(temporary, this.#path);
    } catch (cause) {
      if (codeOf(cause) !== "EEXIST") throw cause;
    } finally {
      closeSync(fd);
      unlinkSync(temporary);
    }
    return this.#open();
  }
}

function refuse(code: string): never {
  throw Object.assign(new Error("the key is not usable"), { code });
}

function codeOf(cause: unknown): string {
  const { code } = cause as { code?: unknown };
  return typeof code === "string" ? code : "unknown";
}
