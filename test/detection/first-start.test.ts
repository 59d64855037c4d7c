import { expect, test } from "bun:test";
import { playScenes, toldOf } from "./support/scenes.ts";

const edge = (text: string): string => `│ ${text.padEnd(72)} │`;

/** As the programs draw them when they are started for the first time, without an account. */
const CODEX = [
  "  Welcome to Codex, OpenAI's command-line coding agent",
  "",
  "  Choose how you want to use Codex.",
  "",
  "> 1. Sign in with ChatGPT",
  "     Usage included with Plus, Pro, Business, and Enterprise plans",
  "",
  "  2. Sign in with Device Code",
  "     Sign in from another device with a one-time code",
  "",
  "  3. Sign in another way",
  "     Use an API key or another provider",
  "",
  "  Press enter to continue",
];
const QWEN = [
  `┌${"─".repeat(74)}┐`,
  edge(""),
  edge("Connect a Provider"),
  edge(""),
  edge("› Alibaba ModelStudio"),
  edge("  Official recommended setup: Coding Plan, Token Plan, or Standard API"),
  edge("  Key"),
  edge("  Third-party Providers"),
  edge("  Choose a built-in provider and connect with an API key"),
  edge(""),
  edge("  Custom Provider"),
  edge("  Manually connect a local server, proxy, or unsupported provider"),
  edge(""),
  edge("─".repeat(72)),
  edge("────────"),
  edge("Terms of Services and Privacy Notice:"),
  edge("https://qwenlm.github.io/qwen-code-docs/en/users/support/tos-privacy/"),
  edge(""),
  `└${"─".repeat(74)}┘`,
];
const COPILOT = [
  " [Current]  Sessions   Issues   Pull requests   Gists",
  "",
  " ● Tip: /mcp",
  "   └ Manage MCP server configuration",
  "",
  `╭${"─".repeat(74)}╮`,
  edge("Confirm folder trust"),
  edge("─".repeat(72)),
  edge("/home/dev/proj"),
  edge(""),
  edge("Copilot can read files in this folder and, with your permission, edit"),
  edge("them or run code. It will remember your permissions for the rest of this"),
  edge("session."),
  edge(""),
  edge("Do you trust the files in this folder?"),
  edge(""),
  edge("❯ 1. Yes"),
  edge("  2. Yes, and remember this folder for future sessions"),
  edge("  3. No (Esc)"),
  edge(""),
  edge("↑/↓ to navigate · enter to select · esc to cancel"),
  `╰${"─".repeat(74)}╯`,
];

test.each([
  ["codex", CODEX, { state: "blocked auth", question: "Choose how you want to use Codex" }],
  ["qwen", QWEN, { state: "blocked auth", question: "Connect a Provider" }],
  ["copilot", COPILOT, { state: "blocked trust", question: "Do you trust the files in this folder?" }],
] as const)("the first start of %s needs somebody, and says for what", (runtime, rows, { state, question }) => {
  const timeline = playScenes(runtime, [{ atMs: 0, rows }]);
  expect(toldOf(timeline).at(-1)).toBe(state);
  expect(timeline.at(-1)?.activity.detail?.question?.text).toBe(question);
});

test("the same words in an answer of the model are no question while the composer is there", () => {
  const composer = ["", "› Ask Codex to do anything", "", "  GPT-6-Sol default · /tmp/proj", "  ? for shortcuts"];
  const told = toldOf(playScenes("codex", [{ atMs: 0, title: "proj", rows: [...CODEX, ...composer] }]));
  expect(told.filter((word) => word.startsWith("blocked"))).toEqual([]);
});
