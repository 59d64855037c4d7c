import { describe, expect, test } from "bun:test";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { programCommand, startHost, until } from "../support/index.ts";
import { CliTerminal } from "./support/index.ts";

const ESC = "\u001b";
const CAT = ["/bin/sh", "-c", "stty raw -echo; printf READY; exec cat -v"];
/** What a terminal says to the questions of a client that wants to know all about it. */
const ANSWERS = [
  `${ESC}[?62;22;52c`,
  `${ESC}[>41;354;0c`,
  `${ESC}P>|Fake(1.0)${ESC}\\`,
  `${ESC}]10;rgb:ffff/ffff/ffff\u0007`,
  `${ESC}]11;rgb:1e1e/1e1e/1e1e${ESC}\\`,
  `${ESC}]4;0;rgb:0000/0000/0000\u0007`,
];

/** Answers of the local terminal, each in two writes, the first of them only the ESC. */
function answerSplit(terminal: CliTerminal): void {
  for (const answer of ANSWERS) {
    terminal.type(answer.slice(0, 1));
    terminal.type(answer.slice(1));
  }
}

describe("late answers of the local terminal (C10)", () => {
  test("are not typed, after 0.2, 1 and 3 s and in pieces", async () => {
    await using host = await startHost();
    await host.newSession({ name: "cat", command: CAT });
    await using terminal = new CliTerminal(host.roots, ["attach", "cat"]);
    await terminal.untilOutput("READY");
    let waited = 0;
    for (const afterMs of [200, 1_000, 3_000]) {
      await Bun.sleep(afterMs - waited);
      waited = afterMs;
      for (const answer of ANSWERS) terminal.type(answer);
      answerSplit(terminal);
      terminal.type(`after ${afterMs}.`);
    }
    await terminal.untilScreen("READYafter 200.after 1000.after 3000.");
  });

  test("are not typed after coming back from the background", async () => {
    await using host = await startHost();
    await host.newSession({ name: "cat", command: CAT });
    const program = ["/bin/bash", "--norc", "-i"];
    await using shell = new CliTerminal(host.roots, [], { program, env: { PS1: "local> " } });
    await shell.untilScreen("local>");
    shell.type(`${programCommand("attach", "cat").join(" ")}\r`);
    await shell.untilScreen("READY");
    shell.type("\u001c");
    await shell.untilScreen(/z suspend/);
    shell.type("z");
    await shell.untilScreen("fg comes back to it");
    const from = shell.output.length;
    shell.type("fg\r");
    await shell.untilOutput("READY", from);
    answerSplit(shell);
    shell.type("still here.");
    await shell.untilScreen("READYstill here.");
  });
});

describe("questions of the program", () => {
  test("do not reach the local terminal, and are answered once", async () => {
    await using host = await startHost();
    const asks = "\\033[c\\033[>c\\033[5n\\033[6n\\033[?2026$p\\033]11;?\\007\\033[>q\\033]7501;?\\033\\134\\033[?u";
    const file = join(host.roots.base, "answers");
    const command = [
      "/bin/sh",
      "-c",
      `stty raw -echo; printf READY; head -c 1 >/dev/null; printf '${asks}DONE'; exec cat > ${file}`,
    ];
    await host.newSession({ name: "asks", command });
    await using terminal = new CliTerminal(host.roots, ["attach", "asks"]);
    await using second = new CliTerminal(host.roots, ["attach", "asks"]);
    const from = await terminal.untilOutput("READY");
    await second.untilOutput("READY");
    terminal.type("x");
    await terminal.untilOutput("DONE");
    // The next thing that is read is a key, so no answer is still to come.
    terminal.type("end");
    const answers = (): string => (existsSync(file) ? readFileSync(file, "latin1") : "");
    await until("the key", () => answers().endsWith("end"));
    expect(terminal.output.slice(from)).toEndWith("DONE");
    expect(terminal.output.slice(from)).not.toMatch(/\u001b(\[[?>]?[0-9;]*\$?[cnpqu]|\])/);
    expect(answers()).toBe(
      `${ESC}[?62;22c${ESC}[>1;0;0c${ESC}[0n${ESC}[1;6R${ESC}[?2026;2$y${ESC}]11;rgb:0000/0000/0000\u0007` +
        `${ESC}P>|pohunek${ESC}\\${ESC}]7501;?${ESC}\\${ESC}[?0uend`,
    );
  });

  test("that has ended are not answered into its shell, with two clients whose terminals answer late (C11)", async () => {
    await using host = await startHost();
    const asker = join(host.roots.base, "asker");
    await Bun.write(asker, "#!/bin/sh\nexec printf '\\033]11;?\\007\\033[c\\033[6n'\n");
    const { id } = await host.newSession({ name: "shell", command: ["/bin/bash", "--norc", "-i"] });
    await using terminal = new CliTerminal(host.roots, ["attach", "shell"]);
    // Older clients, which let the questions through to terminals that answer, one of them late.
    await using near = await host.attach(id);
    await using far = await host.attach(id);
    await terminal.untilScreen(/[$#] $/m);
    terminal.type(`/bin/sh ${asker}\r`);
    await near.until(`${ESC}]11;?\u0007${ESC}[c${ESC}[6n`);
    await far.until(`${ESC}]11;?\u0007${ESC}[c${ESC}[6n`);
    const answers = [`${ESC}]11;rgb:ffff/ffff/ffff\u0007`, `${ESC}[?62;22c`, `${ESC}[1;5R`];
    for (const answer of answers) near.write(answer);
    await Bun.sleep(800);
    for (const answer of answers) far.write(answer);
    terminal.type("echo next-$((1+1))\r");
    await terminal.untilScreen("next-2");
    const screen = (await terminal.screen()).join("\n");
    expect(screen).not.toMatch(/rgb:|62;22c|1;5R|\d+;\d+R/);
  });
});

describe("what is no question", () => {
  test("passes byte for byte: links, pictures, and characters cut between two reads (C16)", async () => {
    await using host = await startHost();
    const file = join(host.roots.base, "output");
    const box = `\u250c${"\u2500".repeat(200)}\u2510\r\n`.repeat(100);
    const sixel = `${ESC}P0;1;0q"1;1;10;10#0;2;0;0;0#0~~@@vv@@~~$-${ESC}\\`;
    const picture = `${ESC}_Ga=T,f=24,s=1,v=1,i=7;AAAA${ESC}\\`;
    const link = `${ESC}]8;;https://example.org/?q${ESC}\\link${ESC}]8;;${ESC}\\`;
    const output = `${box}${sixel}${picture}${link}`;
    await Bun.write(file, output);
    const script =
      "stty raw -echo; printf READY; head -c 1 >/dev/null; printf 'clean\\342'; sleep 0.05; printf '\\200\\224 end';" +
      `while IFS= read -r -N 1000 piece || [ -n "$piece" ]; do printf %s "$piece"; done < ${file}; printf DONE; exec cat`;
    const command = ["/bin/bash", "-c", `export LC_ALL=C; ${script}`];
    const { id } = await host.newSession({ name: "out", command, cols: 250, rows: 24 });
    await using terminal = new CliTerminal(host.roots, ["attach", "out"], { cols: 250 });
    const from = await terminal.untilOutput("READY");
    terminal.type("x");
    await terminal.untilOutput("DONE", from);
    const all = Buffer.from(`clean\u2014 end${output}DONE`).toString("latin1");
    expect(terminal.output.slice(from).includes(all)).toBe(true);
    const read = await host.call<{ data_base64: string }>("session.output", { session_id: id, max_bytes: 700_000 });
    expect(Buffer.from(read.data_base64, "base64").toString("latin1").includes(all)).toBe(true);
    expect(Buffer.from(read.data_base64, "base64").toString("utf8")).not.toContain("\ufffd");
  });
});

describe("a copy to the clipboard (C20)", () => {
  /** Writes copies of so many bytes each, in slices of 1,000 bytes. */
  function copying(file: string): string[] {
    const script = `stty raw -echo; printf READY; head -c 1 >/dev/null; dd if=${file} bs=1000 status=none; printf DONE; exec cat`;
    return ["/bin/sh", "-c", script];
  }
  const copyOf = (bytes: number): string => `${ESC}]52;c;${Buffer.alloc(bytes, "copy").toString("base64")}\u0007`;

  test("arrives whole in the command line and in other clients, and not again with the next attach", async () => {
    await using host = await startHost();
    const file = join(host.roots.base, "copies");
    const copies = [1_024, 3_066, 196_000, 197_000, 1_000_000, 1_048_576].map(copyOf);
    await Bun.write(file, copies.join("and "));
    const { id } = await host.newSession({ name: "copies", command: copying(file) });
    await using terminal = new CliTerminal(host.roots, ["attach", "copies"]);
    await using web = await host.attach(id);
    const from = await terminal.untilOutput("READY");
    await web.until("READY");
    terminal.type("x");
    await terminal.untilOutput("DONE", from);
    await web.until("DONE");
    expect(terminal.output.slice(from)).toContain(copies.join("and "));
    expect(web.text).toContain(copies.join("and "));
    await using later = new CliTerminal(host.roots, ["attach", "copies"]);
    await later.untilOutput("DONE");
    expect(later.output).not.toContain("]52;");
  });

  test("that is too large is told, and the screen comes back", async () => {
    await using host = await startHost();
    const file = join(host.roots.base, "copies");
    await Bun.write(file, `before${copyOf(1_100_000)}after`);
    await host.newSession({ name: "copies", command: copying(file) });
    await using terminal = new CliTerminal(host.roots, ["attach", "copies"]);
    await terminal.untilOutput("READY");
    terminal.type("x");
    await terminal.untilScreen("copied more to the clipboard than it may");
    terminal.type("typed meanwhile");
    await terminal.untilScreen("READYbeforeafterDONEtyped meanwhile");
    expect((await terminal.screen()).join("\n")).not.toContain("clipboard");
    expect(terminal.output).not.toContain("]52;");
  });
});
