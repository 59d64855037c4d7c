import type { CompletionEntry } from "./words.ts";
import { firstWords, groups, quote } from "./words.ts";

/** A completion script for bash 4 and newer. */
export function bashScript(entries: readonly CompletionEntry[], isDynamic: boolean): string {
  return `# bash completion for pohunek; made by: pohunek completions bash${isDynamic ? " --dynamic" : ""}
_pohunek() {
  local cur=\${COMP_WORDS[COMP_CWORD]} word index
  local words=() depth=0 flags='' kind='' choices=''
  COMPREPLY=()
  if ((COMP_CWORD > 1)) && [[ \${COMP_WORDS[COMP_CWORD - 1]} == --agent ]]; then
    ${isDynamic ? "_pohunek_names agents" : ":"}
    return
  fi
  for ((index = 1; index < COMP_CWORD; index++)); do
    word=\${COMP_WORDS[index]}
    [[ $word == -* ]] || words+=("$word")
  done
  case "\${words[0]-} \${words[1]-}" in
${entries
  .filter(isPair)
  .map((entry) => caseLine(`${quote(entry.name)}`, entry, 2))
  .join("\n")}
  esac
  if ((depth == 0)); then
    case "\${words[0]-}" in
${entries
  .filter((entry) => !isPair(entry))
  .map((entry) => caseLine(entry.name, entry, 1))
  .join("\n")}
${[...groups(entries)].map(([word, members]) => groupLine(word, members)).join("\n")}
      '') choices='${firstWords(entries)
        .map(({ word }) => word)
        .join(" ")}' ;;
    esac
  fi
  if [[ $cur == -* ]]; then
    mapfile -t COMPREPLY < <(compgen -W "$flags" -- "$cur")
  elif [[ $kind == session ]] && ((\${#words[@]} == depth)); then
    ${isDynamic ? "_pohunek_names sessions" : ":"}
  elif ((depth == 0 || \${#words[@]} == depth)); then
    mapfile -t COMPREPLY < <(compgen -W "$choices" -- "$cur")
  fi
}
${isDynamic ? NAMES : ""}complete -F _pohunek pohunek
`;
}

const NAMES = `_pohunek_names() {
  local name rest
  while IFS=$'\\t' read -r name rest; do
    [[ $name == "$cur"* ]] && COMPREPLY+=("$(printf '%q' "$name")")
  done < <(pohunek complete "$1" 2>/dev/null)
}
`;

function isPair({ name }: CompletionEntry): boolean {
  return name.includes(" ");
}

function caseLine(pattern: string, entry: CompletionEntry, depth: number): string {
  const flags = entry.flags.map(({ text }) => text).join(" ");
  const kind = entry.takesSession ? " kind=session" : "";
  const choices = entry.choices.length === 0 ? "" : ` choices=${quote(entry.choices.join(" "))}`;
  return `    ${pattern}) depth=${depth} flags=${quote(flags)}${kind}${choices} ;;`;
}

function groupLine(word: string, members: readonly CompletionEntry[]): string {
  return `    ${word}) ((\${#words[@]} == 1)) && choices=${quote(members.map(({ name }) => name.split(" ")[1]).join(" "))} ;;`;
}
