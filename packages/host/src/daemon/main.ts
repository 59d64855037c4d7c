import { dirname, join } from "node:path";
import { isProtocolError } from "@pohunek/protocol/wire";
import manifest from "../../package.json" with { type: "json" };
import { DAEMON_LOG } from "../logs/log-files.ts";
import type { Logger } from "../logs/logger.ts";
import { createLogger, failureFields } from "../logs/logger.ts";
import { RotatingLog } from "../logs/rotating-log.ts";
import { platform } from "../platform/index.ts";
import { openSupervisor } from "../supervision/open-supervisor.ts";
import type { WorkerProgram } from "../supervision/supervisor.ts";
import { logDir } from "../worker-api/paths.ts";
import type { Config } from "./config.ts";
import { loadConfig } from "./config.ts";
import { Daemon } from "./daemon.ts";
import { lockRoots } from "./instance-locks.ts";
import { openPackageRegistry, packagesBeside } from "./package-core.ts";
import type { Roots } from "./roots.ts";
import { prepareRoots, resolveRoots } from "./roots.ts";

type Environment = Readonly<Record<string, string | undefined>>;

const USAGE = `usage: pohunekd [--version | --help]
       pohunekd ensure-official-runtimes [--dry-run]
       pohunekd detect-test --recording=FILE (--manifest=FILE | --agent=NAME) [--labels=FILE] [--without-reports]
Runs the daemon of this host in the foreground until SIGTERM, or installs the agents' packages that came with the program.
`;
const EXIT_USAGE = 2;
/** The end must not take longer than 5 s: service managers and containers kill what is slower. */
const STOP_DEADLINE_MS = 4500;
/** A worker is ready in about 20 ms; a machine that is short of everything may take a hundred times as long. */
const WORKER_READY_MS = 10_000;

/** pohunekd: runs the daemon in the foreground. Returns the exit code: 0 after SIGTERM, 1 when it can't start, 2 for usage. */
export async function main(argv: readonly string[], env: Environment): Promise<number> {
  const [option, ...more] = argv;
  if (option === "--version" && more.length === 0) {
    process.stdout.write(`pohunekd ${manifest.version}\n`);
    return 0;
  }
  if (option === "--help" && more.length === 0) {
    process.stdout.write(USAGE);
    return 0;
  }
  const isEnsure = option === "ensure-official-runtimes" && ["", "--dry-run"].includes(more.join(" "));
  const isTest = option === "detect-test" && more.length > 0;
  if (option !== undefined && !isEnsure && !isTest) {
    process.stderr.write(USAGE);
    return EXIT_USAGE;
  }
  try {
    if (isTest) return await printDetectTest(env, more);
    return isEnsure ? ensureOfficialRuntimes(env, more.length > 0) : await run(env);
  } catch (cause) {
    process.stderr.write(describeFailure(cause));
    return 1;
  }
}

async function run(env: Environment): Promise<number> {
  // Ours are private; what the programs of sessions make is as open as it is elsewhere.
  const programUmask = platform.self.setUmask(0o077);
  const roots = resolveRoots(env);
  const config = loadConfig(join(roots.config, "config.toml"), env);
  prepareRoots(roots, platform.self.uid());
  using _locks = lockRoots(roots, platform.files);
  using logFile = new RotatingLog({
    path: join(logDir(roots.state), DAEMON_LOG),
    fileBytes: config.settings.logDaemonFileBytes,
    files: config.settings.logDaemonFiles,
  });
  const log = createLogger(logFile, config.settings.logLevel);
  const ended = endOnSignals(log);
  log.info("starting", { release: manifest.version, pid: process.pid });
  try {
    return await serve({ env, roots, config, programUmask, log, logFile, ended });
  } catch (cause) {
    log.error("start_failed", failureFields(cause));
    throw cause;
  }
}

/** As a daemon does after its start. Another one may run meanwhile: the registry has its own lock. */
function ensureOfficialRuntimes(env: Environment, dryRun: boolean): number {
  platform.self.setUmask(0o077);
  const roots = resolveRoots(env);
  prepareRoots(roots, platform.self.uid());
  const programFolder = findProgramFolder();
  // What sessions and profiles need is known to the daemon alone, so nothing is tidied up here.
  const registry = openPackageRegistry({ roots, platform, programFolder }, () => true);
  const outcomes = [...(packagesBeside(programFolder, { registry, dryRun }) ?? [])];
  for (const { entry, ...outcome } of outcomes) {
    const status = outcome.status === "failed" ? `failed (${outcome.code})` : outcome.status;
    process.stdout.write(`${entry.id} ${entry.version}: ${status}\n`);
  }
  if (outcomes.length === 0) process.stdout.write("nothing to do\n");
  return outcomes.some(({ status }) => status === "failed") ? 1 : 0;
}

/** Loaded for this alone: a daemon has no terminal engine. */
async function printDetectTest(env: Environment, args: readonly string[]): Promise<number> {
  const { detectTest } = await import("./detect-test.ts");
  process.stdout.write(`${detectTest({ roots: resolveRoots(env), programFolder: findProgramFolder(), args })}\n`);
  return 0;
}

interface Running {
  readonly env: Environment;
  readonly roots: Roots;
  readonly config: Config;
  readonly programUmask: number;
  readonly log: Logger;
  readonly logFile: RotatingLog;
  readonly ended: Promise<number>;
}

async function serve({ env, roots, config, programUmask, log, logFile, ended }: Running): Promise<number> {
  const supervisor = openSupervisor({
    backend: config.settings.workerLauncher,
    platform,
    program: describeWorkerProgram(roots),
    log,
    standbyWorkers: config.settings.workerStandby,
  });
  const daemon = await Daemon.start({
    env,
    roots,
    config,
    platform,
    supervisor,
    release: manifest.version,
    programUmask,
    programFolder: findProgramFolder(),
    program: programWords(),
    log,
    crash: () => {
      logFile.flush();
      process.kill(process.pid, "SIGKILL");
    },
  });
  const code = await ended;
  const isDone = await Promise.race([
    daemon[Symbol.asyncDispose]().then(() => true),
    Bun.sleep(STOP_DEADLINE_MS).then(() => false),
  ]);
  if (!isDone) {
    log.warn("stopped_unfinished", { after_ms: STOP_DEADLINE_MS });
  }
  return code;
}

function isCompiled(): boolean {
  return Bun.main.startsWith("/$bunfs/");
}

/** From the sources it is the runtime with its entry file. */
function programWords(): readonly string[] {
  return [process.execPath, ...(isCompiled() ? [] : [Bun.main])];
}

/** Where the anchor and the official packages lie: beside the program; from the sources where the build puts them. */
function findProgramFolder(): string {
  return isCompiled() ? dirname(process.execPath) : join(dirname(Bun.main), "../dist");
}

/** A worker is this same program. */
function describeWorkerProgram(roots: Roots): WorkerProgram {
  return {
    executable: process.execPath,
    leadingArgs: [...programWords().slice(1), "worker", "run"],
    env: {},
    runtimeRoot: roots.runtime,
    stateRoot: roots.state,
    readyMs: WORKER_READY_MS,
  };
}

/** Settles with the exit code when the daemon is asked to end, or must because of a fault of its own. */
function endOnSignals(log: Logger): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>();
  for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
    process.on(signal, () => {
      log.info("signal", { signal });
      resolve(0);
    });
  }
  const fail = (cause: unknown): void => {
    log.error("internal_failure", failureFields(cause));
    process.stderr.write(describeFailure(cause));
    resolve(1);
  };
  process.on("uncaughtException", fail);
  process.on("unhandledRejection", fail);
  return promise;
}

function describeFailure(cause: unknown): string {
  if (isProtocolError(cause)) {
    const hint = cause.recover === undefined ? "" : `${cause.recover}\n`;
    return `pohunekd: ${cause.message} (${cause.code})\n${hint}`;
  }
  return `pohunekd: ${cause instanceof Error ? (cause.stack ?? cause.message) : String(cause)}\n`;
}
