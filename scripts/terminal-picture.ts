/**
 * Draws docs/terminal.svg, the picture in the README, from a real session: types the lines below into a shell, with the built
 * program and folders of its own, and draws the screen that comes out. `bun scripts/terminal-picture.ts`
 */

import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { Terminal } from "@xterm/headless";
import { OuterTerminal } from "../bench/outer-terminal.ts";
import { drawScreen } from "./picture/svg.ts";

const ROOT = join(import.meta.dir, "..");
const SIZE = { cols: 110, rows: 34 } as const;
const LINE_TIMEOUT_MS = 20_000;
/** The daemon has started by then, and what the shell says of its jobs has come. */
const QUIET_MS = 700;

/** The prompt is told by a sequence that terminals ignore, so that a `$` in an output is not taken for it. */
const READY = "\x1b]777;ready\x07";
const PROMPT = `\\[${READY}\\]\\[\\e[32m\\]~/shop\\[\\e[0m\\] $ `;

const LINES = [
  "./pohunek daemon run &",
  "./pohunek up",
  "./pohunek new -n tests -- sh -c 'for i in 1 2 3 4 5; do sleep 0.2; echo \"test $i ok\"; done; exec cat'",
  "kill -KILL %1             # the daemon dies, and nothing else does",
  "./pohunek up",
  "./pohunek screen tests",
];

function record(home: string): Buffer {
  const folder = join(home, "shop");
  mkdirSync(folder);
  symlinkSync(join(ROOT, "pohunek"), join(folder, "pohunek"));
  const env = {
    PATH: process.env.PATH ?? "",
    HOME: home,
    XDG_RUNTIME_DIR: home,
    SHELL: "/bin/bash",
    TERM: "xterm-256color",
    LC_ALL: "C.UTF-8",
    PS1: PROMPT,
  };
  const parts: Buffer[] = [];
  const shell = { argv: ["bash", "--norc", "--noprofile", "-i"], env, size: SIZE, cwd: folder };
  using terminal = new OuterTerminal({ ...shell, onOutput: (bytes) => void parts.push(Buffer.from(bytes)) });
  const type = (line: string): void => {
    terminal.write(`${line}\r`);
    terminal.readUntil(READY, LINE_TIMEOUT_MS);
    terminal.readUntilQuiet(QUIET_MS);
  };
  terminal.readUntil(READY, LINE_TIMEOUT_MS);
  terminal.readUntilQuiet(QUIET_MS);
  for (const line of LINES) type(line);
  const recording = Buffer.concat(parts);
  type("./pohunek rm tests; ./pohunek rm shop; ./pohunek daemon stop");
  return recording;
}

async function draw(recording: Uint8Array): Promise<string> {
  const screen = new Terminal({ ...SIZE, allowProposedApi: true });
  await new Promise<void>((resolve) => {
    screen.write(recording, resolve);
  });
  return drawScreen(screen, "a session outlives its daemon");
}

const home = mkdtempSync(join(tmpdir(), "pic-"));
try {
  writeFileSync(join(ROOT, "docs/terminal.svg"), await draw(record(home)));
} finally {
  rmSync(home, { recursive: true, force: true });
}
