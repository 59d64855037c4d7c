import { resolve } from "node:path";
import type { ParamsOf, ResultOf } from "@pohunek/protocol";
import type { ClipboardRule } from "@pohunek/protocol/wire";
import { CLIPBOARD_RULES, LIMITS } from "@pohunek/protocol/wire";
import { command } from "../command-line/command.ts";
import type { FlagValues } from "../command-line/flag.ts";
import { usageError } from "../command-line/usage-error.ts";
import { connectHost } from "../connection/connect-host.ts";
import type { CommandContext } from "../context.ts";
import { plainText } from "../output/plain-text.ts";
import { confirmRemoteStart } from "../sessions/confirm-remote.ts";
import { DEFAULT_SIZE } from "../sessions/default-size.ts";
import { checkDisplayName, chooseName } from "../sessions/display-name.ts";
import { startSession } from "../sessions/start-session.ts";
import { readStandardInput } from "../terminal/standard-input.ts";

const MAX_REQUEST_TIMEOUT_MS = 600_000;

const FLAGS = {
  agent: { type: "text", value: "AGENT", completes: "agent", summary: "What to run (default shell); see: agents" },
  name: { type: "text", value: "NAME", short: "n", summary: "Its name; made from the command by default" },
  cwd: { type: "text", value: "DIRECTORY", summary: "Where it starts (default here)" },
  cols: { type: "integer", value: "COLUMNS", range: [1, LIMITS.screenColumns], summary: "Width (default 80)" },
  rows: { type: "integer", value: "ROWS", range: [1, LIMITS.screenRows], summary: "Height (default 24)" },
  project: { type: "text", value: "PROJECT", summary: "Start in a project instead of a directory" },
  repo: { type: "text", value: "PATH", summary: "Start in a worktree of this repository" },
  branch: { type: "text", value: "BRANCH", summary: "The worktree's branch" },
  baseBranch: { type: "text", value: "BRANCH", summary: "The branch that it begins at" },
  input: { type: "text", value: "TEXT", summary: "Text to type once it runs" },
  inputStdin: { type: "switch", summary: "Take that text from standard input" },
  stdin: { type: "switch", summary: "The same, in short" },
  requestTimeoutMs: {
    type: "integer",
    value: "MS",
    range: [1, MAX_REQUEST_TIMEOUT_MS],
    summary: "Wait so long for the daemon's answer",
  },
  clipboardWrite: {
    type: "text",
    value: "RULE",
    choices: CLIPBOARD_RULES,
    summary: "Whether it may copy to clipboards",
  },
  clipboardRead: { type: "text", value: "RULE", choices: CLIPBOARD_RULES, summary: "Whether it may read clipboards" },
  meta: { type: "pairs", value: "KEY=VALUE", summary: "Keep this with the session; can be repeated" },
  yes: { type: "switch", short: "y", summary: "Start on another host without asking" },
} as const;

export const sessionNew = command({
  name: "session new",
  aliases: ["new"],
  summary: "Start a session without showing it",
  isDaily: true,
  arguments: [{ name: "command", summary: "A command to run instead of the shell", isRest: true, isOptional: true }],
  flags: FLAGS,
  stopsAtFirstWord: true,
  async run(context, { words, flags }) {
    checkCombinations(flags, words);
    if (flags.name !== undefined) checkDisplayName(flags.name);
    const input = flags.inputStdin || flags.stdin ? readStandardInput() : flags.input;
    confirmRemoteStart(context, flags.yes);
    await using client = await connectHost(context, { startsDaemon: true, requestTimeoutMs: flags.requestTimeoutMs });
    const params = newParams(context, { flags, words, input });
    const named = chooseName(flags.name, words[0] ?? ownName(params));
    const started = await startSession(context, client, { ...params, ...named });
    return { ok: started, human: () => startedText(started) };
  },
});

function startedText({
  name,
  id,
  activity,
  applied_input: applied,
  input_id: inputId,
}: ResultOf<"session.new">): string {
  const label = plainText(name ?? id);
  if (inputId === undefined || applied !== undefined) return `started ${label}\n`;
  const reason = activity === "blocked" ? `asks something first (pohunek answer ${label})` : "is not ready for it yet";
  return `started ${label}, which ${reason}; its input waits (pohunek receipts ${label})\n`;
}

function checkCombinations(flags: FlagValues<typeof FLAGS>, words: readonly string[]): void {
  if (flags.project !== undefined && flags.repo !== undefined)
    throw usageError("--project and --repo exclude each other");
  if (flags.repo !== undefined && flags.branch === undefined) throw usageError("--repo needs --branch");
  const inputs = [flags.input !== undefined, flags.inputStdin || flags.stdin].filter(Boolean);
  if (inputs.length > 1) throw usageError("--input and --input-stdin exclude each other");
  if (flags.cwd === "" || flags.repo === "") throw usageError("an empty text names no directory");
  if (words.length > 0 && (flags.agent ?? "shell") !== "shell")
    throw usageError("a command runs in a shell session only");
}

interface Wanted {
  readonly flags: FlagValues<typeof FLAGS>;
  readonly words: readonly string[];
  readonly input: string | undefined;
}

function newParams(context: CommandContext, { flags, words, input }: Wanted): ParamsOf<"session.new"> {
  const hasOwnPlace = flags.project !== undefined || flags.repo !== undefined;
  const cwd = flags.cwd === undefined ? (hasOwnPlace ? undefined : context.settings.cwd) : absolute(context, flags.cwd);
  return {
    agent: flags.agent ?? "shell",
    cols: flags.cols ?? DEFAULT_SIZE.cols,
    rows: flags.rows ?? DEFAULT_SIZE.rows,
    ...(cwd === undefined ? {} : { cwd }),
    ...(flags.project === undefined ? {} : { project: flags.project }),
    ...(flags.repo === undefined ? {} : { repo: absolute(context, flags.repo) }),
    ...(flags.branch === undefined ? {} : { branch: flags.branch }),
    ...(flags.baseBranch === undefined ? {} : { base_branch: flags.baseBranch }),
    ...(input === undefined ? {} : { input }),
    ...(words.length === 0 ? {} : { command: [...words] }),
    ...clipboardParams(flags),
    ...(Object.keys(flags.meta).length === 0 ? {} : { metadata: { ...flags.meta } }),
  };
}

function clipboardParams(flags: FlagValues<typeof FLAGS>): Pick<ParamsOf<"session.new">, "clipboard"> {
  // The parser has checked the choices.
  const write = flags.clipboardWrite as ClipboardRule | undefined;
  const read = flags.clipboardRead as ClipboardRule | undefined;
  if (write === undefined && read === undefined) return {};
  return { clipboard: { ...(write === undefined ? {} : { write }), ...(read === undefined ? {} : { read }) } };
}

/** What a session without a command is called after. */
function ownName({ agent, cwd, repo, project }: ParamsOf<"session.new">): string {
  return agent === "shell" ? (cwd ?? repo ?? project ?? agent) : agent;
}

/**
 * The daemon has a directory of its own, so a relative path would mean another there. A tilde that no shell has replaced
 * means the home of the host where the session starts.
 */
function absolute(context: CommandContext, path: string): string {
  return path === "~" || path.startsWith("~/") ? path : resolve(context.settings.cwd, path);
}
