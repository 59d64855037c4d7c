import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { until } from "../support/index.ts";
import { Viewer } from "./support/viewer.ts";
import type { ControlledWorker } from "./support/worker-under-test.ts";
import { WorkerUnderTest } from "./support/worker-under-test.ts";

/** OSC 11, DA1 and CPR at once, as text for printf. */
const QUESTIONS = "\\033]11;?\\007\\033[c\\033[6n";

/** A program that asks in raw mode, prints the answer of `bytes` bytes readably, and goes on. */
function asking(questions: string, bytes: number): string {
  return `stty raw -echo; printf '${questions}'; dd bs=1 count=${bytes} status=none | cat -v; printf ' answered'; cat -v`;
}

async function screenOf(session: ControlledWorker): Promise<string> {
  return (await session.client.snapshot()).visible_lines.join("\n");
}

describe("a program that asks its terminal", () => {
  test.each([
    { about: "position", question: "\\033[6n", answer: "\x1b[1;1R", shown: "^[[1;1R" },
    { about: "synchronized output (C14)", question: "\\033[?2026$p", answer: "\x1b[?2026;2$y", shown: "^[[?2026;2$y" },
    {
      about: "synchronized output when it is set (C14)",
      question: "\\033[?2026h\\033[?2026$p",
      answer: "\x1b[?2026;1$y",
      shown: "^[[?2026;1$y",
    },
    {
      about: "program status",
      question: "\\033]7501;?\\033\\134",
      answer: "\x1b]7501;?\x1b\\",
      shown: "^[]7501;?^[\\",
    },
    { about: "other keys", question: "\\033[?4m", answer: "\x1b[>4;0m", shown: "^[[>4;0m" },
    { about: "size", question: "\\033[18t", answer: "\x1b[8;24;80t", shown: "^[[8;24;80t" },
  ])("gets one answer about $about with no viewer and with two", async ({ question, answer, shown }) => {
    for (const viewers of [0, 2]) {
      await using worker = await WorkerUnderTest.start();
      const go = join(worker.roots.base, "go");
      await using session = await worker.run(
        `while ! [ -e ${go} ]; do sleep 0.02; done; ${asking(question, answer.length)}`,
      );
      const attached = await Promise.all(Array.from({ length: viewers }, () => Viewer.attach(session.client)));
      await Bun.write(go, "");
      await session.shows("answered");
      await session.type("!");
      await session.shows("answered!");
      expect(await screenOf(session)).toContain(`${shown} answered!`);
      for (const viewer of attached) viewer[Symbol.dispose]();
    }
  });

  test("gets them in order in the middle of a flood", async () => {
    await using worker = await WorkerUnderTest.start();
    const file = join(worker.roots.base, "answers");
    const script =
      `stty raw -echo; cat </dev/tty > ${file} & i=0; while [ $i -lt 20 ]; do head -c 300000 /dev/zero | tr '\\0' x; ` +
      "printf '\\033[5n\\033[?%d$p' $((i + 9000)); i=$((i + 1)); done; printf done; wait";
    await using _session = await worker.run(script);
    const expected = Array.from({ length: 20 }, (_, at) => `\x1b[0n\x1b[?${9_000 + at};0$y`).join("");
    const answers = (): string => (existsSync(file) ? readFileSync(file, "latin1") : "");
    await until("all answers", () => answers().length >= expected.length, 30_000);
    expect(answers()).toBe(expected);
  }, 40_000);

  test("before it has made the terminal raw still gets the answer", async () => {
    await using worker = await WorkerUnderTest.start();
    const script = `echo -en '\\e[6n'; IFS=';' read -sdR row col; echo "at \${row#*[} \${col}."; cat`;
    await using session = await worker.run(["/bin/bash", "-c", script]);
    await session.shows("at 1 1.");
    expect((await screenOf(session)).trim()).toBe("at 1 1.");
  });

  test("that lives only on behind the first of its pipe still gets the answer", async () => {
    await using worker = await WorkerUnderTest.start();
    const reader =
      "stty raw -echo </dev/tty; sleep 0.1; printf '\\033[6n'; dd bs=1 count=6 status=none </dev/tty | cat -v";
    await using session = await worker.run(["/bin/bash", "--norc", "-i", "-c", `set -m; true | (${reader}); cat`]);
    await session.shows("^[[1;1R");
  });
});

test("a shell that asks for itself at its prompt gets the answer", async () => {
  await using worker = await WorkerUnderTest.start();
  const file = join(worker.roots.base, "bashrc");
  await Bun.write(
    file,
    `ask() { printf '\\033[6n'; IFS=';' read -sdR -t 5 row col; PS1="column \${col}> "; }\nPROMPT_COMMAND=ask\n`,
  );
  await using session = await worker.run(["/bin/bash", "--rcfile", file, "-i"]);
  await session.shows("column 1>");
  for (let round = 0; round < 5; round += 1) {
    await session.type(`printf abc${round}\n`);
    await session.shows(`abc${round}column 5>`);
  }
});

const SHELLS = [
  { name: "bash", shell: ["/bin/bash", "--norc", "-i"] },
  { name: "zsh", shell: ["/usr/bin/zsh", "-f", "-i"] },
  { name: "dash", shell: ["/bin/dash", "-i"] },
];

describe("a program that asks and is gone (C11)", () => {
  test.each(SHELLS)("leaves nothing for $name to read as typed", async ({ shell }) => {
    await using worker = await WorkerUnderTest.start();
    await using session = await worker.run(shell, { env: { PS1: "prompt> " } });
    const asker = join(worker.roots.base, "asker");
    await Bun.write(asker, `#!/bin/sh\nexec printf '${QUESTIONS}'\n`);
    await session.shows("prompt>");
    using first = await Viewer.attach(session.client);
    using second = await Viewer.attach(session.client);
    // As a program, and by the shell itself.
    for (const command of [`/bin/sh ${asker}`, `printf '${QUESTIONS}'`]) {
      for (let round = 0; round < 5; round += 1) {
        await session.type(`${command}\n`);
        await session.type(`echo round-$((${round}+40))\n`);
        await first.sees(`round-${round + 40}\r`);
      }
      await session.type("echo next-$((1+1))\n");
      await second.sees("next-2\r");
    }
    expect(first.text).not.toMatch(/rgb:|\d+;\d+R|62;22c/);
  });

  test("gives nothing when a log with questions in it is printed", async () => {
    await using worker = await WorkerUnderTest.start();
    const log = join(worker.roots.base, "log");
    await Bun.write(log, "\x1b[c\x1b[6n\x1b]11;?\x07text\r\n".repeat(50));
    await using session = await worker.run(["/bin/bash", "--norc", "-i"], { env: { PS1: "prompt> " } });
    using viewer = await Viewer.attach(session.client);
    await session.shows("prompt>");
    await session.type(`cat ${log}; echo end-$((1+1))\n`);
    await viewer.sees("end-2\r");
    await session.type("echo end-$((2+2))\n");
    await viewer.sees("end-4\r");
    expect(viewer.text).not.toMatch(/rgb:0000|\d;\d+R|62;22c/);
  });
});
