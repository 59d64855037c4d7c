import { expect, test } from "bun:test";
import { Rehearsal } from "./rehearsal.ts";

test("is held once, when the program has become quiet", async () => {
  const performed = Promise.withResolvers<void>();
  let count = 0;
  const rehearsal = new Rehearsal(() => {
    count += 1;
    performed.resolve();
  });
  for (let index = 0; index < 3; index += 1) rehearsal.noteOutput();
  expect(count).toBe(0);
  await performed.promise;
  rehearsal.noteOutput();
  expect(count).toBe(1);
  rehearsal[Symbol.dispose]();
});

test("is not held when it was called off", async () => {
  const later = Promise.withResolvers<void>();
  const called = new Rehearsal(() => later.reject(new Error("it was held all the same")));
  const other = new Rehearsal(() => later.resolve());
  called.noteOutput();
  other.noteOutput();
  called[Symbol.dispose]();
  await later.promise;
});

test("is held in the middle of a flood, before somebody attaches to it", async () => {
  const performed = Promise.withResolvers<void>();
  const rehearsal = new Rehearsal(() => performed.resolve());
  const flood = setInterval(() => rehearsal.noteOutput(), 1);
  await performed.promise;
  clearInterval(flood);
});
