import type { Registry } from "./registry.ts";

/** In times that a worker has to answer: one that hangs is found after four of them at the latest. */
const ROUND = 3;

/**
 * Looks now and then how the workers are, so that one which hangs is found although nobody wants anything of it. Nobody is
 * woken for that: a question to an idle worker would cost it 3 ms, the look at its process takes 0.01 ms.
 */
export class RollCall implements Disposable {
  readonly #timer: ReturnType<typeof setInterval>;

  constructor(answerMs: number, registry: Pick<Registry, "all">) {
    this.#timer = setInterval(() => {
      for (const { link } of registry.all) {
        link?.look();
      }
    }, ROUND * answerMs);
  }

  [Symbol.dispose](): void {
    clearInterval(this.#timer);
  }
}
