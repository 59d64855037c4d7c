import { basename } from "node:path";
import type { Platform } from "../platform/index.ts";
import type { ForegroundGroup } from "../worker-api/inspection.ts";

export interface ForegroundWatchOptions {
  readonly platform: Platform;
  readonly terminal: number;
  readonly onChange: (foreground: ForegroundGroup) => void;
}

/**
 * The kernel announces no change of the foreground group, but one nearly always comes with input or output, a little
 * later: so it is looked up this long after activity, and never while a session is idle.
 */
const LOOK_AFTER_MS = 100;

export class ForegroundWatch implements Disposable {
  readonly #options: ForegroundWatchOptions;
  #current: ForegroundGroup | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: ForegroundWatchOptions) {
    this.#options = options;
  }

  /** As last seen. */
  get current(): ForegroundGroup | undefined {
    return this.#current;
  }

  /** Something was typed or printed. */
  noteActivity(): void {
    this.#timer ??= setTimeout(() => {
      this.#timer = undefined;
      this.look();
    }, LOOK_AFTER_MS);
  }

  /** Asks the kernel now. */
  look(): ForegroundGroup | undefined {
    const seen = this.#read();
    if (seen && !isSame(seen, this.#current)) {
      this.#current = seen;
      this.#options.onChange(seen);
    }
    return this.#current;
  }

  /** A group without a living leader keeps what was known of it. */
  #read(): ForegroundGroup | undefined {
    const { platform, terminal } = this.#options;
    const pgid = platform.pty.foregroundGroup(terminal);
    const leader = pgid === undefined ? undefined : platform.processes.read(pgid);
    if (pgid === undefined || !leader) {
      return pgid === undefined || pgid === this.#current?.pgid ? undefined : { pgid };
    }
    const cwd = platform.processes.readCwd(pgid);
    return {
      pgid,
      start_identity: leader.startIdentity,
      program: basename(leader.program),
      ...(cwd === undefined ? {} : { cwd }),
    };
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }
}

function isSame(left: ForegroundGroup, right: ForegroundGroup | undefined): boolean {
  return (
    left.pgid === right?.pgid &&
    left.start_identity === right.start_identity &&
    left.program === right.program &&
    left.cwd === right.cwd
  );
}
