/** The programs of the soak number what they print, `#1.`, `#2.` and so on, so that a lost or doubled line shows. */

const NUMBER = /#(\d+)\./g;
/** Longer than a number. */
const CARRIED = 24;
const SEQUENCES = /\x1b\[[0-?]*[ -/]*[@-~]|\x1b[\]P_^X][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[ -/]*[0-~]|[\0-\x1f]/g;
/** How a repaint begins for a terminal that may be in any state. */
const REPAINT = "\x18\x1b[?1047;47;1049l";

/** Follows the raw output of one program, in pieces, from its first byte on. */
export class NumberedLines {
  #rest = "";
  last = 0;

  /** Returns what is wrong with this piece. */
  take(text: string): string | undefined {
    const all = this.#rest + text;
    let end = 0;
    let fault: string | undefined;
    for (const found of all.matchAll(NUMBER)) {
      const number = Number(found[1]);
      if (number !== this.last + 1) fault ??= `#${number}. came after #${this.last}.`;
      this.last = number;
      end = found.index + found[0].length;
    }
    this.#rest = all.slice(Math.max(end, all.length - CARRIED));
    return fault;
  }
}

export interface Shown {
  readonly fault: string | undefined;
  readonly repaints: number;
  readonly lines: number;
}

/** What a terminal was sent: after each repaint, its history, its screen and what followed are one sequence without a gap. */
export function checkShown(text: string): Shown {
  const parts = text.split(REPAINT);
  let [fault, lines]: [string | undefined, number] = [undefined, 0];
  for (const part of parts) {
    const numbers = [...part.replaceAll(SEQUENCES, "").matchAll(NUMBER)].map(([, digits]) => Number(digits));
    const gap = numbers.findIndex((number, index) => index > 0 && number !== (numbers[index - 1] ?? 0) + 1);
    if (gap > 0) fault ??= `#${numbers[gap]}. was shown after #${numbers[gap - 1]}.`;
    lines += numbers.length;
  }
  return { fault, repaints: parts.length - 1, lines };
}
