import type { BigIntStats } from "node:fs";
import { closeSync, constants, lstatSync, mkdirSync, openSync, renameSync, rmSync } from "node:fs";
import { join } from "node:path";
import type { ProtocolError } from "@pohunek/protocol/wire";
import { isProtocolError, protocolError } from "@pohunek/protocol/wire";
import type { FileCalls } from "../../platform/index.ts";
import { readPrivateFile, writeNewFile } from "./private-file.ts";
import type { RegistryState } from "./registry-state.ts";
import { decodeRegistry, EMPTY_STATE, encodeRegistry, REGISTRY_LIMITS } from "./registry-state.ts";

const FILE = "registry.json";
const STAGED = "registry.json.new";
const LOCK = "registry.lock";
const MODE = 0o600;

export interface RegistryFileOptions {
  /** The folder of the package roots. */
  readonly folder: string;
  readonly uid: number;
  readonly files: Pick<FileCalls, "tryLock" | "syncDirectory">;
}

export interface Change<Result> {
  readonly state?: RegistryState;
  readonly result: Result;
  /** What is done once the state is durable, while nobody else changes anything yet. */
  readonly afterwards?: () => void;
}

/**
 * registry.json: replaced as a whole by rename, changed by who holds the lock beside it. Several processes may use it: the
 * daemon and the command that installs the official packages.
 */
export class RegistryFile {
  readonly #options: RegistryFileOptions;
  readonly #path: string;

  constructor(options: RegistryFileOptions) {
    this.#options = options;
    this.#path = join(options.folder, FILE);
  }

  /** Changes when the file was replaced: cheap to ask before each use. */
  identity(): string {
    let stat: BigIntStats | undefined;
    try {
      stat = lstatSync(this.#path, { bigint: true, throwIfNoEntry: false });
    } catch {
      // The folder does not let itself be asked: reading will say what is wrong.
      return "unreadable";
    }
    return stat === undefined ? "absent" : [stat.dev, stat.ino, stat.size, stat.mtimeNs, stat.ctimeNs].join(" ");
  }

  /** An absent file is an empty registry. Fails with package_registry_failed for one that cannot be trusted. */
  read(): RegistryState {
    const { uid } = this.#options;
    const bytes = readPrivateFile(this.#path, { uid, maxBytes: REGISTRY_LIMITS.bytes, mode: MODE });
    if (bytes === "missing") return EMPTY_STATE;
    const state = typeof bytes === "string" ? undefined : decodeRegistry(bytes);
    if (state === undefined) {
      const what = typeof bytes === "string" ? `is ${bytes}` : "does not hold what it must";
      throw failed(`the package registry ${what}; it was left as it is`);
    }
    return state;
  }

  /**
   * Runs `change` while no other process changes anything, and writes the state that it returns with the next generation;
   * without one nothing is written. Fails with package_registry_busy at once when another change runs.
   */
  change<Result>(change: (state: RegistryState) => Change<Result>): Result {
    const { folder } = this.#options;
    using _lock = this.#lock();
    const before = this.read();
    const { state, result, afterwards } = change(before);
    if (state === undefined) return result;
    try {
      const staged = join(folder, STAGED);
      rmSync(staged, { force: true });
      writeNewFile(staged, encodeRegistry({ ...state, generation: before.generation + 1 }), MODE);
      renameSync(staged, this.#path);
      this.#options.files.syncDirectory(folder);
    } catch (cause) {
      throw failed("the package registry cannot be written", cause);
    }
    afterwards?.();
    return result;
  }

  #lock(): Disposable {
    const { folder, files } = this.#options;
    let fd: number | undefined;
    try {
      mkdirSync(folder, { recursive: true, mode: 0o700 });
      fd = openSync(join(folder, LOCK), constants.O_CREAT | constants.O_RDWR | constants.O_NOFOLLOW, MODE);
      if (!files.tryLock(fd)) throw protocolError("package_registry_busy");
    } catch (cause) {
      if (fd !== undefined) closeSync(fd);
      throw isProtocolError(cause) ? cause : failed("the package registry cannot be locked", cause);
    }
    const held = fd;
    return { [Symbol.dispose]: () => closeSync(held) };
  }
}

function failed(message: string, cause?: unknown): ProtocolError {
  return protocolError("package_registry_failed", { message, cause });
}
