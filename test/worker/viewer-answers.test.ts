import { describe, expect, test } from "bun:test";
import { until } from "../support/index.ts";
import { Viewer } from "./support/viewer.ts";
import { WorkerUnderTest } from "./support/worker-under-test.ts";

const CAT = "stty raw -echo; printf ready; cat -v";
const ANSWERS = [
  "\x1b[?62;22c",
  "\x1b[>1;10;0c",
  "\x1bP>|Fake(1)\x1b\\",
  "\x1b]10;rgb:ffff/ffff/ffff\x07",
  "\x1b]11;rgb:0000/0000/0000\x1b\\",
  "\x1b]4;1;rgb:cdcd/0000/0000\x07",
  "\x1b[24;80R",
  "\x1b[?2026;2$y",
];

describe("answers of viewers' terminals (C10)", () => {
  test.each([
    { how: "whole", pieces: (answer: string) => [answer] },
    { how: "cut behind the ESC", pieces: (answer: string) => [answer.slice(0, 1), answer.slice(1)] },
    { how: "byte by byte", pieces: (answer: string) => [...answer] },
  ])("of two clients, late and $how, are not typed", async ({ pieces }) => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run(CAT);
    await session.shows("ready");
    using first = await Viewer.attach(session.client);
    using second = await Viewer.attach(session.client);
    const typed: string[] = [];
    for (const [at, delayMs] of [0, 200, 800].entries()) {
      await Bun.sleep(delayMs);
      for (const viewer of [first, second]) {
        for (const piece of ANSWERS.flatMap(pieces)) viewer.type(piece);
      }
      // A key between them, which passes.
      first.type(`<${at}>`);
      typed.push(`<${at}>`);
    }
    await session.shows(`ready${typed.join("")}`);
    second.type("end");
    await session.shows("end");
    expect((await session.client.snapshot()).visible_lines.join("").trim()).toBe(`ready${typed.join("")}end`);
  });

  test("in the first row are keys from a client that lets no question through, however short ago one was asked", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run(
      "stty raw -echo; printf '\\033[6n'; dd bs=1 count=6 status=none >/dev/null; printf '\\033[2Jready'; cat -v",
    );
    await session.shows("ready");
    using quiet = await Viewer.attach(session.client, { answers_queries: false });
    using other = await Viewer.attach(session.client);
    other.type("\x1b[1;2R1");
    await session.shows("1");
    quiet.type("\x1b[1;2R2");
    await session.shows("2");
    other.type("\x1b[1;2R3");
    await session.shows("3");
    const [row = ""] = (await session.client.snapshot()).visible_lines;
    expect(row.trim()).toEndWith("ready1^[[1;2R2^[[1;2R3");
  });

  test("an Escape key and what follows it arrive, soon", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run(CAT);
    await session.shows("ready");
    using viewer = await Viewer.attach(session.client);
    const delays: number[] = [];
    for (let round = 1; round <= 10; round += 1) {
      const started = performance.now();
      viewer.type("\x1b");
      await until("the Escape key", () => viewer.text.split("^[").length > round);
      delays.push(performance.now() - started);
    }
    expect(delays.toSorted((left, right) => left - right)[4]).toBeLessThan(80);
    viewer.type("\x1b[A\x1bx\x1b[1;2R");
    await viewer.sees("^[[A^[x^[[1;2R");
  });
});

describe("focus", () => {
  const ENABLED = "stty raw -echo; printf '\\033[?1004hready'; cat -v";

  test("is lost while nobody is attached, and gained again", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run(ENABLED);
    // A program that was never looked at.
    await session.shows("ready^[[O");
    {
      using viewer = await Viewer.attach(session.client);
      await session.shows("ready^[[O^[[I");
      await viewer.isSynced();
    }
    await session.shows("ready^[[O^[[I^[[O");
    using again = await Viewer.attach(session.client);
    await session.shows("ready^[[O^[[I^[[O^[[I");
    using second = await Viewer.attach(session.client);
    await second.isSynced();
    second[Symbol.dispose]();
    again.type("end");
    await session.shows("end");
    expect((await session.client.snapshot()).visible_lines.join("").trim()).toBe("ready^[[O^[[I^[[O^[[Iend");
  });

  test("is not typed into the shell behind a program that left the mode set", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run(["/bin/bash", "--norc", "-i"], { env: { PS1: "prompt> " } });
    await session.shows("prompt>");
    await session.type("printf '\\033[?1004h'\n");
    // Nothing comes, so there is nothing to wait for but the time in which it would.
    await Bun.sleep(300);
    await session.type("echo next-$((1+1))\n");
    await session.shows("next-2");
    expect((await session.output()).toString("latin1")).toContain("prompt> echo next-$((1+1))\r\n");
    expect((await session.client.snapshot()).visible_lines.filter((line) => line !== "")).toEqual([
      "prompt> printf '\\033[?1004h'",
      "prompt> echo next-$((1+1))",
      "next-2",
      "prompt>",
    ]);
  });

  test("is not told to a program that does not want to know, or is gone", async () => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run(
      "stty raw -echo; printf '\\033[1mready'; head -c 1; printf '\\033[?1004h'; stty sane; cat -v",
    );
    await session.shows("ready");
    {
      using viewer = await Viewer.attach(session.client);
      await viewer.isSynced();
    }
    await until("nobody to be attached", async () => (await session.client.inspect()).attached === 0);
    await session.type("x");
    await session.shows("readyx");
    // Nothing comes, so there is nothing to wait for but the time in which it would.
    await Bun.sleep(300);
    await session.type("end\n");
    await session.shows("end");
    expect((await session.client.snapshot()).visible_lines.join("")).not.toContain("^[[");
  });
});
