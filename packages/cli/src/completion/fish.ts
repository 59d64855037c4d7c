import type { CompletionEntry } from "./words.ts";
import { firstWords, groups, quote } from "./words.ts";

/** Completions for fish 3 and newer. */
export function fishScript(entries: readonly CompletionEntry[], isDynamic: boolean): string {
  const lines = [
    `# fish completion for pohunek; made by: pohunek completions fish${isDynamic ? " --dynamic" : ""}`,
    PLAIN_WORDS,
    "complete -c pohunek -f",
    ...firstWords(entries).map(({ word, summary }) => offer("__pohunek_at", word, summary)),
    ...[...groups(entries)].flatMap(([word, members]) =>
      members.map(({ name, summary }) => offer(`__pohunek_at ${word}`, name.split(" ")[1] ?? "", summary)),
    ),
    ...entries.flatMap((entry) => entryLines(entry, isDynamic)),
  ];
  return `${lines.join("\n")}\n`;
}

/** Succeeds when exactly these words, flags apart, have been typed so far; `__pohunek_in` when they begin with these. */
const PLAIN_WORDS = `function __pohunek_words
    string match --invert -- '-*' (commandline -opc)[2..]
end
function __pohunek_at
    set -l words (__pohunek_words)
    test "$words" = "$argv"
end
function __pohunek_in
    set -l words (__pohunek_words)
    set -l count (count $argv)
    test (count $words) -ge $count; and test "$words[1..$count]" = "$argv"
end`;

function entryLines(entry: CompletionEntry, isDynamic: boolean): string[] {
  const flags = entry.flags.map(
    ({ text, summary, takesAgent }) =>
      `complete -c pohunek -n '__pohunek_in ${entry.name}' -l ${text.slice(2)} -d ${quote(summary)}${takesAgent && isDynamic ? AGENTS : ""}`,
  );
  if (entry.takesSession) {
    if (!isDynamic) return flags;
    return [
      ...flags,
      `complete -c pohunek -n '__pohunek_at ${entry.name}' -a '(pohunek complete sessions 2>/dev/null)'`,
    ];
  }
  const choices = entry.choices.map((word) => offer(`__pohunek_at ${entry.name}`, word, ""));
  return [...flags, ...choices];
}

function offer(condition: string, word: string, summary: string): string {
  return `complete -c pohunek -n '${condition}' -a ${word}${summary === "" ? "" : ` -d ${quote(summary)}`}`;
}

const AGENTS = " -x -a '(pohunek complete agents 2>/dev/null)'";
