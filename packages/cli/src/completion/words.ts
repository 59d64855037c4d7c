import type { Command } from "../command-line/command.ts";
import type { Flags } from "../command-line/flag.ts";
import { flagText } from "../command-line/flag.ts";
import { GLOBAL_FLAGS } from "../command-line/parse.ts";

/** One way to name a command, as a completion script needs it. */
export interface CompletionEntry {
  /** `ls`, or `session list`. */
  readonly name: string;
  readonly summary: string;
  readonly flags: readonly { readonly text: string; readonly summary: string; readonly takesAgent: boolean }[];
  /** True when its first argument is a session. */
  readonly takesSession: boolean;
  /** What its first argument may be, where that is a short list. */
  readonly choices: readonly string[];
}

/** All names of all shown commands, sorted. */
export function completionEntries(commands: readonly Command[]): CompletionEntry[] {
  const shown = commands.filter((one) => one.isHidden !== true);
  const entries = shown.flatMap((one) => [one.name, ...(one.aliases ?? [])].map((name) => entryOf(name, one)));
  return entries.sort((one, other) => (one.name < other.name ? -1 : 1));
}

function entryOf(name: string, command: Command): CompletionEntry {
  const all: Flags = { ...command.flags, ...GLOBAL_FLAGS };
  const flags = Object.entries(all)
    .filter(([flag, { isHidden }]) => isHidden !== true && !(flag === "json" && command.output === "terminal"))
    .map(([flag, definition]) => ({
      text: flagText(flag),
      summary: definition.summary,
      takesAgent: definition.type === "text" && definition.completes === "agent",
    }));
  const completes = command.arguments?.[0]?.completes;
  const words = name.split(" ");
  // The scripts know names of two words; a third one is completed as if it were the first argument.
  const third = words.slice(2);
  const choices = completes === undefined || completes === "session" ? third : completes;
  const takesSession = completes === "session";
  return { name: words.slice(0, 2).join(" "), summary: command.summary, flags, takesSession, choices };
}

/** First words, each with what it is about. */
export function firstWords(entries: readonly CompletionEntry[]): { readonly word: string; readonly summary: string }[] {
  const words = new Map<string, string>();
  for (const { name, summary } of entries) {
    const [word = "", second] = name.split(" ");
    if (second === undefined || !words.has(word))
      words.set(word, second === undefined ? summary : `Commands about a ${word}`);
  }
  return [...words].map(([word, summary]) => ({ word, summary }));
}

/** First words that need a second one, with those. */
export function groups(entries: readonly CompletionEntry[]): ReadonlyMap<string, readonly CompletionEntry[]> {
  const found = new Map<string, CompletionEntry[]>();
  for (const entry of entries) {
    const [word = "", second] = entry.name.split(" ");
    if (second !== undefined) found.set(word, [...(found.get(word) ?? []), entry]);
  }
  return found;
}

/** Text inside single quotes of any of the three shells. Summaries hold no backslash. */
export function quote(text: string): string {
  return `'${text.replaceAll("'", "’")}'`;
}
