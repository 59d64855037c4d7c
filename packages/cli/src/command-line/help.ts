import type { Paint } from "../output/colour.ts";
import type { Argument, Command } from "./command.ts";
import type { Flag } from "./flag.ts";
import { flagText } from "./flag.ts";
import { GLOBAL_FLAGS } from "./parse.ts";
import { usageError } from "./usage-error.ts";

const INDENT = "  ";
const MIN_COLUMN = 26;

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

/** Help about the words after `help`: a command, or the first word of several. */
export function helpFor(commands: readonly Command[], words: readonly string[], paint: Paint): string {
  const name = words.join(" ");
  if (name === "") return helpText(commands, { command: undefined, paint });
  const command = commands.find((one) => one.name === name || one.aliases?.includes(name));
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
    "A session is named by its name, its id, or a beginning of its id that no other has.",
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
    ...(command.details ?? []).flatMap((paragraph) => ["", paragraph]),
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
  return rows.map(([left, right]) => {
    const gap = left.length > width ? `\n${INDENT}${" ".repeat(width)}` : " ".repeat(width - left.length);
    return `${INDENT}${left}${gap}${INDENT}${right}`;
  });
}
