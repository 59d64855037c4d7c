/** Prompts in a row, one-line and multi-line: each reaches the model once, whole and in order, and its receipt says so. */

import { expect, test } from "bun:test";
import type { LiveHost } from "./live-host.ts";
import type { LiveSession } from "./live-session.ts";

const PROMPT_MS = 20_000;

type Current = () => { readonly host: LiveHost; readonly session: LiveSession };

export const oneLine = (index: number): string => `do:say one line ${index}`;
export const severalLines = (index: number): string =>
  `Look at ${index}:\n  - this, and\n  - that\ndo:say several ${index}`;

/** Sends a prompt and waits for its answer; returns how often it reached the model. */
export async function deliver(session: LiveSession, prompt: string): Promise<number> {
  await session.send(prompt);
  await session.untilIdleAfter(prompt);
  return (await session.requestsFor(prompt)).length;
}

export function describePrompts(current: Current, count: number): void {
  const cases = [
    { name: "one-line", make: oneLine },
    { name: "multi-line", make: severalLines },
  ];
  for (const { name, make } of cases) {
    test(
      `takes ${count} ${name} prompts, each once and whole`,
      async () => {
        const { session } = current();
        const arrived: number[] = [];
        for (let index = 1; index <= count; index += 1) arrived.push(await deliver(session, make(index)));
        expect(arrived).toEqual(Array.from({ length: count }, () => 1));
      },
      count * PROMPT_MS,
    );
  }
}
