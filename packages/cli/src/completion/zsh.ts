import type { CompletionEntry } from "./words.ts";
import { firstWords, groups, quote } from "./words.ts";

/** A completion function for zsh 5 and newer. */
export function zshScript(entries: readonly CompletionEntry[], isDynamic: boolean): string {
  return `#compdef pohunek
# zsh completion for pohunek; made by: pohunek completions zsh${isDynamic ? " --dynamic" : ""}
_pohunek() {
  local word kind=''
  local -i index depth=0
  local -a plain flags choices
  if [[ \${words[CURRENT - 1]} == --agent ]]; then
    ${isDynamic ? "_pohunek_names agents" : ":"}
    return
  fi
  for ((index = 2; index < CURRENT; index++)); do
    word=\${words[index]}
    [[ $word == -* ]] || plain+=("$word")
  done
  case "\${plain[1]-} \${plain[2]-}" in
${entries
  .filter(isPair)
  .map((entry) => caseLine(`(${quote(entry.name)})`, entry, 2))
  .join("\n")}
  esac
  if ((depth == 0)); then
    case "\${plain[1]-}" in
${entries
  .filter((entry) => !isPair(entry))
  .map((entry) => caseLine(`(${entry.name})`, entry, 1))
  .join("\n")}
${[...groups(entries)].map(([word, members]) => groupLine(word, members)).join("\n")}
    ('') choices=(${firstWords(entries)
      .map(({ word, summary }) => described(word, summary))
      .join(" ")}) ;;
    esac
  fi
  if [[ $PREFIX == -* ]]; then
    _describe -o flag flags
  elif [[ $kind == session ]] && ((\${#plain} == depth)); then
    ${isDynamic ? "_pohunek_names sessions" : ":"}
  elif ((depth == 0 || \${#plain} == depth)); then
    _describe word choices
  fi
}
${isDynamic ? NAMES : ""}if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
  _pohunek "$@"
else
  compdef _pohunek pohunek
fi
`;
}

const NAMES = `_pohunek_names() {
  local -a names texts
  local name text
  while IFS=$'\\t' read -r name text; do
    names+=("$name")
    texts+=("$name -- $text")
  done < <(pohunek complete "$1" 2>/dev/null)
  compadd -l -d texts -a names
}
`;

function isPair({ name }: CompletionEntry): boolean {
  return name.includes(" ");
}

function caseLine(pattern: string, entry: CompletionEntry, depth: number): string {
  const flags = entry.flags.map(({ text, summary }) => described(text, summary)).join(" ");
  const kind = entry.takesSession ? " kind=session" : "";
  const choices = entry.choices.length === 0 ? "" : ` choices=(${entry.choices.map(quote).join(" ")})`;
  return `    ${pattern} depth=${depth} flags=(${flags})${kind}${choices} ;;`;
}

function groupLine(word: string, members: readonly CompletionEntry[]): string {
  const choices = members.map(({ name, summary }) => described(name.split(" ")[1] ?? "", summary)).join(" ");
  return `    (${word}) ((\${#plain} == 1)) && choices=(${choices}) ;;`;
}

/** `word:summary`, where a colon in the word has to be escaped; none has one. */
function described(word: string, summary: string): string {
  return quote(`${word}:${summary}`);
}
