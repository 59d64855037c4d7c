import type { ProcessCalls, PtyCalls, PtyPair } from "../platform/index.ts";
import type { AskedQuestions } from "./asked-questions.ts";

export interface TerminalAnswersOptions {
  readonly pty: PtyCalls;
  readonly processes: Pick<ProcessCalls, "read" | "list" | "ignoresStopSignals">;
  readonly pair: PtyPair;
  /** To the program. */
  readonly write: (bytes: Uint8Array) => void;
  /** False while the program leaves so much input unread that no more should be written. */
  readonly hasRoom: () => boolean;
  /** Takes output that is there already. */
  readonly look: () => void;
  readonly asked: AskedQuestions;
}

/** Answers to questions that were asked at about the same time by the same process group. */
interface WaitingAnswers {
  readonly bytes: Uint8Array[];
  readonly group: number;
  /** Something else was printed after the questions. */
  isPassed: boolean;
  /** Looks since then at which the terminal was raw and nothing more had been printed. */
  quietLooks: number;
}

type Verdict = "answer" | "wait" | "drop";

/**
 * When a terminal in canonical mode is looked at again, in ms: 255 in all. A program that asks first and then makes the
 * terminal raw (`echo -ne '\e[6n'; read -sdR`) does so within one or two.
 */
const LOOKS_MS = [1, 2, 4, 8, 16, 32, 64, 128];
/** A shell prints its prompt within microseconds of making the terminal raw, so at the second look it has. */
const QUIET_LOOKS = 2;
/** Answers that wait, at most. Those about a whole palette are 7 KB; a program that asks for more does not read them. */
const MOST_BYTES = 65_536;
/** Longer than any run of questions. */
const TAIL_BYTES = 512;

const POSITION = /^\x1b\[\d+;\d+R$/;
const QUESTION =
  "\\x1b(?:\\[[?>=]?[\\d;]*\\$?[cnpqtux]|\\[\\?[\\d;]*m|Z|\\][^\\x07\\x1b]*\\?[^\\x07\\x1b]*(?:\\x07|\\x1b\\\\)|P[$+]q[^\\x1b]*\\x1b\\\\)";
const ENDS_WITH_QUESTION = new RegExp(`${QUESTION}$`);
const ONLY_QUESTIONS = new RegExp(`^(?:${QUESTION})+$`);

/**
 * Gives the terminal's answers to the program that asked, and to nobody else: an answer that comes when its asker is gone
 * is read by the shell as if it had been typed. Who asked is not known, only who has the terminal when the question is
 * read, a moment later. A program that awaits an answer reads the terminal raw; a shell at its prompt does too, but prints
 * the prompt as soon as it does.
 */
export class TerminalAnswers implements Disposable {
  readonly #options: TerminalAnswersOptions;
  /** Made by the output that is being taken. */
  #fresh: Uint8Array[] = [];
  #waiting: WaitingAnswers[] = [];
  /** Of both. */
  #bytes = 0;
  #looks = 0;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(options: TerminalAnswersOptions) {
    this.#options = options;
  }

  /** An answer in the order of the questions; dropped when too much waits already. `settle` has to follow. */
  add(bytes: Uint8Array): void {
    if (POSITION.test(Buffer.from(bytes).toString("latin1"))) this.#options.asked.notePosition();
    if (this.#bytes >= MOST_BYTES) return;
    this.#bytes += bytes.length;
    this.#fresh.push(bytes);
  }

  /** The output that the latest answers belong to was taken; undefined when they are about something else. */
  settle(output: Uint8Array | undefined): void {
    if (this.#fresh.length === 0 && this.#waiting.length === 0) return;
    const tail = output === undefined ? "" : Buffer.from(output.subarray(-TAIL_BYTES)).toString("latin1");
    const isMore = this.#fresh.length > 0 && ONLY_QUESTIONS.test(tail);
    if (output !== undefined && !isMore) {
      for (const waiting of this.#waiting) {
        waiting.isPassed = true;
      }
    }
    if (this.#fresh.length > 0) {
      this.#admit(this.#fresh.splice(0), output !== undefined && !ENDS_WITH_QUESTION.test(tail));
    }
    this.#decide();
  }

  [Symbol.dispose](): void {
    clearTimeout(this.#timer);
    this.#waiting = [];
  }

  #admit(bytes: Uint8Array[], isPassed: boolean): void {
    const group = this.#options.pty.foregroundGroup(this.#options.pair.master);
    if (group === undefined) {
      this.#bytes -= sizeOf(bytes);
      return;
    }
    this.#looks = 0;
    const last = this.#waiting.at(-1);
    if (last?.group === group && last.isPassed === isPassed && last.quietLooks === 0) {
      // Judged once: that takes a look at the processes each time.
      last.bytes.push(...bytes);
    } else {
      this.#waiting.push({ bytes, group, isPassed, quietLooks: 0 });
    }
  }

  /** In order: what waits holds up what was asked after it. */
  #decide(): void {
    for (let first = this.#waiting[0]; first; first = this.#waiting[0]) {
      const verdict = this.#judge(first);
      if (verdict === "wait") {
        this.#lookLater();
        return;
      }
      this.#waiting.shift();
      this.#bytes -= sizeOf(first.bytes);
      if (verdict === "answer" && this.#options.hasRoom()) {
        this.#options.write(Buffer.concat(first.bytes));
      }
    }
    clearTimeout(this.#timer);
    this.#timer = undefined;
  }

  #judge(waiting: WaitingAnswers): Verdict {
    const { pty, processes, pair } = this.#options;
    if (pty.foregroundGroup(pair.master) !== waiting.group) return "drop";
    const isShell = processes.ignoresStopSignals(waiting.group);
    if (isShell && waiting.isPassed) return "drop";
    if (pty.lineDiscipline(pair.master).isCanonical) return this.#looks < LOOKS_MS.length ? "wait" : "drop";
    if (!isShell) return this.#isAlive(waiting.group) ? "answer" : "drop";
    return waiting.quietLooks >= QUIET_LOOKS ? "answer" : "wait";
  }

  /** The first of a group may end before the others, as in `cat file | vim -`. */
  #isAlive(group: number): boolean {
    const { processes } = this.#options;
    return processes.read(group) !== undefined || processes.list().some((each) => each.group === group);
  }

  #lookLater(): void {
    if (this.#timer) return;
    this.#timer = setTimeout(
      () => {
        this.#timer = undefined;
        this.#looks += 1;
        this.#options.look();
        const [first] = this.#waiting;
        if (first && !this.#options.pty.lineDiscipline(this.#options.pair.master).isCanonical) {
          first.quietLooks += 1;
        }
        this.#decide();
      },
      LOOKS_MS[Math.min(this.#looks, LOOKS_MS.length - 1)],
    );
  }
}

function sizeOf(pieces: readonly Uint8Array[]): number {
  return pieces.reduce((sum, piece) => sum + piece.length, 0);
}
