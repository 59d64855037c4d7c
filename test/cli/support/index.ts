export { CliTerminal } from "./cli-terminal.ts";
export type { CliDocument, CliResult } from "./run-cli.ts";
export { runCli, runJson } from "./run-cli.ts";
export { sampleSession, standInDaemon } from "./stand-in-daemon.ts";
