import { expect, test } from "bun:test";
import type { ProcessCalls, PtyCalls } from "../platform/index.ts";
import { AskedQuestions } from "./asked-questions.ts";
import { TerminalAnswers } from "./terminal-answers.ts";

const GROUP = 7;
const ANSWER = new TextEncoder().encode("\x1b[1;1R");
const QUESTION = new TextEncoder().encode("\x1b[6n");
const MOST_BYTES = 65_536;

/** A program in the foreground that asks, and that reads its terminal raw or not. */
class AskingProgram {
  isCanonical = true;
  hasRoom = true;
  writtenBytes = 0;
  looks = 0;
  readonly answers: TerminalAnswers;

  constructor() {
    const line = { hasSignals: false, keepsInputOnSignal: false, interruptByte: 0, quitByte: 0, suspendByte: 0 };
    const pty: Pick<PtyCalls, "foregroundGroup" | "lineDiscipline"> = {
      foregroundGroup: () => GROUP,
      lineDiscipline: () => ({ ...line, isCanonical: this.isCanonical }),
    };
    const processes: Pick<ProcessCalls, "read" | "list" | "ignoresStopSignals"> = {
      read: (pid) => ({
        pid,
        parent: 1,
        group: GROUP,
        session: GROUP,
        startIdentity: "1",
        program: "asks",
        run: "sleeping",
        cpuSeconds: 0,
        foregroundGroup: GROUP,
      }),
      list: () => [],
      ignoresStopSignals: () => {
        this.looks += 1;
        return false;
      },
    };
    this.answers = new TerminalAnswers({
      pty: pty as PtyCalls,
      processes,
      pair: { master: 3, slave: 4, slavePath: "/dev/pts/0" },
      write: (bytes) => {
        this.writtenBytes += bytes.length;
      },
      hasRoom: () => this.hasRoom,
      look: () => undefined,
      asked: new AskedQuestions(),
    });
  }

  ask(times: number): void {
    for (let asked = 0; asked < times; asked += 1) {
      this.answers.add(ANSWER);
      this.answers.settle(QUESTION);
    }
  }
}

test("answers that nobody takes are kept up to a limit, and given when the terminal becomes raw", () => {
  const program = new AskingProgram();
  using _answers = program.answers;
  program.ask(12_000);
  expect(program.writtenBytes).toBe(0);
  program.isCanonical = false;
  program.looks = 0;
  program.answers.settle(undefined);
  expect(program.looks).toBe(1);
  expect(program.writtenBytes).toBeGreaterThanOrEqual(MOST_BYTES);
  expect(program.writtenBytes).toBeLessThan(MOST_BYTES + ANSWER.length);
  // There is room again for the next ones.
  program.writtenBytes = 0;
  program.ask(2);
  expect(program.writtenBytes).toBe(2 * ANSWER.length);
});

test("a program that leaves its input unread gets no further answers until it reads", () => {
  const program = new AskingProgram();
  using _answers = program.answers;
  program.isCanonical = false;
  program.hasRoom = false;
  program.ask(10);
  expect(program.writtenBytes).toBe(0);
  program.hasRoom = true;
  program.ask(1);
  expect(program.writtenBytes).toBe(ANSWER.length);
});
