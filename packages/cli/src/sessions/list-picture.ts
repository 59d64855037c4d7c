import type { SessionInfo } from "@pohunek/protocol";
import type { CommandContext } from "../context.ts";
import { cutEnd } from "../output/text-width.ts";
import { sessionTable } from "./session-table.ts";

const HIDE_CURSOR = "\x1b[?25l";
const SHOW_CURSOR = "\x1b[?25h";
/** On a terminal narrower than the table a line must not take two rows, or the next picture begins in the wrong one. */
const WRAP_OFF = "\x1b[?7l";
const WRAP_ON = "\x1b[?7h";
const FALLBACK_SIZE = { cols: 80, rows: 24 };

/** A list that is drawn over itself in one write, so that nothing flickers. On no terminal each picture is printed anew. */
export class ListPicture implements Disposable {
  readonly #context: CommandContext;
  readonly #isLive: boolean;
  #drawnLines = 0;
  #lastDocument = "";

  constructor(context: CommandContext) {
    this.#context = context;
    this.#isLive = context.terminal.isOutput && !context.wantsJson;
    if (this.#isLive) context.output.print(HIDE_CURSOR);
  }

  show(sessions: readonly SessionInfo[]): void {
    const { output, wantsJson } = this.#context;
    if (wantsJson) {
      const document = `${JSON.stringify(sessions)}\n`;
      if (document !== this.#lastDocument) output.print(document);
      this.#lastDocument = document;
      return;
    }
    const lines = sessions.length === 0 ? ["No sessions."] : this.#table(sessions);
    if (this.#isLive) this.#draw([...lines, this.#context.paint("dim", "Ctrl-C ends")]);
    else output.print(`${lines.join("\n")}\n\n`);
  }

  /** Says something in the place of the list's last line. */
  tell(text: string): void {
    if (this.#isLive) this.#context.output.print(`\x1b[1A\r${cutEnd(text, this.#size().cols - 1)}\x1b[K\n`);
    else this.#context.output.complain(`${text}\n`);
  }

  [Symbol.dispose](): void {
    if (this.#isLive) this.#context.output.print(SHOW_CURSOR);
  }

  #table(sessions: readonly SessionInfo[]): string[] {
    const { paint, settings } = this.#context;
    // The last column stays free: a line that fills it may wrap.
    const width = this.#size().cols - 1;
    return sessionTable(sessions, { width, paint, home: settings.home, nowMs: Date.now() });
  }

  #draw(lines: readonly string[]): void {
    const { rows } = this.#size();
    const room = rows - 1;
    const shown = lines.length <= room ? lines : [...lines.slice(0, room - 1), `and ${lines.length - room} more`];
    const up = this.#drawnLines === 0 ? "" : `\x1b[${Math.min(this.#drawnLines, room)}A`;
    const picture = shown.map((line) => `${line}\x1b[K\n`).join("");
    this.#context.output.print(`${up}\r${WRAP_OFF}${picture}\x1b[J${WRAP_ON}`);
    this.#drawnLines = shown.length;
  }

  #size(): { readonly cols: number; readonly rows: number } {
    return this.#context.terminal.size() ?? FALLBACK_SIZE;
  }
}
