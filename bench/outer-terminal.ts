import { closeSync } from "node:fs";
import { platform } from "../packages/host/src/platform/index.ts";
import { Area, Descriptor } from "./descriptor.ts";

export const SCREEN = { cols: 200, rows: 50 } as const;

const READ_BYTES = 65_536;
const TAIL_BYTES = 1_024;
/** A client that is told to hang up has this long to put its terminal in order. */
const CLOSE_MS = 3_000;

export interface OuterCommand {
  readonly argv: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly size?: { readonly cols: number; readonly rows: number };
  readonly cwd?: string;
  /** Gets what is read, but for what `readInto` reads; valid during the call. */
  readonly onOutput?: (bytes: Uint8Array) => void;
}

/** The terminal that a person sits at: a PTY, a program in it, and reads that wait. */
export class OuterTerminal implements Disposable {
  readonly startedAt: number;
  readonly #master: Descriptor;
  readonly #pid: number;
  readonly #area = new Area(READ_BYTES);
  /** The end of what was read, so that a mark is found across two reads. */
  #tail = "";
  readonly #onOutput: OuterCommand["onOutput"];

  constructor({ argv, env, size = SCREEN, cwd = "/", onOutput }: OuterCommand) {
    const file = Bun.which(argv[0] ?? "");
    if (file === null) throw new Error(`${argv[0]} is not on PATH`);
    const pair = platform.pty.open(size);
    this.startedAt = performance.now();
    this.#pid = platform.processes.spawn({ file, argv, env, cwd, terminal: pair.slavePath });
    closeSync(pair.slave);
    this.#master = new Descriptor(pair.master);
    this.#onOutput = onOutput;
  }

  /** Reads until the text was seen; the time when. */
  readUntil(mark: string, timeoutMs = 20_000): number {
    const deadline = performance.now() + timeoutMs;
    let now = performance.now();
    while (now < deadline) {
      const isOpen = this.#readOnce(deadline - now);
      now = performance.now();
      if (this.#tail.includes(mark)) {
        this.#tail = "";
        return now;
      }
      if (!isOpen) break;
    }
    throw new Error(`"${mark}" did not come; the last bytes were ${JSON.stringify(this.#tail.slice(-200))}`);
  }

  /** Reads straight into the area until the text was seen at its end; the number of bytes up to there, and the time. */
  readInto(area: Area, mark: string, timeoutMs: number): { bytes: number; at: number } {
    const wanted = Buffer.from(mark);
    const deadline = performance.now() + timeoutMs;
    let offset = 0;
    while (performance.now() < deadline) {
      if (!this.#master.wait(1_000).canRead) continue;
      const count = this.#master.read(area, offset, READ_BYTES);
      if (count <= 0) break;
      const from = Math.max(0, offset - wanted.length);
      offset += count;
      const at = Buffer.from(area.bytes.buffer, from, offset - from).indexOf(wanted);
      if (at >= 0) return { bytes: from + at, at: performance.now() };
      if (offset === area.bytes.length) throw new Error(`"${mark}" did not come in ${offset} bytes`);
    }
    throw new Error(`"${mark}" did not come, after ${offset} bytes`);
  }

  /** Reads until nothing has come for the gap. */
  readUntilQuiet(gapMs: number, timeoutMs = 5_000): void {
    const deadline = performance.now() + timeoutMs;
    while (performance.now() < deadline && this.#master.wait(gapMs).canRead && this.#readOnce(0));
    this.#tail = "";
  }

  /** Reads and forgets for so long. */
  readFor(ms: number): void {
    const deadline = performance.now() + ms;
    for (let now = performance.now(); now < deadline; now = performance.now())
      if (!this.#readOnce(deadline - now)) return;
  }

  get fd(): number {
    return this.#master.fd;
  }

  /** Reads once what is there (`waitForAny` tells when) into the area; returns how many bytes. */
  readNow(area: Area, offset: number, limit = READ_BYTES): number {
    const count = this.#master.read(area, offset, limit);
    if (count <= 0) throw new Error("the client has ended");
    return count;
  }

  write(text: string): void {
    const area = new Area(text.length);
    area.bytes.set(Buffer.from(text));
    this.#master.write(area, 0, area.bytes.length);
  }

  /** Writes all as fast as the other side takes it, reading all the while, until the mark has come; the time when. */
  pasteUntil(area: Area, mark: string, timeoutMs: number): number {
    const deadline = performance.now() + timeoutMs;
    let offset = 0;
    while (performance.now() < deadline) {
      const { canRead, canWrite } = this.#master.wait(1_000, offset < area.bytes.length);
      if (canWrite)
        offset += Math.max(0, this.#master.write(area, offset, Math.min(4_096, area.bytes.length - offset)));
      if (canRead && !this.#readOnce(0)) break;
      if (this.#tail.includes(mark)) return performance.now();
    }
    throw new Error(
      `"${mark}" did not come after a paste; ${offset} bytes were taken; ${JSON.stringify(this.#tail.slice(-200))}`,
    );
  }

  get tail(): string {
    return this.#tail;
  }

  #readOnce(timeoutMs: number): boolean {
    if (!this.#master.wait(timeoutMs).canRead) return true;
    const count = this.#master.read(this.#area, 0, READ_BYTES);
    if (count <= 0) return false;
    this.#onOutput?.(this.#area.bytes.subarray(0, count));
    this.#tail = this.#tail.slice(-TAIL_BYTES) + Buffer.from(this.#area.bytes.buffer, 0, count).toString("latin1");
    return true;
  }

  [Symbol.dispose](): void {
    const isRunning = (): boolean => platform.processes.reap(this.#pid).kind === "running";
    if (isRunning()) process.kill(this.#pid, "SIGHUP");
    const deadline = performance.now() + CLOSE_MS;
    while (isRunning()) {
      // Its last output is read so that it is not stopped in a write.
      if (performance.now() > deadline) process.kill(this.#pid, "SIGKILL");
      if (!this.#readOnce(5)) Bun.sleepSync(1);
    }
    closeSync(this.#master.fd);
  }
}
