import { expect, test } from "bun:test";
import { loadCommands, ROUTES } from "./table.ts";

test("the table names every command as its own file does", async () => {
  const commands = await loadCommands();
  expect(ROUTES.map(({ names, isHidden }) => ({ names, isHidden }))).toEqual(
    commands.map(({ name, aliases, isHidden }) => ({ names: [name, ...(aliases ?? [])], isHidden })),
  );
});

test("no name means two commands", () => {
  const names = ROUTES.flatMap((route) => route.names);
  expect([...new Set(names)]).toEqual(names);
});

test("every summary is one short sentence without its full stop", async () => {
  for (const { name, summary, flags } of await loadCommands()) {
    const texts = [summary, ...Object.values(flags).map((flag) => flag.summary)];
    for (const text of texts) expect(`${name}: ${text}`).toMatch(/: [A-Z].{2,79}[^.]$/);
  }
});
