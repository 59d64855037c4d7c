import { describe, expect, test } from "bun:test";
import { readdirSync } from "node:fs";
import { join } from "node:path";
import type { Scene } from "./support/scenes.ts";
import { CLAUDE, playScenes, toldOf } from "./support/scenes.ts";

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const RUNTIMES = readdirSync(join(import.meta.dir, "..", "..", "runtimes")).sort();

/** Without what is said before the first look. */
function states(timeline: Parameters<typeof toldOf>[0]): string[] {
  return toldOf(timeline).filter((word) => word !== "unknown");
}

test("a static composer is idle within a second, and stays so (C34)", () => {
  const timeline = playScenes(
    "claude",
    [
      { atMs: 0, rows: CLAUDE.working() },
      { atMs: 5 * SECOND, rows: CLAUDE.idle() },
    ],
    { quietMs: MINUTE },
  );
  expect(states(timeline)).toEqual(["working", "idle"]);
  expect(timeline.at(-1)?.atMs).toBeLessThanOrEqual(6 * SECOND);
});

const LISTS: readonly (readonly [string, readonly string[]])[] = [
  [
    "a list of three with its keys",
    [
      " Resume a session",
      "",
      " ❯ 1. Fix the tests",
      "   2. Write docs",
      "   3. New session",
      "",
      " Enter to confirm · Esc to cancel",
    ],
  ],
  [
    "a question about trust with arrow keys",
    [
      " Do you trust the files in this folder?",
      "",
      " ❯ Yes, I trust it",
      "   No, exit",
      "",
      " ↑/↓ to move · Enter to select · Esc to exit",
    ],
  ],
  [
    "the list in other words",
    [" Which one shall it be?", "", " ❯ 1. The first", "   2. The second", "   3. None of them"],
  ],
];

describe.each(RUNTIMES.filter((name) => name !== "hermes"))("%s", (runtime) => {
  test.each(LISTS)("is blocked by %s (C35)", (_, rows) => {
    expect(states(playScenes(runtime, [{ atMs: 0, rows }])).map((word) => word.split(" ")[0])).toEqual(["blocked"]);
  });

  test("is unknown where no rule knows the screen, never idle", () => {
    expect(states(playScenes(runtime, [{ atMs: 0, rows: ["something", "that nobody knows"] }]))).toEqual([]);
  });

  test("is not held up by a hostile screen", () => {
    const rows = Array.from({ length: 200 }, (_, row) => "❯ 1. (esc to a(((".repeat(40).slice(row % 7, 500));
    const startedMs = performance.now();
    playScenes(runtime, [{ atMs: 0, rows }], { cols: 500, rows: 200 });
    expect(performance.now() - startedMs).toBeLessThan(5 * SECOND);
  });
});

test("retries with a ready-looking screen between them are one period, and end once (C37)", () => {
  const retries = Array.from({ length: 6 }, (_, index): Scene[] => {
    const atMs = (index + 1) * 100 * SECOND;
    const row = `✻ API error · retrying in 0s · attempt ${index + 1}/10`;
    return [
      { atMs, rows: CLAUDE.working(80, ["❯ go on", "", row]) },
      { atMs: atMs + 20 * SECOND, rows: CLAUDE.idle(80, ["❯ go on"]) },
      { atMs: atMs + 20 * SECOND + 400, rows: CLAUDE.working() },
    ];
  });
  const timeline = playScenes("claude", [
    { atMs: 0, rows: CLAUDE.working() },
    ...retries.flat(),
    { atMs: 700 * SECOND, rows: CLAUDE.working() },
    { atMs: 710 * SECOND, rows: CLAUDE.idle() },
  ]);
  const told = states(timeline);
  expect(told.filter((word) => word.startsWith("idle"))).toEqual(["idle"]);
  expect(told.at(-1)).toBe("idle");
  expect(told).toContain("working retrying");
});

describe("a silent agent (C40)", () => {
  const spins: Scene[] = [{ atMs: 0, rows: CLAUDE.working() }];

  test("that uses no processor is stuck after five minutes, which is told once", () => {
    const timeline = playScenes("claude", spins, { quietMs: 30 * MINUTE, cpuSeconds: (atMs) => atMs / 1_000_000 });
    expect(states(timeline)).toEqual(["working", "working stuck"]);
    expect(timeline.at(-1)?.atMs).toBeGreaterThanOrEqual(5 * MINUTE);
    expect(timeline.at(-1)?.atMs).toBeLessThanOrEqual(6 * MINUTE);
  });

  test("whose child computes is at work", () => {
    const timeline = playScenes("claude", spins, { quietMs: 20 * MINUTE, cpuSeconds: (atMs) => atMs / 1_000 });
    expect(states(timeline)).toEqual(["working"]);
  });

  test("of which the processor time is not known is at work", () => {
    expect(states(playScenes("claude", spins, { quietMs: 20 * MINUTE }))).toEqual(["working"]);
  });

  test("is at work again as soon as it prints", () => {
    const scenes = [...spins, { atMs: 10 * MINUTE, rows: CLAUDE.working(80, ["❯ go on", "", "✶ Galloping… (600s)"]) }];
    const timeline = playScenes("claude", scenes, { cpuSeconds: () => 1 });
    expect(states(timeline)).toEqual(["working", "working stuck", "working"]);
  });
});

describe("a question in what the model says", () => {
  test("is none while the composer is there", () => {
    for (const above of [CLAUDE.approval, ["● It asks:", ...CLAUDE.approval, "", "● and waits."]]) {
      const idle = playScenes("claude", [{ atMs: 0, rows: CLAUDE.idle(80, above) }]);
      expect(states(idle)).toEqual(["idle"]);
      const working = playScenes("claude", [{ atMs: 0, rows: CLAUDE.working(80, above) }]);
      expect(states(working)).toEqual(["working"]);
    }
  });

  test("is none for the others either", () => {
    const codex = [
      "• Codex asks:",
      "  Would you like to run the following command?",
      "› 1. Yes, proceed (y)",
      "  2. No (esc)",
      "  Press enter to confirm or esc to cancel",
      "",
      "› Ask Codex to do anything",
      "",
      "  GPT-6-Sol default · /tmp/proj",
      "  ? for shortcuts",
    ];
    expect(states(playScenes("codex", [{ atMs: 0, title: "proj", rows: codex }]))).toEqual(["idle"]);
    const gemini = [
      "✦ It shows:",
      " Allow execution of [Shell]?",
      " ● 1. Allow once",
      "   2. No, suggest changes (esc)",
      "",
      " Shift+Tab to accept edits",
      "",
      " >   Type your message or @path/to/file",
      "",
      " workspace (/directory)      /model",
      " /tmp/proj      gemini-2.5-pro",
    ];
    expect(states(playScenes("gemini", [{ atMs: 0, title: "◇  Ready (proj)", rows: gemini }]))).toEqual(["idle"]);
    const copilot = [
      " ● It shows a box:",
      " Do you want to run this command?",
      " ❯ 1. Yes",
      "   2. No",
      " ↑/↓ to navigate · enter to select · esc to cancel",
      "",
      " /tmp/proj",
      "────────────",
      "❯",
      "────────────",
      " ← open sidebar · Interactive",
    ];
    expect(states(playScenes("copilot", [{ atMs: 0, rows: copilot }]))).toEqual(["idle"]);
  });
});

describe("a narrow terminal", () => {
  test("shows a question of which the words are broken over rows", () => {
    const timeline = playScenes("claude", [{ atMs: 0, rows: CLAUDE.approval }], { cols: 40 });
    expect(states(timeline)).toEqual(["blocked approval"]);
    expect(timeline.at(-1)?.activity.detail?.question?.options).toEqual([
      { key: "1", label: "Yes", isSelected: true },
      { key: "2", label: "Yes, and always allow access to /tmp/proj from this project", isSelected: false },
      { key: "3", label: "No", isSelected: false },
    ]);
    const codex = [
      "  Would you like to run the following",
      "  command?",
      "",
      "  $ touch /home/dev/a.txt",
      "",
      "› 1. Yes, proceed (y)",
      "  2. Yes, and don't ask again for",
      "     commands that start with `touch` (p)",
      "  3. No, and tell Codex what to do",
      "     differently (esc)",
      "",
      "  Press enter to confirm or esc to",
      "  cancel",
    ];
    const asked = playScenes("codex", [{ atMs: 0, rows: codex }], { cols: 40 });
    expect(states(asked)).toEqual(["blocked approval"]);
    expect(asked.at(-1)?.activity.detail?.question?.options.length).toBe(3);
  });

  test("and a change of the width in the middle of a turn make no other state", () => {
    const timeline = playScenes("claude", [
      { atMs: 0, rows: CLAUDE.working(80) },
      { atMs: 2 * SECOND, cols: 40 },
      { atMs: 2.2 * SECOND, rows: CLAUDE.working(40) },
      { atMs: 4 * SECOND, cols: 120 },
      { atMs: 4.2 * SECOND, rows: CLAUDE.working(120) },
      { atMs: 6 * SECOND, rows: CLAUDE.approval },
      { atMs: 8 * SECOND, cols: 40 },
      { atMs: 8.2 * SECOND, rows: CLAUDE.approval },
      { atMs: 10 * SECOND, rows: CLAUDE.idle(40) },
    ]);
    expect(states(timeline)).toEqual(["working", "blocked approval", "idle"]);
  });
});

test("a question below much text that scrolled away is one", () => {
  const text = Array.from({ length: 200 }, (_, row) => `  line ${row} of the command`);
  const rows = [...text, ...CLAUDE.approval];
  expect(states(playScenes("claude", [{ atMs: 0, rows }]))).toEqual(["blocked approval"]);
});

describe("a question that is reported", () => {
  const ESC = "\x1b]7501;state=";

  test("is told with the text of the screen that came with it, never with that of the one before", () => {
    const approvalOf = (file: string): string[] => CLAUDE.approval.map((row) => row.replace("a.txt", file));
    const timeline = playScenes("claude", [
      { atMs: 0, rows: [`${ESC}working\x07`, ...CLAUDE.working()] },
      { atMs: 2 * SECOND, rows: [`${ESC}blocked:kind=permission\x07`, ...approvalOf("a.txt")] },
      { atMs: 4 * SECOND, rows: [`${ESC}working\x07`, ...CLAUDE.working()] },
      // Told half a second before it is drawn.
      { atMs: 6 * SECOND, rows: [`${ESC}blocked:kind=permission\x07`, ...CLAUDE.working()] },
      { atMs: 6.5 * SECOND, rows: approvalOf("b.txt") },
    ]);
    const asked = timeline.filter(({ activity }) => activity.activity === "blocked");
    expect(asked.map(({ activity }) => activity.detail?.question?.text)).toEqual([
      undefined,
      "Bash command touch a.txt Do you want to proceed?",
      undefined,
      "Bash command touch b.txt Do you want to proceed?",
    ]);
  });

  test("is told once, however its marks blink", () => {
    const scenes = Array.from({ length: 10 }, (_, blink): Scene => {
      const mark = blink % 2 === 0 ? "●" : " ";
      return { atMs: blink * 600, rows: CLAUDE.approval.map((row) => row.replace("touch", `${mark} touch`)) };
    });
    expect(states(playScenes("claude", scenes))).toEqual(["blocked approval"]);
  });
});

test("an agent that reports its state is told to retry by its screen", () => {
  const retrying = ["❯ go on", "", "✻ API error · retrying in 9s · attempt 2/10"];
  const timeline = playScenes("claude", [
    { atMs: 0, rows: ["\x1b]7501;state=working\x07", ...CLAUDE.working()] },
    { atMs: 10 * SECOND, rows: CLAUDE.working(80, retrying) },
    { atMs: 20 * SECOND, rows: CLAUDE.working() },
    { atMs: 30 * SECOND, rows: ["\x1b]7501;state=done\x07", ...CLAUDE.idle(80, retrying)] },
  ]);
  expect(states(timeline)).toEqual(["working", "working retrying", "working", "idle"]);
  const { detail } = timeline.find(({ activity }) => activity.detail?.kind === "retrying")?.activity ?? {};
  expect(detail?.evidence.source).toBe("osc_7501");
  expect(detail?.untilMs).toBeGreaterThan(19 * SECOND);
  expect(detail?.untilMs).toBeLessThan(22 * SECOND);
});

describe("a prompt that was submitted", () => {
  const IDLE = CLAUDE.idle(80, ["● Done before."]);
  const TYPED = IDLE.map((row) => (row === "❯ " ? "❯ do the next thing" : row));

  test("counts as work while its agent shows nothing of it", () => {
    const timeline = playScenes("claude", [
      { atMs: 0, rows: IDLE },
      { atMs: 2 * SECOND, rows: TYPED },
      { atMs: 3 * SECOND, isSubmitted: true },
      { atMs: 3.5 * SECOND, rows: [""] },
      { atMs: 4 * SECOND, rows: IDLE },
      { atMs: 8 * SECOND, rows: CLAUDE.working() },
      { atMs: 9 * SECOND, rows: CLAUDE.idle(80, ["● Done again."]) },
    ]);
    expect(states(timeline)).toEqual(["idle", "working", "idle"]);
    expect(timeline.at(-1)?.atMs).toBeGreaterThan(9 * SECOND);
  });

  test("that is answered between two looks is over as soon as the answer is there", () => {
    const timeline = playScenes("claude", [
      { atMs: 0, rows: IDLE },
      { atMs: 2 * SECOND, rows: TYPED },
      { atMs: 3 * SECOND, isSubmitted: true },
      { atMs: 3.1 * SECOND, rows: CLAUDE.idle(80, ["❯ do the next thing", "● An answer at once."]) },
    ]);
    expect(states(timeline)).toEqual(["idle", "working", "idle"]);
    expect(timeline.at(-1)?.atMs).toBeLessThanOrEqual(4.1 * SECOND);
  });

  test("and of which nothing ever comes is over after ten seconds", () => {
    const timeline = playScenes(
      "claude",
      [
        { atMs: 0, rows: IDLE },
        { atMs: 3 * SECOND, isSubmitted: true },
      ],
      {
        quietMs: 20 * SECOND,
      },
    );
    expect(states(timeline)).toEqual(["idle", "working", "idle"]);
    expect(timeline.at(-1)?.atMs).toBeLessThanOrEqual(14 * SECOND);
  });
});

test("a question of an agent whose colours alone tell what is selected (seen, not recorded)", () => {
  const rows = [
    "     ▣  Build · Scripted",
    "",
    "  ┃",
    "  ┃  Which colour?",
    "  ┃",
    "  ┃  1. Red",
    "  ┃     The red one",
    "  ┃  2. Blue",
    "  ┃     The blue one",
    "  ┃",
    "  ┃  ↑↓ select  enter submit  esc dismiss",
    "  ┃",
  ];
  const timeline = playScenes("opencode", [{ atMs: 0, rows }]);
  expect(states(timeline)).toEqual(["blocked question"]);
  const { question } = timeline.at(-1)?.activity.detail ?? {};
  expect(question?.text).toContain("Which colour?");
  expect(question?.options.map(({ key, label }) => `${key} ${label}`)).toEqual([
    "1 Red The red one",
    "2 Blue The blue one",
  ]);
});
