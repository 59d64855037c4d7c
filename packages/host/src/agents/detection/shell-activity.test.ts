import { expect, test } from "bun:test";
import type { TerminalFacts } from "../../worker-api/inspection.ts";
import type { Activity } from "./activity.ts";
import type { RepeatingClock } from "./shell-activity.ts";
import { ShellActivity } from "./shell-activity.ts";

const ROOT = 100;
const JOB = 200;

class TestClock implements RepeatingClock {
  time = 0;
  running = 0;
  #ticks = new Set<{ at: number; every: number; tick: () => void }>();

  now(): number {
    return this.time;
  }

  every(intervalMs: number, tick: () => void): Disposable {
    const entry = { at: this.time + intervalMs, every: intervalMs, tick };
    this.#ticks.add(entry);
    this.running += 1;
    return {
      [Symbol.dispose]: () => {
        this.running -= this.#ticks.delete(entry) ? 1 : 0;
      },
    };
  }

  advance(ms: number, each?: () => void): void {
    for (const end = this.time + ms; this.time < end; ) {
      this.time += 10;
      each?.();
      for (const entry of this.#ticks) {
        if (entry.at <= this.time) {
          entry.at += entry.every;
          entry.tick();
        }
      }
    }
  }
}

function facts(part: Partial<TerminalFacts>): TerminalFacts {
  return { revision: 1, alternate_screen: false, bracketed_paste: false, ...part };
}

function start(isShell = true): { clock: TestClock; seen: string[]; shell: ShellActivity } {
  const clock = new TestClock();
  const seen: string[] = [];
  const onChange = (change: Activity): void => {
    seen.push(`${change.revision} ${change.activity} ${change.source}`);
  };
  const shell = new ShellActivity({ rootPgid: ROOT, isShell, onChange, clock });
  shell.begin({ foreground: { pgid: ROOT } });
  return { clock, seen, shell };
}

const JUST_TYPED_MS = 20;
const NOT_TYPED = Number.POSITIVE_INFINITY;

test("a shell at its prompt is idle and needs no timer", () => {
  const { clock, seen } = start();
  expect(seen).toEqual(["1 idle process"]);
  expect(clock.running).toBe(0);
});

test("a foreground job works, also in silence, and the prompt after it is idle after three quiet windows", () => {
  const { clock, seen, shell } = start();
  shell.foregroundChanged({ pgid: JOB });
  clock.advance(60_000);
  expect(seen).toEqual(["1 idle process", "2 working process"]);
  expect(clock.running).toBe(0);
  shell.foregroundChanged({ pgid: ROOT });
  clock.advance(290);
  expect(seen.length).toBe(2);
  clock.advance(20);
  expect(seen.at(-1)).toBe("3 idle process");
  expect(clock.running).toBe(0);
});

test("jobs in quick succession do not flicker", () => {
  const { clock, seen, shell } = start();
  for (let round = 0; round < 20; round += 1) {
    shell.foregroundChanged({ pgid: JOB + round });
    clock.advance(150);
    shell.foregroundChanged({ pgid: ROOT });
    clock.advance(150);
  }
  expect(seen).toEqual(["1 idle process", "2 working process"]);
});

test("typing at the prompt is not work", () => {
  const { clock, seen, shell } = start();
  clock.advance(5000, () => {
    shell.outputAdvanced(JUST_TYPED_MS);
  });
  expect(seen).toEqual(["1 idle process"]);
  expect(clock.running).toBe(0);
});

test("a shell that prints by itself works while bytes flow, and is idle when they end", () => {
  const { clock, seen, shell } = start();
  clock.advance(3000, () => shell.outputAdvanced(NOT_TYPED));
  expect(seen).toEqual(["1 idle process", "2 working process"]);
  clock.advance(400);
  expect(seen.at(-1)).toBe("3 idle process");
  expect(clock.running).toBe(0);
});

test("a single late burst at the prompt is not work", () => {
  const { clock, seen, shell } = start();
  for (let minute = 0; minute < 5; minute += 1) {
    clock.advance(1000);
    shell.outputAdvanced(NOT_TYPED);
  }
  clock.advance(1000);
  expect(seen).toEqual(["1 idle process"]);
  expect(clock.running).toBe(0);
});

test("after a job a prompt that goes on printing single bytes is settled after 700 ms", () => {
  const { clock, seen, shell } = start();
  shell.foregroundChanged({ pgid: JOB });
  shell.foregroundChanged({ pgid: ROOT });
  for (let tick = 0; tick < 5; tick += 1) {
    shell.outputAdvanced(NOT_TYPED);
    clock.advance(200);
  }
  expect(seen).toEqual(["1 idle process", "2 working process", "3 idle process"]);
});

test("a title with a spinner is work and one without is not; another foreground process takes it away", () => {
  const { seen, shell } = start();
  shell.foregroundChanged({ pgid: JOB });
  shell.terminalChanged(facts({ title: "⠋ thinking" }));
  shell.terminalChanged(facts({ title: "ready" }));
  shell.terminalChanged(facts({ title: "⠙ thinking" }));
  shell.terminalChanged(facts({ title: "ready" }));
  shell.foregroundChanged({ pgid: JOB + 1 });
  expect(seen).toEqual([
    "1 idle process",
    "2 working process",
    "3 idle osc_title",
    "4 working osc_title",
    "5 idle osc_title",
    "6 working process",
  ]);
});

test("a progress report is work until it is cleared", () => {
  const { seen, shell } = start();
  shell.terminalChanged(facts({ progress: { state: "set", percent: 10 } }));
  shell.terminalChanged(facts({}));
  expect(seen).toEqual(["1 idle process", "2 working osc_progress", "3 idle process"]);
});

test("a command that is no shell works as long as it runs", () => {
  const { clock, seen, shell } = start(false);
  shell.outputAdvanced(NOT_TYPED);
  clock.advance(5000);
  expect(seen).toEqual(["1 working process"]);
  expect(clock.running).toBe(0);
});

test("disposing stops the timer", () => {
  const { clock, shell } = start();
  shell.outputAdvanced(NOT_TYPED);
  expect(clock.running).toBe(1);
  shell[Symbol.dispose]();
  expect(clock.running).toBe(0);
});

test("a submitted line is work until the prompt is quiet again, whatever the title said", () => {
  const { clock, seen, shell } = start();
  shell.terminalChanged(facts({ title: "user@host" }));
  shell.submitted();
  shell.terminalChanged(facts({ title: "user@host", revision: 2 }));
  expect(seen).toEqual(["1 idle process", "2 working process"]);
  shell.outputAdvanced(NOT_TYPED);
  clock.advance(1000);
  expect(seen).toEqual(["1 idle process", "2 working process", "3 idle process"]);
  expect(clock.running).toBe(0);
});
