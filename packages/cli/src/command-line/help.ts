import type { Paint } from "../output/colour.ts";
import type { Argument, Command } from "./command.ts";
import type { Flag } from "./flag.ts";
import { flagText } from "./flag.ts";
import { GLOBAL_FLAGS } from "./parse.ts";
import { usageError } from "./usage-error.ts";

const INDENT = "  ";
const MIN_COLUMN = 26;
/** A terminal is rarely narrower, and longer lines read badly. */
const HELP_COLUMNS = 80;

interface HelpRequest {
  readonly command: Command | undefined;
  readonly paint: Paint;
}

/** Help about one command, or about all. */
export function helpText(commands: readonly Command[], request: HelpRequest): string {
  const lines =
    request.command === undefined ? overview(commands, request.paint) : about(request.command, request.paint);
  return `${lines.join("\n")}\n`;
}

/** The same for a program. */
export function helpDocument(commands: readonly Command[], command: Command | undefined): unknown {
  if (command === undefined) {
    const shown = commands.filter((one) => one.isHidden !== true);
    return shown.map(({ name, aliases = [], summary }) => ({ name, aliases, summary }));
  }
  const { name, aliases = [], summary, details = [] } = command;
  const flags = Object.entries(command.flags)
    .filter(([, flag]) => flag.isHidden !== true)
    .map(([flag, { summary: what }]) => ({ flag: flagText(flag), summary: what }));
  const words = (command.arguments ?? []).map((one) => ({ name: argumentText(one), summary: one.summary }));
  return { name, aliases, summary, details, arguments: words, flags };
}

/** The command that the words after `help` name. */
export function findCommand(commands: readonly Command[], words: readonly string[]): Command | undefined {
  const name = words.join(" ");
  return commands.find((one) => one.name === name || one.aliases?.includes(name));
}

/** Help about the words after `help`: a command, or the first word of several. */
export function helpFor(commands: readonly Command[], words: readonly string[], paint: Paint): string {
  const name = words.join(" ");
  if (name === "") return helpText(commands, { command: undefined, paint });
  const command = findCommand(commands, words);
  if (command !== undefined) return helpText(commands, { command, paint });
  const group = commands.filter((one) => one.isHidden !== true && one.name.startsWith(`${name} `));
  if (group.length === 0) throw usageError(`there is no command "${name}"`);
  return `${[...heading(`Commands of ${name}`, paint), ...columns(group.map(commandRow))].join("\n")}\n`;
}

function overview(commands: readonly Command[], paint: Paint): string[] {
  const shown = commands.filter((one) => one.isHidden !== true);
  const daily = shown.filter((one) => one.isDaily === true);
  const others = shown.filter((one) => one.isDaily !== true);
  return [
    "pohunek keeps terminal sessions of coding agents and shells alive.",
    "",
    `Usage: pohunek <command> [arguments]`,
    "",
    ...heading("Every day", paint),
    ...columns(daily.map((one): Row => [usageOf(shortName(one), one), one.summary])),
    "",
    ...heading("More", paint),
    ...columns(others.map(commandRow)),
    "",
    ...heading("Everywhere", paint),
    ...columns(flagRows(GLOBAL_FLAGS)),
    "",
    "A session is named by its name, its id, or an unmistakable beginning of its id.",
    "More about one command: pohunek help <command>",
  ];
}

function about(command: Command, paint: Paint): string[] {
  const names = [command.name, ...(command.aliases ?? [])].sort((one, other) => one.length - other.length);
  const [short = command.name, ...rest] = names;
  const flags = flagRows(command.flags);
  const globals = flagRows(GLOBAL_FLAGS).filter(([text]) => command.output !== "terminal" || !text.includes("--json"));
  return [
    `${command.summary}.`,
    "",
    `Usage: pohunek ${usageOf(short, command)}`,
    ...rest.map((name) => `   or: pohunek ${usageOf(name, command)}`),
    ...(command.details ?? []).flatMap((paragraph) => ["", ...wrapText(paragraph, HELP_COLUMNS)]),
    ...section(
      "Arguments",
      (command.arguments ?? []).map((one): Row => [argumentText(one), one.summary]),
      paint,
    ),
    ...section("Flags", flags, paint),
    ...section("Everywhere", globals, paint),
  ];
}

function section(title: string, rows: readonly Row[], paint: Paint): string[] {
  return rows.length === 0 ? [] : ["", ...heading(title, paint), ...columns(rows)];
}

function heading(title: string, paint: Paint): string[] {
  return [paint("bold", title)];
}

type Row = readonly [left: string, right: string];

function commandRow(command: Command): Row {
  return [usageOf(command.name, command), command.summary];
}

function usageOf(name: string, command: Command): string {
  return [name, ...(command.arguments ?? []).map(argumentText)].join(" ");
}

function shortName({ name, aliases = [] }: Command): string {
  return [name, ...aliases].find((one) => !one.includes(" ")) ?? name;
}

function argumentText(argument: Argument): string {
  const text = argument.isRest === true ? `${argument.name}...` : argument.name;
  return argument.isOptional === true ? `[${text}]` : `<${text}>`;
}

function flagRows(flags: Readonly<Record<string, Flag>>): Row[] {
  return Object.entries(flags)
    .filter(([, flag]) => flag.isHidden !== true)
    .map(([name, flag]) => {
      const value = flag.type === "switch" ? "" : ` ${flag.value}`;
      const short = flag.short === undefined ? "" : `-${flag.short}, `;
      return [`${short}${flagText(name)}${value}`, `${flag.summary}${choicesText(flag)}`];
    });
}

function choicesText(flag: Flag): string {
  return "choices" in flag && flag.choices !== undefined ? ` (${flag.choices.join(", ")})` : "";
}

function columns(rows: readonly Row[]): string[] {
  const width = Math.max(MIN_COLUMN, ...rows.map(([left]) => (left.length > MIN_COLUMN + 8 ? 0 : left.length)));
  const margin = " ".repeat(INDENT.length + width + INDENT.length);
  return rows.flatMap(([left, right]) => {
    const [first = "", ...more] = wrapText(right, HELP_COLUMNS - margin.length);
    const start = `${INDENT}${left}`;
    const rest = more.map((line) => margin + line);
    return left.length > width ? [start, margin + first, ...rest] : [start.padEnd(margin.length) + first, ...rest];
  });
}

/** Breaks text at spaces into lines of at most `width` columns. */
function wrapText(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}
