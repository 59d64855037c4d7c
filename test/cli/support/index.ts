export { CliTerminal } from "./cli-terminal.ts";
export { runCli, runJson } from "./run-cli.ts";
export { sampleSession, standInDaemon } from "./stand-in-daemon.ts";
