/** A terminal that has not answered in this time won't: longer than slow lines and dialogs of permission take. */
const OPEN_MS = 10_000;
/** Questions remembered; a program that asks more at once is not served better by more. */
const MOST_OPEN = 256;

interface Question {
  readonly number: number;
  readonly askedMs: number;
}

/** Questions of the program that a viewer's terminal may still answer, as far as it matters whether there were any. */
export class AskedQuestions {
  readonly #positions: Question[] = [];
  #clipboards: Question[] = [];
  #count = 0;

  /** The program asked where the cursor is. */
  notePosition(): void {
    this.#add(this.#positions);
  }

  /** The program asked what is on the clipboard. */
  noteClipboard(): void {
    this.#add(this.#clipboards);
  }

  /** The number of the first open question about the position after the one of this number. */
  openPosition(after: number): number | undefined {
    const since = performance.now() - OPEN_MS;
    return this.#positions.find(({ number, askedMs }) => number > after && askedMs > since)?.number;
  }

  /** Whether the program waits for a clipboard; then it is answered now. */
  takeClipboard(): boolean {
    const since = performance.now() - OPEN_MS;
    this.#clipboards = this.#clipboards.filter(({ askedMs }) => askedMs > since);
    return this.#clipboards.shift() !== undefined;
  }

  #add(questions: Question[]): void {
    this.#count += 1;
    questions.push({ number: this.#count, askedMs: performance.now() });
    if (questions.length > MOST_OPEN) questions.shift();
  }
}
