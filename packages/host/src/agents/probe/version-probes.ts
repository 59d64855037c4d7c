import type { ProtocolError } from "@pohunek/protocol/wire";
import { protocolError } from "@pohunek/protocol/wire";
import { compareReleases } from "../packages/semantic-version.ts";
import type { RuntimeDefinition, VersionProbe } from "../runtime-definition.ts";
import type { FoundProgram } from "./find-program.ts";
import { parseVersion } from "./parse-version.ts";
import { runProbe } from "./run-probe.ts";

/** What a program said of its version. */
export interface ProbeResult {
  readonly version?: string;
  readonly fault?: "failed" | "format" | "range";
}

export interface ProbeSubject {
  readonly definition: Pick<RuntimeDefinition, "displayName" | "versionProbe">;
  readonly program: FoundProgram;
  readonly path: string;
}

/** Programs that are asked at the same time: each may load hundreds of megabytes. */
const PARALLEL = 2;

/** Asks programs for their version, as their packages say, and remembers the answers as long as the files stay the same. */
export class VersionProbes implements AsyncDisposable {
  readonly #known = new Map<string, { readonly fingerprint: string; readonly result: Promise<ProbeResult> }>();
  readonly #waiting: (() => void)[] = [];
  readonly #asking = new Set<Promise<unknown>>();
  readonly #ending = new AbortController();
  #running = 0;

  /** For lists: asks a program once. Undefined for a runtime without a rule. */
  async look(subject: ProbeSubject): Promise<ProbeResult | undefined> {
    const { versionProbe } = subject.definition;
    if (versionProbe === undefined) return undefined;
    const key = JSON.stringify([subject.program.executable, subject.program.name, subject.path, versionProbe]);
    const known = this.#known.get(key);
    if (known?.fingerprint === subject.program.fingerprint) return await known.result;
    const result = this.#inTurn(() => this.#ask(subject, versionProbe));
    this.#known.set(key, { fingerprint: subject.program.fingerprint, result });
    let isFact = false;
    try {
      // A machine that was too busy is no fact about the program.
      isFact = (await result).fault !== "failed";
      return await result;
    } finally {
      if (!isFact) this.#known.delete(key);
    }
  }

  /** Right before a launch: asks again. Fails with agent_runtime_unsupported, or with daemon_shutting_down. */
  async ensureSupported(subject: ProbeSubject): Promise<void> {
    const { versionProbe } = subject.definition;
    if (versionProbe === undefined) return;
    const result = await this.#ask(subject, versionProbe);
    if (this.#ending.signal.aborted) throw protocolError("daemon_shutting_down");
    if (result.fault !== undefined) throw unsupported(subject, result, versionProbe);
  }

  /** Ends the programs that are being asked, and waits until nothing of them is left. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#ending.abort();
    await Promise.allSettled(this.#asking);
  }

  async #ask({ program, path }: ProbeSubject, probe: VersionProbe): Promise<ProbeResult> {
    const output = runProbe({ program, args: probe.args, path, signal: this.#ending.signal });
    this.#asking.add(output);
    try {
      return judge(await output, probe);
    } finally {
      this.#asking.delete(output);
    }
  }

  async #inTurn<Value>(task: () => Promise<Value>): Promise<Value> {
    if (this.#running >= PARALLEL) {
      const { promise, resolve } = Promise.withResolvers<void>();
      this.#waiting.push(resolve);
      await promise;
    } else {
      this.#running += 1;
    }
    try {
      return await task();
    } finally {
      const next = this.#waiting.shift();
      if (next === undefined) this.#running -= 1;
      else next();
    }
  }
}

function judge(output: string | undefined, probe: VersionProbe): ProbeResult {
  if (output === undefined) return { fault: "failed" };
  const version = parseVersion(output, probe);
  if (version === undefined) return { fault: "format" };
  const isInRange = compareReleases(version, probe.min) >= 0 && compareReleases(version, probe.below) < 0;
  return isInRange ? { version } : { version, fault: "range" };
}

function unsupported({ definition }: ProbeSubject, result: ProbeResult, probe: VersionProbe): ProtocolError {
  // What failed may have failed for any reason: the sentence of the table says no more.
  const message = result.fault === "failed" ? undefined : `${definition.displayName} ${faultText(result, probe)}`;
  return protocolError("agent_runtime_unsupported", { message });
}

/** Why a program is not started, without a word of what it printed. */
export function faultText({ version, fault }: ProbeResult, { min, below }: VersionProbe): string {
  switch (fault) {
    case "range":
      return `is ${version ?? "unknown"}; its package was made for [${min}, ${below})`;
    case "format":
      return "does not tell its version in the form that its package expects";
    case "failed":
    case undefined:
      return "failed or took too long when it was asked for its version; the daemon's PATH may lack what it needs";
  }
}
