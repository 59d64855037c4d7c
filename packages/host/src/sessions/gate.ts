/** Lets one task at a time through, in the order of asking. */
export class Gate {
  #last: Promise<unknown> = Promise.resolve();

  async run<Result>(task: () => Promise<Result>): Promise<Result> {
    const turn = this.#last.then(task);
    // The next in line waits for the end of this task, whatever its outcome; the outcome is for the caller of `run`.
    this.#last = turn.then(
      () => undefined,
      () => undefined,
    );
    return await turn;
  }
}
