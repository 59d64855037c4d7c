import type { AgentActivity } from "@pohunek/protocol/wire";
import { protocolError } from "@pohunek/protocol/wire";
import { configHomeOf } from "../agents/native/config-home.ts";
import { referenceInText } from "../agents/native/name-pattern.ts";
import { referencesOfOpenFiles } from "../agents/native/open-file.ts";
import { checkReference } from "../agents/native/reference.ts";
import type { RuntimeDefinition, RuntimeSource } from "../agents/runtime-definition.ts";
import type { Logger } from "../logs/logger.ts";
import { failureFields } from "../logs/logger.ts";
import type { Platform } from "../platform/index.ts";
import type { ReferenceSource } from "../store/native-launch.ts";
import { within } from "../worker-api/within.ts";
import { hasEnded } from "./lifecycle.ts";
import type { Registry } from "./registry.ts";
import { runtimeOf } from "./runtime-of.ts";
import type { Session } from "./session.ts";

export interface NativeReferencesOptions {
  readonly registry: Registry;
  readonly runtimes: Pick<RuntimeSource, "byDigest">;
  readonly platform: Pick<Platform, "processes">;
  readonly home: string;
  readonly log: Logger;
  readonly now: () => Date;
}

/** An agent that never opens such a file is not looked at all the time. */
const LOOK_GAP_MS = 1000;
/** When an agent that has just come up is looked at, should it say nothing: it opens its files within seconds. */
const FIRST_LOOKS_MS = [300, 1500, 6000, 20_000] as const;
/** A known conversation changes when the user begins another one inside the agent. */
const LOOK_AGAIN_MS = 15_000;
/** What an agent says at its end stands in its last lines. */
const LAST_LINES = 12;
const READ_LINES = 60;
const READ_MS = 2000;

/** Finds out what an agent calls the conversation of its session, without asking it. */
export class NativeReferences implements Disposable {
  readonly #options: NativeReferencesOptions;
  readonly #lookedAt = new WeakMap<Session, number>();
  readonly #activities = new WeakMap<Session, string>();
  readonly #reading = new WeakMap<Session, Promise<void>>();
  /** By generation. */
  readonly #firstLooks = new Map<string, ReturnType<typeof setTimeout>>();

  constructor(options: NativeReferencesOptions) {
    this.#options = options;
  }

  /** Keeps what somebody proved. Fails with invalid_session_ref, and where no conversation can be taken up. */
  record(session: Session, value: string, source: ReferenceSource): void {
    const kind = session.record.nativeLaunch?.reference?.kind;
    if (kind === undefined) {
      throw protocolError("invalid_session_ref");
    }
    checkReference(kind, value);
    if (session.record.nativeReference?.value !== value) {
      const lastActivityAt = this.#options.now().toISOString();
      this.#options.registry.update(session, { nativeReference: { kind, value, source, lastActivityAt } });
      this.#options.log.info("native_reference_known", { session_id: session.id, source });
    }
  }

  /** Keeps what was found or told, if that can be kept. */
  learn(session: Session, value: string, source: ReferenceSource): void {
    try {
      this.record(session, value, source);
    } catch (cause) {
      // A name that is none, or a full disk: the conversation stays as it is known, and the session goes on.
      this.#options.log.warn("native_reference_not_kept", { session_id: session.id, source, ...failureFields(cause) });
    }
  }

  /** The agent does something, or something else: a good moment to look which files it holds open. */
  activityTold(session: Session, activity: AgentActivity): void {
    const { registry, now } = this.#options;
    const told = `${session.record.runtime.runtimeId} ${activity}`;
    if (this.#activities.get(session) === told) {
      // The same with other details, which may change all the time.
      return;
    }
    this.#activities.set(session, told);
    const { nativeReference } = session.record;
    if (nativeReference !== undefined) {
      registry.touch(session, { nativeReference: { ...nativeReference, lastActivityAt: now().toISOString() } });
    }
    const gapMs = nativeReference === undefined ? LOOK_GAP_MS : LOOK_AGAIN_MS;
    if (performance.now() - (this.#lookedAt.get(session) ?? Number.NEGATIVE_INFINITY) > gapMs) {
      this.look(session);
    }
    this.#lookSoon(session, 0);
  }

  /** Looks a few times more, until the conversation is known. */
  #lookSoon(session: Session, round: number): void {
    const { runtimeId } = session.record.runtime;
    const delayMs = FIRST_LOOKS_MS[round];
    const hasBegun = round === 0 && this.#firstLooks.has(runtimeId);
    if (delayMs === undefined || hasBegun || !this.#isSought(session)) {
      return;
    }
    const look = (): void => {
      if (session.record.runtime.runtimeId === runtimeId && this.#isSought(session)) {
        this.look(session);
        this.#lookSoon(session, round + 1);
      } else {
        this.#firstLooks.delete(runtimeId);
      }
    };
    this.#firstLooks.set(runtimeId, setTimeout(look, delayMs));
  }

  #isSought(session: Session): boolean {
    const { nativeReference, nativeLaunch } = session.record;
    const isUnknown = nativeReference === undefined && nativeLaunch?.reference?.strategy === "open_file";
    return isUnknown && !hasEnded(session.record);
  }

  /** Looks which conversation the agent holds open now, where its package says that it does. */
  look(session: Session): void {
    const { childPid } = session.record.runtime;
    const runtime = this.#runtimeOf(session);
    const { openFile, kind } = runtime?.nativeReference ?? {};
    if (openFile === undefined || kind === undefined || childPid === undefined || hasEnded(session.record)) {
      return;
    }
    this.#lookedAt.set(session, performance.now());
    const { processes } = this.#options.platform;
    const configHome = this.#configHome(childPid, runtime);
    const found = referencesOfOpenFiles({ processes, rootPid: childPid, configHome, openFile, kind });
    const known = session.record.nativeReference?.value;
    const [only] = found;
    // Several at once: sub-agents have conversations too. The one that was alone first is the session's.
    if (only !== undefined && found.length === 1 && only !== known) {
      this.learn(session, only, "open_file");
    }
  }

  /**
   * The program has ended, and its worker still shows what it wrote last. Undefined when its package says nothing about
   * that; the worker must stay until the promise is settled, which never fails.
   */
  readLastWords(session: Session): Promise<void> | undefined {
    const pattern = this.#runtimeOf(session)?.nativeReference?.exitText;
    const client = session.link?.isConnected ? session.link.client : undefined;
    if (pattern === undefined || client === undefined) {
      return undefined;
    }
    const read = async (): Promise<void> => {
      try {
        const text = client.readText({ source: "recent_unwrapped", lines: READ_LINES });
        const { lines } = await within(text, { ms: READ_MS });
        const last = lines.filter((line) => line.trim() !== "").slice(-LAST_LINES);
        const found = referenceInText(pattern, last);
        if (found !== undefined && found !== session.record.nativeReference?.value) {
          this.learn(session, found, "exit_text");
        }
      } catch (cause) {
        this.#options.log.warn("last_words_not_read", { session_id: session.id, ...failureFields(cause) });
      }
    };
    const reading = read();
    this.#reading.set(session, reading);
    return reading;
  }

  /** All that the end of the session's program told is known. */
  async settled(session: Session): Promise<void> {
    await this.#reading.get(session);
  }

  [Symbol.dispose](): void {
    this.#firstLooks.forEach((timer) => clearTimeout(timer));
  }

  /** What is known of an agent whose conversation can be taken up. */
  #runtimeOf(session: Session): RuntimeDefinition | undefined {
    const isWorthIt = session.record.nativeLaunch?.resumeArgs !== undefined;
    return isWorthIt ? runtimeOf(session, this.#options.runtimes) : undefined;
  }

  /** Where the agent keeps its things, as it was told itself. */
  #configHome(pid: number, runtime: Pick<RuntimeDefinition, "configHome"> = {}): string {
    const { platform, home } = this.#options;
    const names = ["HOME", ...(runtime.configHome === undefined ? [] : [runtime.configHome.variable])];
    return configHomeOf(runtime, platform.processes.readEnvironment(pid, names), home);
  }
}
