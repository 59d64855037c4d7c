/**
 * Makes the recordings of programs in test/terminal/recordings again: `bun test/terminal/recorder/record.ts [NAME...]`, as root on
 * Linux, with vim, nano, htop, less, man, git, fish, zsh, tmux, mc and whiptail. They differ a little from run to run.
 */

import { rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { openGhosttyEngine } from "../../../packages/host/src/worker/engine/ghostty-engine.ts";
import { PROGRAMS, type RecordedProgram } from "./programs.ts";

const FOLDER = join(import.meta.dir, "..", "recordings");
const SANDBOX = join(import.meta.dir, "sandbox.sh");
/** A program that has not written for so long is done with what was typed. */
const QUIET_MS = 350;
/** The most that a step may take: some programs never fall silent. */
const STEP_MS = 1_500;
const END_MS = 5_000;

type Event = readonly [at: number, kind: "o" | "r", data: string];

class Recorder {
  readonly #program: RecordedProgram;
  readonly #events: Event[] = [];
  readonly #startedAt = performance.now();
  readonly #decoder = new TextDecoder();
  #lastOutputAt = performance.now();

  constructor(program: RecordedProgram) {
    this.#program = program;
  }

  async record(): Promise<Event[]> {
    const { cols, rows, argv, steps } = this.#program;
    using engine = openGhosttyEngine({ cols, rows, historyLines: 100, listener: { reply: (bytes) => type(bytes) } });
    const child = Bun.spawn(
      ["unshare", "--uts", "--mount", "--pid", "--fork", "--mount-proc", "sh", SANDBOX, ...argv],
      {
        terminal: {
          cols,
          rows,
          name: "xterm-256color",
          data: (_, bytes) => {
            this.#note("o", this.#decoder.decode(bytes, { stream: true }));
            engine.write(bytes);
          },
        },
        env: { PATH: Bun.env["PATH"] ?? "", RECORDED_PATH: "/usr/local/bin:/usr/bin:/bin" },
      },
    );
    const { terminal } = child;
    if (terminal === undefined) throw new Error("Bun made no terminal");
    const type = (input: string | Uint8Array): void => void (terminal.closed || terminal.write(input));
    for (const step of steps) {
      await this.#quiet();
      if (typeof step === "string") {
        type(step);
      } else {
        terminal.resize(step.cols, step.rows);
        engine.resize(step.cols, step.rows);
        this.#note("r", `${step.cols}x${step.rows}`);
      }
    }
    const end = setTimeout(() => child.kill("SIGKILL"), END_MS);
    await child.exited;
    clearTimeout(end);
    return this.#events;
  }

  #note(kind: "o" | "r", data: string): void {
    this.#lastOutputAt = performance.now();
    this.#events.push([Math.round(this.#lastOutputAt - this.#startedAt) / 1000, kind, data]);
  }

  async #quiet(): Promise<void> {
    const startedAt = performance.now();
    this.#lastOutputAt = startedAt;
    while (performance.now() - this.#lastOutputAt < QUIET_MS && performance.now() - startedAt < STEP_MS) {
      await Bun.sleep(20);
    }
  }
}

async function main(): Promise<void> {
  const names = process.argv.slice(2);
  for (const program of PROGRAMS) {
    if (names.length > 0 && !names.includes(program.name)) continue;
    const events = await new Recorder(program).record();
    const header = { version: 2, width: program.cols, height: program.rows, title: program.name };
    const text = `${[header, ...events].map((line) => JSON.stringify(line)).join("\n")}\n`;
    const file = join(FOLDER, `${program.name}-${program.cols}x${program.rows}.cast.gz`);
    rmSync(file, { force: true });
    writeFileSync(file, Bun.gzipSync(Buffer.from(text), { level: 9 }));
    console.log(`${program.name}: ${events.length} events, ${text.length} bytes`);
  }
}

await main();
