import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import type { WorkerId } from "@pohunek/protocol/wire";
import { newSessionId, newUlid, newWorkerInstanceId } from "@pohunek/protocol/wire";
import { platform } from "../../../packages/host/src/platform/index.ts";
import { openSupervisor } from "../../../packages/host/src/supervision/open-supervisor.ts";
import type { Supervisor, WorkerKey } from "../../../packages/host/src/supervision/supervisor.ts";
import type { WorkerClientOptions } from "../../../packages/host/src/worker-api/client.ts";
import { WorkerClient } from "../../../packages/host/src/worker-api/client.ts";
import type { WorkerEvent, WorkerEventName } from "../../../packages/host/src/worker-api/events.ts";
import type { LaunchSpec } from "../../../packages/host/src/worker-api/launch-spec.ts";
import { journalPath, workerSocketPath } from "../../../packages/host/src/worker-api/paths.ts";
import { isAlive, processesMentioning, programCommand, TempRoots, until } from "../../support/index.ts";

export interface WorkerUnderTestOptions {
  readonly backend?: Supervisor["backend"];
  readonly roots?: TempRoots;
  readonly key?: WorkerKey;
  /** The program and its first words, in place of the usual one. */
  readonly program?: readonly string[];
}

export function newKey(): WorkerKey {
  return {
    sessionId: newSessionId(),
    workerId: `k-${newUlid()}` as WorkerId,
    runtimeId: newWorkerInstanceId(),
    generation: 1,
  };
}

export function supervisorFor(
  roots: Pick<TempRoots, "runtime" | "state">,
  backend: Supervisor["backend"] = "detached",
  command: readonly string[] = programCommand("worker", "run"),
): Supervisor {
  const [executable = "", ...leadingArgs] = command;
  const { runtime: runtimeRoot, state: stateRoot } = roots;
  const program = { executable, leadingArgs, env: {}, runtimeRoot, stateRoot, readyMs: 15_000 };
  const log = { debug: ignore, info: ignore, warn: ignore, error: ignore };
  return openSupervisor({ backend, platform, program, log, standbyWorkers: 0 });
}

function ignore(): void {}

/** A worker without a daemon, its folders, and in the end the proof that nothing of it is left running. */
export class WorkerUnderTest implements AsyncDisposable {
  readonly roots: TempRoots;
  readonly supervisor: Supervisor;
  readonly key: WorkerKey;
  readonly #ownsRoots: boolean;

  private constructor(options: WorkerUnderTestOptions) {
    this.#ownsRoots = options.roots === undefined;
    this.roots = options.roots ?? new TempRoots();
    this.supervisor = supervisorFor(this.roots, options.backend, options.program);
    this.key = options.key ?? newKey();
  }

  static async start(options: WorkerUnderTestOptions = {}): Promise<WorkerUnderTest> {
    const worker = new WorkerUnderTest(options);
    await worker.supervisor.start(worker.key);
    return worker;
  }

  /** A worker that somebody else started. */
  static adopt(roots: TempRoots, key: WorkerKey): WorkerUnderTest {
    return new WorkerUnderTest({ roots, key });
  }

  get socketPath(): string {
    return workerSocketPath(this.roots.runtime, this.key.sessionId);
  }

  get journalFile(): string {
    return journalPath(this.roots.state, this.key);
  }

  get journal(): Record<string, unknown> {
    return JSON.parse(readFileSync(this.journalFile, "utf8")) as Record<string, unknown>;
  }

  get logFile(): string {
    return join(this.roots.state, "logs", `pohunek-session-${this.key.sessionId}.jsonl`);
  }

  get log(): string {
    return existsSync(this.logFile) ? readFileSync(this.logFile, "utf8") : "";
  }

  get pid(): number {
    const [pid] = processesMentioning(`--session-id=${this.key.sessionId}`).filter((each) => each !== process.pid);
    if (pid === undefined) {
      throw new Error("the worker is not running");
    }
    return pid;
  }

  /** Connects without the lease. */
  async connect(options: WorkerClientOptions = {}): Promise<WorkerClient> {
    return await WorkerClient.connect(this.socketPath, options);
  }

  /** Connects, takes the lease and records events. */
  async control(options: WorkerClientOptions = {}): Promise<ControlledWorker> {
    const events: WorkerEvent[] = [];
    const onEvent = (event: WorkerEvent): void => {
      events.push(event);
    };
    const client = await this.connect({ ...options, onEvent });
    await client.acquireController("d-test");
    return new ControlledWorker(client, events);
  }

  /** Connects and starts a program. */
  async run(command: string | readonly string[], spec: Partial<LaunchSpec> = {}): Promise<ControlledWorker> {
    const controlled = await this.control();
    await controlled.client.initialize(launchSpec(command, spec));
    return controlled;
  }

  async hasEnded(): Promise<void> {
    const pids = processesMentioning(`--session-id=${this.key.sessionId}`);
    await until("the worker to end", () => !pids.some(isAlive));
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const pid of processesMentioning(`--session-id=${this.key.sessionId}`)) {
      process.kill(pid, "SIGTERM");
    }
    const left = (): number[] => [
      ...processesMentioning(`--session-id=${this.key.sessionId}`),
      ...processesMentioning(this.key.runtimeId),
    ];
    try {
      await until("the processes of the worker to end", () => left().length === 0);
    } finally {
      for (const pid of left()) {
        process.kill(pid, "SIGKILL");
      }
      if (this.#ownsRoots) {
        this.roots[Symbol.dispose]();
      }
    }
  }
}

/** A shell that reads no start-up file, or words as they are. */
export function launchSpec(command: string | readonly string[], spec: Partial<LaunchSpec> = {}): LaunchSpec {
  const argv = typeof command === "string" ? ["/bin/sh", "-c", command] : command;
  const env = { PATH: process.env["PATH"] ?? "/usr/bin:/bin", TERM: "xterm-256color", LC_ALL: "C.UTF-8" };
  return { argv, cwd: "/tmp", cols: 80, rows: 24, ...spec, env: { ...env, ...spec.env } };
}

/** The holder of the lease. */
export class ControlledWorker implements AsyncDisposable {
  readonly client: WorkerClient;
  readonly events: WorkerEvent[];

  constructor(client: WorkerClient, events: WorkerEvent[]) {
    this.client = client;
    this.events = events;
  }

  /** The first event of this name that came or comes, for which `matches` holds. */
  async event<Name extends WorkerEventName>(
    name: Name,
    matches: (event: Extract<WorkerEvent, { event: Name }>) => boolean = () => true,
  ): Promise<Extract<WorkerEvent, { event: Name }>> {
    const isIt = (event: WorkerEvent): event is Extract<WorkerEvent, { event: Name }> =>
      event.event === name && matches(event as Extract<WorkerEvent, { event: Name }>);
    return await until(`the event ${name}`, () => this.events.find(isIt), 20_000);
  }

  /** Waits until the visible screen holds this text. */
  async shows(text: string): Promise<void> {
    await until(`the screen to show ${JSON.stringify(text)}`, async () => {
      const { visible_lines: lines } = await this.client.snapshot();
      return lines.some((line) => line.includes(text));
    });
  }

  async type(text: string): Promise<void> {
    await this.client.write([{ data: Buffer.from(text) }]);
  }

  /** All retained output. */
  async output(): Promise<Buffer> {
    const pieces: Buffer[] = [];
    let at = (await this.client.inspect()).output.start_offset;
    for (;;) {
      const {
        data_base64: data,
        next_offset: next,
        has_more: hasMore,
      } = await this.client.readOutput({
        after_offset: at,
        max_bytes: 700_000,
      });
      pieces.push(Buffer.from(data, "base64"));
      at = next;
      if (!hasMore) {
        return Buffer.concat(pieces);
      }
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.client[Symbol.asyncDispose]();
  }
}
