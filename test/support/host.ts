import { existsSync, readFileSync } from "node:fs";
import type { Subprocess } from "bun";
import { commandLineOf, isAlive, processesMentioning } from "./processes.ts";
import { programCommand } from "./program.ts";
import { RawAttach } from "./raw-attach.ts";
import type { Address } from "./raw-client.ts";
import { RawClient } from "./raw-client.ts";
import { TempRoots } from "./temp-roots.ts";
import { until } from "./until.ts";

export interface HostOptions {
  /** config.toml of the host. */
  readonly config?: string;
  /** Further environment of the daemon. */
  readonly env?: Readonly<Record<string, string>>;
  /** Prepared folders; by default fresh ones. */
  readonly roots?: TempRoots;
  /** Words before the daemon's command, as `prlimit --nofile=256`. */
  readonly wrap?: readonly string[];
}

/** The parts of a session that tests look at. */
export interface SessionFacts {
  readonly id: string;
  readonly name?: string;
  readonly state: string;
  readonly activity?: string;
  readonly pid: number;
  readonly cwd: string;
  readonly cols: number;
  readonly rows: number;
  readonly exit_code?: number;
  readonly metadata?: Readonly<Record<string, string>>;
  readonly updated_at: string;
  readonly runtime: {
    readonly state: string;
    readonly runtime_generation: string;
    readonly worker_id: string;
    readonly worker_instance_id: string;
    readonly loss_reason?: string;
  };
}

const READY_MS = 15_000;
const STOP_MS = 8000;
const LOG_LINES_SHOWN = 60;

/** Starts a daemon with folders of its own and waits until it serves. */
export async function startHost(options: HostOptions = {}): Promise<Host> {
  const roots = options.roots ?? new TempRoots();
  if (options.config !== undefined) {
    roots.writeConfig(options.config);
  }
  const host = new Host(roots, options);
  try {
    await host.start();
    return host;
  } catch (cause) {
    await host[Symbol.asyncDispose]();
    throw cause;
  }
}

/**
 * A host under test: its folders, its daemon, which may be killed and started again, and in the end the proof that nothing
 * of it was left running.
 */
export class Host implements AsyncDisposable {
  readonly roots: TempRoots;
  readonly #options: HostOptions;
  #daemon: Subprocess<"ignore", "pipe", "pipe"> | undefined;
  #stderr = "";

  constructor(roots: TempRoots, options: HostOptions) {
    this.roots = roots;
    this.#options = options;
  }

  get address(): Address {
    return { unix: this.roots.socket };
  }

  /** The running daemon. */
  get daemon(): Subprocess<"ignore", "pipe", "pipe"> {
    if (this.#daemon === undefined) {
      throw new Error("the daemon is not running");
    }
    return this.#daemon;
  }

  get daemonPid(): number {
    return this.daemon.pid;
  }

  /** What the daemon wrote to its standard error. */
  get stderr(): string {
    return this.#stderr;
  }

  /** Starts the daemon. `env` counts for this start only. */
  async start(env: Readonly<Record<string, string>> = {}): Promise<void> {
    const daemon = this.spawn(env);
    await until(
      "the daemon to serve",
      async () => {
        if (daemon.exitCode !== null || daemon.signalCode !== null) {
          throw new Error(`the daemon ended with ${daemon.exitCode ?? daemon.signalCode}: ${this.#stderr}`);
        }
        return await this.#isServing();
      },
      READY_MS,
    );
  }

  /** Starts the daemon and does not wait for anything. */
  spawn(env: Readonly<Record<string, string>> = {}): Subprocess<"ignore", "pipe", "pipe"> {
    const daemon = Bun.spawn([...(this.#options.wrap ?? []), ...programCommand("daemon", "run")], {
      // As the CLI starts it.
      env: this.roots.environment({ BUN_GC_TIMER_DISABLE: "1", ...this.#options.env, ...env }),
      cwd: this.roots.base,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    this.#daemon = daemon;
    this.#stderr = "";
    void collect(daemon.stderr, (text) => {
      this.#stderr += text;
    });
    return daemon;
  }

  async #isServing(): Promise<boolean> {
    if (!existsSync(this.roots.socket)) {
      return false;
    }
    try {
      await using client = await RawClient.connect(this.address);
      await client.call("daemon.health");
      return true;
    } catch {
      // ECONNREFUSED: the socket of the daemon before this one.
      return false;
    }
  }

  /** Asks the daemon to end, and returns its exit code. */
  async stop(): Promise<number> {
    const { daemon } = this;
    daemon.kill("SIGTERM");
    const code = await daemon.exited;
    this.#daemon = undefined;
    return code;
  }

  /** Kills the daemon without warning. */
  async kill(): Promise<void> {
    this.daemon.kill("SIGKILL");
    await this.daemonEnd();
  }

  /** Waits for the end of a daemon that ends by itself. */
  async daemonEnd(): Promise<number> {
    const code = await this.daemon.exited;
    this.#daemon = undefined;
    return code;
  }

  async restart(env?: Readonly<Record<string, string>>): Promise<void> {
    await this.stop();
    await this.start(env);
  }

  /** A new connection to the daemon. */
  async connect(): Promise<RawClient> {
    return await RawClient.connect(this.address);
  }

  /** Makes one request on a connection of its own. */
  async call<Result>(method: string, params?: unknown): Promise<Result> {
    await using client = await this.connect();
    return await client.call<Result>(method, params);
  }

  /** The code that one request on a connection of its own is refused with. */
  async refusal(method: string, params?: unknown): Promise<string> {
    await using client = await this.connect();
    return await client.refusal(method, params);
  }

  /** A connection that has subscribed to events. */
  async subscribe(): Promise<RawClient> {
    const client = await this.connect();
    await client.call("subscribe");
    return client;
  }

  /** Starts a session: a plain sh that reads no start-up file, or `command`. */
  async newSession(params: Readonly<Record<string, unknown>> = {}): Promise<SessionFacts> {
    return await this.call("session.new", { agent: "shell", command: ["/bin/sh"], cols: 80, rows: 24, ...params });
  }

  async inspect(sessionId: string): Promise<SessionFacts> {
    return await this.call("session.inspect", sessionId);
  }

  async list(): Promise<SessionFacts[]> {
    return await this.call("session.list");
  }

  /** Attaches, as a client does: a grant, then a second connection. */
  async attach(sessionId: string, options: { cols?: number; rows?: number; input?: string } = {}): Promise<RawAttach> {
    const { cols, rows, input } = options;
    const dimensions = cols === undefined ? {} : { initial_dimensions: { cols, rows } };
    const { stream_id } = await this.call<{ stream_id: string }>("session.attach", {
      session_id: sessionId,
      ...dimensions,
    });
    return await RawAttach.open(this.address, stream_id, input);
  }

  /** Waits with session.wait, again and again, until one of the states is reached. */
  async waitForState(sessionId: string, ...states: string[]): Promise<SessionFacts> {
    return await until(
      `session ${sessionId} to be ${states.join(" or ")}`,
      async () => {
        const params = { session_id: sessionId, states, timeout_ms: 5000 };
        const { reason, session } = await this.call<{ reason: string; session: SessionFacts }>("session.wait", params);
        return reason === "state_matched" && session;
      },
      30_000,
    );
  }

  /** Waits until the session's runtime is in this state. */
  async waitForRuntime(sessionId: string, state: string): Promise<SessionFacts> {
    return await until(`runtime of ${sessionId} to be ${state}`, async () => {
      const session = await this.inspect(sessionId);
      return session.runtime.state === state && session;
    });
  }

  /** Pids of the living workers, by their session. */
  workers(): Map<string, number> {
    const workers = new Map<string, number>();
    for (const pid of processesMentioning(`--runtime-root=${this.roots.runtime}`)) {
      const sessionId = /--session-id=(\S+)/.exec(commandLineOf(pid))?.[1];
      if (sessionId !== undefined) {
        workers.set(sessionId, pid);
      }
    }
    return workers;
  }

  workerPid(sessionId: string): number {
    const pid = this.workers().get(sessionId);
    if (pid === undefined) {
      throw new Error(`session ${sessionId} has no living worker`);
    }
    return pid;
  }

  /** Lines of the daemon's log. */
  log(): Readonly<Record<string, unknown>>[] {
    return readLines(this.roots.daemonLog).map((line) => JSON.parse(line) as Record<string, unknown>);
  }

  /** Ends the daemon and the workers, then fails when a process of this host is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    const lines = readLines(this.roots.daemonLog).filter(isWorthShowing).slice(-LOG_LINES_SHOWN);
    try {
      await this.#end();
    } finally {
      // The runner shows this for a file that failed, and only then: the folder itself goes.
      if (process.env["POHUNEK_TEST_LOGS"] !== undefined || tmpIsOfRunner()) {
        process.stderr.write(`-- daemon log of ${this.roots.base}\n${lines.join("\n")}\n${this.#stderr}`);
      }
      this.roots[Symbol.dispose]();
    }
  }

  async #end(): Promise<void> {
    if (this.#daemon !== undefined && this.#daemon.exitCode === null && this.#daemon.signalCode === null) {
      this.#daemon.kill("SIGTERM");
      const code = await Promise.race([this.#daemon.exited, Bun.sleep(STOP_MS)]);
      if (code === undefined) {
        this.#daemon.kill("SIGKILL");
        throw new Error("the daemon did not end in time");
      }
    }
    for (const pid of this.workers().values()) {
      signal(pid, "SIGCONT");
      signal(pid, "SIGTERM");
    }
    const mine = (): number[] => processesMentioning(this.roots.base);
    await until("processes of the host to end", () => mine().length === 0, STOP_MS).catch((cause: unknown) => {
      const left = mine();
      const names = left.map((pid) => `${pid} ${commandLineOf(pid).slice(0, 120)}`);
      left.forEach((pid) => signal(pid, "SIGKILL"));
      throw new Error(`left running:\n${names.join("\n")}`, { cause });
    });
  }
}

function signal(pid: number, name: NodeJS.Signals): void {
  if (isAlive(pid)) {
    process.kill(pid, name);
  }
}

/** Requests that succeeded say nothing about a failure. */
function isWorthShowing(line: string): boolean {
  return !line.includes('"event":"request"') || line.includes('"code":');
}

function tmpIsOfRunner(): boolean {
  return /\/pk-[^/]+$/.test(process.env["TMPDIR"] ?? "");
}

function readLines(path: string): string[] {
  return existsSync(path) ? readFileSync(path, "utf8").trimEnd().split("\n") : [];
}

async function collect(stream: ReadableStream<Uint8Array>, take: (text: string) => void): Promise<void> {
  const decoder = new TextDecoder();
  for await (const chunk of stream) {
    take(decoder.decode(chunk, { stream: true }));
  }
}
