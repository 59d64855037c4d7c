import type { ProtocolError } from "@pohunek/protocol/wire";
import type { Command } from "./command.ts";
import { closestName } from "./suggestion.ts";
import { usageError } from "./usage-error.ts";

/** How a command is called, and where it is: only the one that is called gets loaded. */
export interface Route {
  /** The command's own name first, then its aliases. */
  readonly names: readonly string[];
  readonly isHidden?: true;
  readonly load: () => Promise<Command>;
}

export interface FoundRoute {
  /** Undefined when no command was named. */
  readonly route: Route | undefined;
  /** All the words but those that named the command. */
  readonly rest: readonly string[];
}

const MAX_NAME_WORDS = 3;
/** The only flag with a value that may stand before the command. */
const HOST_FLAG = "--host";
const HELP_FLAGS = ["-h", "--help"];

/** Finds the command of a line: its name is the first words that are no flags. Throws `cli_usage`. */
export function findRoute(words: readonly string[], routes: readonly Route[]): FoundRoute {
  const start = firstPlainWord(words);
  if (start === undefined) return { route: undefined, rest: words };
  for (let count = MAX_NAME_WORDS; count > 0; count -= 1) {
    const name = words.slice(start, start + count).join(" ");
    const route = routes.find((one) => one.names.includes(name));
    if (route !== undefined) return { route, rest: [...words.slice(0, start), ...words.slice(start + count)] };
  }
  return { route: helpAboutGroup(words.slice(start), routes), rest: words.slice(start, start + 1) };
}

/** `plugin --help` asks about all commands that begin so. Throws `cli_usage` for what asks for nothing. */
function helpAboutGroup(words: readonly string[], routes: readonly Route[]): Route {
  const [first, second = ""] = words;
  const help = routes.find((one) => one.names.includes("help"));
  const isGroup = routes.some((one) => one.names.some((name) => name.startsWith(`${first} `)));
  if (help !== undefined && isGroup && HELP_FLAGS.includes(second)) return help;
  throw unknownCommand(words, routes);
}

function firstPlainWord(words: readonly string[]): number | undefined {
  for (let index = 0; index < words.length; index += 1) {
    const word = words[index] as string;
    if (word === "--") return undefined;
    if (word === HOST_FLAG) index += 1;
    else if (!word.startsWith("-")) return index;
  }
  return undefined;
}

function unknownCommand([first = "", second]: readonly string[], routes: readonly Route[]): ProtocolError {
  const names = routes.filter((one) => one.isHidden !== true).flatMap((one) => one.names);
  const members = names.filter((name) => name.startsWith(`${first} `)).map((name) => name.slice(first.length + 1));
  if (members.length > 0) {
    const isAlone = second === undefined || second.startsWith("-");
    const problem = isAlone ? `${first} needs a second word` : `there is no command "${first} ${second}"`;
    return usageError(`${problem}: ${members.join(", ")}`, `pohunek help ${first}`);
  }
  const near = closestName(first, names);
  return usageError(
    `there is no command "${first}"`,
    near === undefined ? "pohunek help" : `did you mean: pohunek ${near}`,
  );
}
