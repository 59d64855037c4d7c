import type { ProtocolError } from "@pohunek/protocol/wire";
import { isProtocolError, protocolError } from "@pohunek/protocol/wire";
import type { ParsedLine } from "./command-line/parse.ts";
import { asksForJson, parseCommandLine } from "./command-line/parse.ts";
import { loadCommands, ROUTES } from "./commands/table.ts";
import type { Environment, Settings } from "./config.ts";
import { readSettings } from "./config.ts";
import type { CommandContext, Signals } from "./context.ts";
import type { Paint } from "./output/colour.ts";
import { choosePaint } from "./output/colour.ts";
import { failureDocument, successDocument } from "./output/envelope.ts";
import { errorDocument, errorText, exitCodeOf } from "./output/error-text.ts";
import type { Output } from "./output/output.ts";
import { OutputClosedError, StandardOutput } from "./output/output.ts";
import { LocalTerminal } from "./terminal/local-terminal.ts";
import { CLI_VERSION } from "./version.ts";

/** What a shell reports for a program that was ended by SIGPIPE. */
const EXIT_OUTPUT_CLOSED = 141;

interface Surroundings {
  readonly settings: Settings;
  readonly terminal: LocalTerminal;
  readonly output: Output;
}

/** Runs one command line of `pohunek` (without the program's name) and returns its exit code. */
export async function main(args: readonly string[], env: Environment): Promise<number> {
  const terminal = new LocalTerminal();
  const around = { settings: readSettings(env, process.cwd()), terminal, output: new StandardOutput(terminal) };
  let wantsJson = asksForJson(args);
  try {
    const line = await parseCommandLine(args, ROUTES);
    wantsJson = line.global.json;
    return await runLine(line, around);
  } catch (error) {
    if (error instanceof OutputClosedError) return EXIT_OUTPUT_CLOSED;
    return reportFailure(await explain(error, around.settings), around, wantsJson);
  }
}

async function runLine({ command, global, invocation }: ParsedLine, around: Surroundings): Promise<number> {
  const { output } = around;
  if (global.version) {
    output.print(global.json ? successDocument({ version: CLI_VERSION }) : `pohunek ${CLI_VERSION}\n`);
    return 0;
  }
  if (command === undefined || global.help) {
    const [{ helpDocument, helpText }, commands] = await Promise.all([
      import("./command-line/help.ts"),
      loadCommands(),
    ]);
    const document = (): string => successDocument(helpDocument(commands, command));
    const text = (): string => helpText(commands, { command, paint: paintFor(around, "output") });
    output.print(global.json ? document() : text());
    return 0;
  }
  const context: CommandContext = {
    ...around,
    signals: processSignals,
    // Whether output is a terminal is asked when it matters, so that it can be asked while a daemon is thinking.
    get paint() {
      return paintFor(around, "output");
    },
    wantsJson: global.json,
    host: global.host,
  };
  const result = await command.run(context, invocation);
  if (typeof result === "number") return result;
  output.print(global.json ? successDocument(result.ok) : result.human());
  return result.exitCode ?? 0;
}

/** Tells a failure once: as the one JSON document where JSON was asked for, else as a sentence on the error output. */
function reportFailure(error: ProtocolError, around: Surroundings, wantsJson: boolean): number {
  try {
    if (wantsJson) around.output.print(failureDocument(errorDocument(error)));
    else around.output.complain(errorText(error, paintFor(around, "errors")));
  } catch (closed) {
    // Nobody is left to be told; the exit code still tells.
    if (!(closed instanceof OutputClosedError || isProtocolError(closed, "io_error"))) throw closed;
  }
  return exitCodeOf(error);
}

/** What a person needs to know about a failure beyond what its place of origin could tell. */
async function explain(cause: unknown, settings: Settings): Promise<ProtocolError> {
  if (!isProtocolError(cause)) return internalError(cause);
  if (cause.code !== "version_mismatch" || cause.host !== undefined) return cause;
  const [{ explainVersionGap }, { findDaemonPlace }] = await Promise.all([
    import("./connection/version-gap.ts"),
    import("./connection/runtime-root.ts"),
  ]);
  const { socketPath } = await findDaemonPlace(settings, process.getuid?.() ?? 0);
  // Without a second answer the first one has to do.
  return explainVersionGap(cause, socketPath).catch(() => cause);
}

function internalError(cause: unknown): ProtocolError {
  const systemCode = cause instanceof Error && "code" in cause ? cause.code : undefined;
  if (systemCode === "EMFILE") return protocolError("client_file_descriptors_exhausted", { cause });
  const text = cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
  return protocolError("internal_error", { message: `pohunek failed internally: ${text}`, cause });
}

function paintFor({ settings, terminal }: Surroundings, where: "output" | "errors"): Paint {
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
