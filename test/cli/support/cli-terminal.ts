import { Terminal as Emulator } from "@xterm/headless";
import type { Subprocess } from "bun";
import type { TempRoots } from "../../support/index.ts";
import { programCommand, until } from "../../support/index.ts";

export interface CliTerminalOptions {
  readonly cols?: number;
  readonly rows?: number;
  readonly env?: Readonly<Record<string, string>>;
  readonly cwd?: string;
  /** Starts this instead of `pohunek` with the words. */
  readonly program?: readonly string[];
  /** What the terminal shows before the program starts. */
  readonly before?: string;
}

const TERM = "xterm-256color";
const WAIT_MS = 10_000;

/** `pohunek` on a terminal of its own: every byte that it writes, what that looks like, and a keyboard. */
export class CliTerminal implements AsyncDisposable {
  readonly emulator: Emulator;
  readonly #terminal: Bun.Terminal;
  readonly #child: Subprocess;
  /** All output has come, and nobody has the terminal open any more. */
  readonly #drained = Promise.withResolvers<void>();
  readonly #chunks: Uint8Array[] = [];
  readonly #flagsBefore: string;

  constructor(roots: TempRoots, words: readonly string[], options: CliTerminalOptions = {}) {
    const { cols = 80, rows = 24 } = options;
    this.emulator = new Emulator({ cols, rows, allowProposedApi: true, scrollback: 5_000 });
    if (options.before !== undefined) this.emulator.write(options.before);
    this.#child = Bun.spawn([...(options.program ?? programCommand(...words))], {
      // Given in place and not as a Bun.Terminal made before, which would not become the controlling terminal.
      terminal: {
        cols,
        rows,
        name: TERM,
        data: (_terminal, bytes) => {
          this.#chunks.push(bytes);
          this.emulator.write(bytes);
        },
        exit: () => this.#drained.resolve(),
      },
      env: roots.environment({ TERM, ...options.env }),
      cwd: options.cwd ?? roots.home,
    });
    const { terminal } = this.#child;
    if (terminal === undefined) throw new Error("Bun made no terminal");
    this.#terminal = terminal;
    // The program has not even been loaded yet.
    this.#flagsBefore = this.flags;
  }

  get pid(): number {
    return this.#child.pid;
  }

  /** The exit code, once all output has come. */
  get exited(): Promise<number> {
    return this.#drained.promise.then(() => this.#child.exited);
  }

  /** All bytes so far. */
  get output(): string {
    return Buffer.concat(this.#chunks).toString("latin1");
  }

  /** The terminal's settings, comparable. */
  get flags(): string {
    const { inputFlags, outputFlags, localFlags, controlFlags } = this.#terminal;
    return [inputFlags, outputFlags, localFlags, controlFlags].join(" ");
  }

  /** True when the settings are those from before the program started. */
  get isRestored(): boolean {
    return this.flags === this.#flagsBefore;
  }

  type(text: string | Uint8Array): void {
    this.#terminal.write(text);
  }

  resize(cols: number, rows: number): void {
    this.emulator.resize(cols, rows);
    this.#terminal.resize(cols, rows);
  }

  kill(signal: NodeJS.Signals): void {
    this.#child.kill(signal);
  }

  /** Waits until the output has this in it, from an offset on. Returns the offset behind it. */
  async untilOutput(wanted: string, from = 0): Promise<number> {
    return await until(
      `output of ${JSON.stringify(wanted)}; there is ${JSON.stringify(this.output.slice(-2_000))}`,
      () => {
        const at = this.output.indexOf(wanted, from);
        return at === -1 ? undefined : at + wanted.length;
      },
      WAIT_MS,
    );
  }

  /** The rows of the screen as text. */
  async screen(): Promise<string[]> {
    await this.#parsed();
    const { active } = this.emulator.buffer;
    return Array.from({ length: this.emulator.rows }, (_, row) => rowText(active, active.baseY + row));
  }

  /** The rows above the screen. */
  async scrollback(): Promise<string[]> {
    await this.#parsed();
    const { normal } = this.emulator.buffer;
    return Array.from({ length: normal.baseY }, (_, row) => rowText(normal, row));
  }

  async untilScreen(wanted: string | RegExp): Promise<string[]> {
    let last: string[] = [];
    const isThere = (): boolean =>
      typeof wanted === "string" ? last.join("\n").includes(wanted) : wanted.test(last.join("\n"));
    return await until(
      `the screen to show ${wanted}`,
      async () => {
        last = await this.screen();
        return isThere() && last;
      },
      WAIT_MS,
    ).catch((cause: unknown) => {
      throw new Error(`the screen is\n${last.join("\n")}`, { cause });
    });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    if (this.#child.exitCode === null && this.#child.signalCode === null) this.#child.kill("SIGKILL");
    await this.#child.exited;
    await this.#terminal[Symbol.asyncDispose]();
    this.emulator.dispose();
  }

  /** The emulator works in the background; it is done with what it had when this resolves. */
  #parsed(): Promise<void> {
    return new Promise((resolve) => {
      this.emulator.write("", resolve);
    });
  }
}

type Buffered = Emulator["buffer"]["active"];

function rowText(buffer: Buffered, row: number): string {
  return buffer.getLine(row)?.translateToString(true) ?? "";
}
