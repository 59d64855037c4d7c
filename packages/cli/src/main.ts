import type { ProtocolError } from "@pohunek/protocol/wire";
import { isProtocolError, protocolError } from "@pohunek/protocol/wire";
import type { Command } from "./command-line/command.ts";
import { asksForJson, parseCommandLine } from "./command-line/parse.ts";
import { COMMANDS } from "./commands/table.ts";
import type { Environment, Settings } from "./config.ts";
import { readSettings } from "./config.ts";
import type { CommandContext, Signals } from "./context.ts";
import { choosePaint } from "./output/colour.ts";
import { failureDocument, successDocument } from "./output/envelope.ts";
import { errorDocument, errorText, exitCodeOf } from "./output/error-text.ts";
import { OutputClosedError, standardOutput } from "./output/output.ts";
import { LocalTerminal } from "./terminal/local-terminal.ts";
import { CLI_VERSION } from "./version.ts";

/** What a shell reports for a program that was ended by SIGPIPE. */
const EXIT_OUTPUT_CLOSED = 141;

/** Runs one command line of `pohunek` (without the program's name) and returns its exit code. */
export async function main(args: readonly string[], env: Environment): Promise<number> {
  const settings = readSettings(env, process.cwd());
  const terminal = new LocalTerminal();
  try {
    return await runCommandLine(args, { settings, terminal });
  } catch (error) {
    if (error instanceof OutputClosedError) return EXIT_OUTPUT_CLOSED;
    return reportFailure(error, { args, settings, terminal });
  }
}

async function runCommandLine(
  args: readonly string[],
  from: { settings: Settings; terminal: LocalTerminal },
): Promise<number> {
  const line = parseCommandLine(args, COMMANDS);
  if (line.global.version) {
    standardOutput.print(`pohunek ${CLI_VERSION}\n`);
    return 0;
  }
  const context: CommandContext = {
    ...from,
    signals: processSignals,
    output: standardOutput,
    paint: paintFor(from.settings, from.terminal, "output"),
    wantsJson: line.global.json,
    host: line.global.host,
  };
  if (line.command === undefined || line.global.help) {
    const { helpText } = await import("./command-line/help.ts");
    standardOutput.print(helpText(COMMANDS, { command: line.command, paint: context.paint }));
    return 0;
  }
  return runCommand(line.command, context, line.invocation);
}

async function runCommand(
  command: Command,
  context: CommandContext,
  invocation: Parameters<Command["run"]>[1],
): Promise<number> {
  const result = await command.run(context, invocation);
  if (typeof result === "number") return result;
  context.output.print(context.wantsJson ? successDocument(result.ok) : result.human());
  return result.exitCode ?? 0;
}

/** Tells a failure once: as the one JSON document where JSON was asked for, else as a sentence on the error output. */
function reportFailure(
  cause: unknown,
  from: { args: readonly string[]; settings: Settings; terminal: LocalTerminal },
): number {
  const error = isProtocolError(cause) ? cause : internalError(cause);
  try {
    if (asksForJson(from.args)) standardOutput.print(failureDocument(errorDocument(error)));
    else standardOutput.complain(errorText(error, paintFor(from.settings, from.terminal, "errors")));
  } catch (closed) {
    // Nobody is left to be told; the exit code still tells.
    if (!(closed instanceof OutputClosedError)) throw closed;
  }
  return exitCodeOf(error);
}

function internalError(cause: unknown): ProtocolError {
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  return protocolError("internal_error", { message: `pohunek failed internally: ${text}`, cause });
}

function paintFor(settings: Settings, terminal: LocalTerminal, where: "output" | "errors") {
  const isTerminal = where === "output" ? terminal.isOutput : terminal.isErrors;
  return choosePaint({ ...settings, isTerminal });
}

const processSignals: Signals = {
  on(name, listener) {
    process.on(name, listener);
    return { [Symbol.dispose]: () => void process.off(name, listener) };
  },
  stopSelf() {
    process.kill(process.pid, "SIGSTOP");
  },
};
