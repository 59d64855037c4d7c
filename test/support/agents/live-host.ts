/** A daemon in a sandbox with a real agent and a scripted model, driven from outside as a user drives it. */

import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import type { Subprocess } from "bun";
import type { LiveAgent } from "../../../scripts/testing/agent-clis.ts";
import { agentPrograms } from "../../../scripts/testing/agent-clis.ts";
import { processesMentioning, programCommand, RawAttach, RawClient, until } from "../index.ts";
import type { LoggedRequest } from "./model-server.ts";
import type { Recipe } from "./recipe.ts";
import { recipeOf } from "./recipes.ts";
import { HOME_INSIDE, PROJECT_INSIDE, sandboxWords } from "./sandbox.ts";

const START_MS = 30_000;
const FIXTURE = join(import.meta.dir, "..", "..", "fixtures", "agent-sandbox.ts");

export interface Ran {
  readonly code: number;
  readonly out: string;
  readonly err: string;
}

export interface LiveHostOptions {
  readonly isTrusted?: boolean;
}

export class LiveHost implements AsyncDisposable {
  readonly recipe: Recipe;
  /** As the agent sees it. */
  readonly project: string;
  readonly #base: string;
  readonly #sandbox: Subprocess<"ignore", "inherit", "pipe">;

  private constructor(fields: {
    base: string;
    project: string;
    recipe: Recipe;
    sandbox: Subprocess<"ignore", "inherit", "pipe">;
  }) {
    this.#base = fields.base;
    this.project = fields.project;
    this.recipe = fields.recipe;
    this.#sandbox = fields.sandbox;
  }

  static async start(agent: LiveAgent, options: LiveHostOptions = {}): Promise<LiveHost> {
    const base = mkdtempSync(join(tmpdir(), "a"));
    for (const name of ["home", "proj", "r"]) mkdirSync(join(base, name), { mode: 0o700 });
    const folders = { base, home: join(base, "home"), project: join(base, "proj"), cache: agentPrograms(agent).cache };
    const words = sandboxWords(folders);
    const [home, project] = words === undefined ? [folders.home, folders.project] : [HOME_INSIDE, PROJECT_INSIDE];
    const sandbox = Bun.spawn(
      [...(words ?? []), process.execPath, FIXTURE, join(base, "control"), ...programCommand("daemon", "run")],
      { env: environment(base, home, agent), cwd: folders.project, stdin: "ignore", stdout: "inherit", stderr: "pipe" },
    );
    try {
      const modelUrl = await until("the sandbox to serve", async () => await findModel(base, sandbox), START_MS);
      const recipe = recipeOf(agent, { modelUrl, home, project, isTrusted: options.isTrusted ?? true });
      const host = new LiveHost({ base, project, recipe, sandbox });
      for (const [path, content] of Object.entries(recipe.files)) host.writeHomeFile(path, content);
      const forwarded = Object.keys(recipe.env);
      host.writeHomeFile(".config/pohunek/config.toml", `[environment]\nforward = ${JSON.stringify(forwarded)}\n`);
      await host.restartDaemon();
      return host;
    } catch (cause) {
      sandbox.kill("SIGKILL");
      rmSync(base, { recursive: true, force: true });
      throw new Error(`the sandbox did not start`, { cause });
    }
  }

  /** The folders of the agent, as they are outside. */
  get outside(): { readonly home: string; readonly project: string } {
    return { home: join(this.#base, "home"), project: join(this.#base, "proj") };
  }

  get socket(): string {
    return join(this.#base, "r", "pohunek", "daemon.sock");
  }

  writeHomeFile(path: string, content: string): void {
    const full = join(this.outside.home, path);
    mkdirSync(dirname(full), { recursive: true });
    writeFileSync(full, content);
  }

  async #isServing(): Promise<void> {
    await until(
      "the daemon to serve",
      async () => {
        await using client = await RawClient.connect({ unix: this.socket }).catch(() => undefined);
        return client !== undefined && (await client.call("daemon.health")) !== undefined;
      },
      START_MS,
    );
  }

  /** Runs the command line client as the user of this host. */
  async run(...words: readonly string[]): Promise<Ran> {
    const child = Bun.spawn(programCommand(...words), {
      env: {
        PATH: process.env["PATH"],
        HOME: this.outside.home,
        LANG: "C.UTF-8",
        SHELL: "/bin/sh",
        XDG_RUNTIME_DIR: join(this.#base, "r"),
      },
      cwd: this.#base,
      stdin: "ignore",
      stdout: "pipe",
      stderr: "pipe",
    });
    const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
    return { code, out, err };
  }

  /** Runs a command with --json and returns what it succeeded with. */
  async json<Result>(...words: readonly string[]): Promise<Result> {
    const end = words.includes("--") ? words.indexOf("--") : words.length;
    const { code, out, err } = await this.run(...words.slice(0, end), "--json", ...words.slice(end));
    const document = JSON.parse(out === "" ? "{}" : out) as { ok?: Result };
    if (code !== 0 || document.ok === undefined) throw new Error(`pohunek ${words.join(" ")}: ${code} ${out} ${err}`);
    return document.ok;
  }

  async connect(): Promise<RawClient> {
    return await RawClient.connect({ unix: this.socket });
  }

  async call<Result>(method: string, params?: unknown): Promise<Result> {
    await using client = await this.connect();
    return await client.call<Result>(method, params);
  }

  async attach(sessionId: string): Promise<RawAttach> {
    const { stream_id } = await this.call<{ stream_id: string }>("session.attach", { session_id: sessionId });
    return await RawAttach.open({ unix: this.socket }, stream_id);
  }

  /** All that the agent asked of the model so far. */
  async requests(): Promise<LoggedRequest[]> {
    return (await this.#control("/requests")) as LoggedRequest[];
  }

  /** Starts the daemon; one that runs is killed before, as by a crash. */
  async restartDaemon(): Promise<void> {
    await this.#control("/start", this.recipe.env);
    await this.#isServing();
  }

  async #control(path: string, body?: unknown): Promise<unknown> {
    const what = body === undefined ? {} : { method: "POST", body: JSON.stringify(body) };
    const answer = await fetch(`http://sandbox${path}`, { unix: join(this.#base, "control"), ...what });
    return await answer.json();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const left = (): number[] => processesMentioning(this.#base);
    this.#sandbox.kill("SIGTERM");
    await this.#sandbox.exited;
    // In a sandbox nothing outlives it; without one the workers do.
    for (const pid of left()) process.kill(pid, "SIGTERM");
    await until("what the sandbox held to end", () => left().length === 0, START_MS);
    rmSync(this.#base, { recursive: true, force: true });
  }
}

function environment(base: string, home: string, agent: LiveAgent): Record<string, string> {
  return {
    PATH: `${agentPrograms(agent).path}:/usr/local/bin:/usr/bin:/bin`,
    HOME: home,
    USER: "dev",
    LOGNAME: "dev",
    SHELL: "/bin/bash",
    LANG: "C.UTF-8",
    XDG_RUNTIME_DIR: join(base, "r"),
    BUN_GC_TIMER_DISABLE: "1",
  };
}

async function findModel(base: string, sandbox: Subprocess<"ignore", "inherit", "pipe">): Promise<string | undefined> {
  if (sandbox.exitCode !== null) throw new Error(`the sandbox ended: ${await sandbox.stderr.text()}`);
  try {
    const answer = await fetch("http://sandbox/model", { unix: join(base, "control") });
    return ((await answer.json()) as { url: string }).url;
  } catch {
    return undefined; // ENOENT, ECONNREFUSED: not there yet
  }
}
