import { expect, test } from "bun:test";
import { ByteQueue } from "./byte-queue.ts";

const bytes = (...values: number[]) => Uint8Array.from(values);

test("chunks come out in order, whether the reader or the writer is first", async () => {
  const queue = new ByteQueue();
  const early = queue.read();
  queue.push(bytes(1));
  queue.push(bytes(2));
  queue.push(new Uint8Array(0));
  queue.push(bytes(3, 4));
  expect(queue.queuedBytes).toBe(3);
  expect([await early, await queue.read(), await queue.read()]).toEqual([bytes(1), bytes(2), bytes(3, 4)]);
  expect(queue.queuedBytes).toBe(0);
});

test("the source is told when everything was read", async () => {
  let emptied = 0;
  const queue = new ByteQueue(() => (emptied += 1));
  queue.push(bytes(1));
  queue.push(bytes(2));
  await queue.read();
  expect(emptied).toBe(0);
  await queue.read();
  expect(emptied).toBe(1);
});

test("what was queued is read before the end, and nothing is taken after it", async () => {
  const queue = new ByteQueue();
  queue.push(bytes(1));
  queue.end();
  queue.push(bytes(2));
  queue.fail(new Error("too late"));
  expect([await queue.read(), await queue.read(), await queue.read()]).toEqual([bytes(1), undefined, undefined]);
});

test("a failure comes after what was queued, and every time", async () => {
  const queue = new ByteQueue();
  queue.push(bytes(1));
  queue.fail(new Error("broken"));
  expect(await queue.read()).toEqual(bytes(1));
  for (let time = 0; time < 2; time += 1) expect(queue.read()).rejects.toThrow("broken");
});

test("a waiting reader is woken by the end and by a failure", async () => {
  const ended = new ByteQueue();
  const end = ended.read();
  ended.end();
  expect(await end).toBeUndefined();
  const failed = new ByteQueue();
  const failure = failed.read();
  failed.fail(new Error("broken"));
  expect(failure).rejects.toThrow("broken");
});

test("two readers at once are a mistake", async () => {
  const queue = new ByteQueue();
  const first = queue.read();
  expect(queue.read()).rejects.toThrow("one reader");
  queue.end();
  expect(await first).toBeUndefined();
});
