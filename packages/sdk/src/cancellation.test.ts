import { expect, test } from "bun:test";
import { settleWithin } from "./cancellation.ts";

const deadline = (timeoutMs: number) => ({ timeoutMs, onTimeout: () => new Error("too slow") });
const never = () => Promise.withResolvers<never>().promise;

test("what settles in time decides", async () => {
  let isGivenUp = false;
  const options = { onGivenUp: () => (isGivenUp = true) };
  expect(await settleWithin(Promise.resolve(7), deadline(1_000), options)).toBe(7);
  expect(settleWithin(Promise.reject(new Error("own")), deadline(1_000), options)).rejects.toThrow("own");
  await Promise.resolve();
  expect(isGivenUp).toBe(false);
});

test("an elapsed deadline rejects with its error and says so once", async () => {
  let givenUp = 0;
  const waiting = settleWithin(never(), deadline(1), { onGivenUp: () => (givenUp += 1) });
  expect(waiting).rejects.toThrow("too slow");
  await waiting.catch(() => undefined);
  expect(givenUp).toBe(1);
});

test("an aborted signal rejects with its reason, before or while waiting", async () => {
  const before = AbortSignal.abort(new Error("enough"));
  expect(settleWithin(never(), deadline(1_000), { signal: before })).rejects.toThrow("enough");
  const abort = new AbortController();
  const waiting = settleWithin(never(), deadline(1_000), { signal: abort.signal });
  abort.abort(new Error("enough"));
  expect(waiting).rejects.toThrow("enough");
});
