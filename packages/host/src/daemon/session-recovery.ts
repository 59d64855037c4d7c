import { existsSync } from "node:fs";
import type { NameClash } from "@pohunek/protocol/wire";
import { protocolError } from "@pohunek/protocol/wire";
import type { Launch } from "../agents/launch.ts";
import { configHomeOf } from "../agents/native/config-home.ts";
import { checkReference, newReference } from "../agents/native/reference.ts";
import { assignsNewReference, fillReferences } from "../agents/native/reference-arguments.ts";
import { findConversation } from "../agents/native/stored-conversation.ts";
import { resolveWorkingDirectory } from "../agents/working-directory.ts";
import type { NativeReferences } from "../sessions/native-references.ts";
import type { SessionRecoverer } from "../sessions/recover-session.ts";
import type { Session } from "../sessions/session.ts";
import type { NativeLaunch, NativeReference } from "../store/native-launch.ts";
import type { SessionLauncherOptions } from "./session-launcher.ts";
import { environmentOf } from "./session-launcher.ts";

export interface SessionRecoveryOptions extends SessionLauncherOptions {
  readonly recoverer: SessionRecoverer;
  readonly references: NativeReferences;
}

export interface ForkRequest {
  readonly name?: string;
  readonly nameClash: NameClash;
  readonly cols: number;
  readonly rows: number;
  readonly acceptsProfileChange: boolean;
}

/** A conversation that is known, and how it is taken up. */
interface Conversation {
  readonly native: NativeLaunch;
  readonly reference: NativeReference;
}

/** Takes up agents' own conversations again: in the same session when it has ended, or in a second one. */
export class SessionRecovery {
  readonly #options: SessionRecoveryOptions;

  constructor(options: SessionRecoveryOptions) {
    this.#options = options;
  }

  /** A new generation of the session. Fails with what is in the way; then the session stays as it ended. */
  async resume(session: Session, acceptsProfileChange: boolean): Promise<void> {
    const { recoverer, clipboard } = this.#options;
    await recoverer.recover(session, async () => {
      const conversation = await this.#conversationOf(session);
      const { resumeArgs } = conversation.native;
      if (resumeArgs === undefined) {
        throw protocolError("agent_not_resumable");
      }
      const args = fillReferences(resumeArgs, { reference: conversation.reference.value });
      const launch = await this.#resolve(session, { conversation, args, acceptsProfileChange });
      const { argv, executable, nativeLaunch, hooks } = launch;
      const env = environmentOf(this.#options, { sessionId: session.id, launch });
      return { argv, executable, nativeLaunch, hooks, env, clipboard };
    });
  }

  /** A new session that begins with the conversation so far. The first one goes on as it is. */
  async fork(session: Session, request: ForkRequest): Promise<Session> {
    const { creator, clipboard, references } = this.#options;
    const { nativeLaunch, nativeReference, cwd } = session.record;
    const forkArgs = nativeLaunch?.forkArgs;
    if (forkArgs === undefined && session.record.brokenLaunch !== undefined) {
      await this.#conversationOf(session);
    }
    if (forkArgs === undefined) {
      throw protocolError("agent_fork_unsupported");
    }
    if (nativeReference === undefined) {
      references.look(session);
    }
    const conversation = await this.#conversationOf(session);
    const assigned = assignsNewReference(forkArgs) ? newReference() : undefined;
    const { value, kind } = conversation.reference;
    const args = fillReferences(forkArgs, { reference: value, newReference: assigned });
    const { acceptsProfileChange, cols, rows } = request;
    const launch = await this.#resolve(session, { conversation, args, acceptsProfileChange });
    return await creator.create({
      launch: {
        ...launch,
        nativeReference: assigned === undefined ? undefined : { kind, value: assigned, source: "assigned" },
      },
      ...nameOf(session, request),
      cwd,
      cols,
      rows,
      metadata: {},
      clipboard,
      environment: (sessionId) => environmentOf(this.#options, { sessionId, launch }),
    });
  }

  /** The session is about to be stopped: the last moment to see which conversation its agent has. */
  noteEnd(session: Session): void {
    this.#options.references.look(session);
  }

  /** Fails with what is missing. The reference is checked again: it was written by others than us. */
  async #conversationOf(session: Session): Promise<Conversation> {
    await this.#options.references.settled(session);
    const { nativeLaunch: native, nativeReference: reference, brokenLaunch } = session.record;
    if (brokenLaunch !== undefined) {
      throw protocolError("not_resumable", {
        message: "what was written down about the session's agent was changed since, so none of it is run",
      });
    }
    if (native?.reference === undefined) {
      throw protocolError("not_resumable", { message: "the session has no conversation that could be taken up" });
    }
    if (reference === undefined) {
      throw protocolError("agent_native_reference_missing");
    }
    checkReference(native.reference.kind, reference.value);
    return { native, reference };
  }

  /** All that today's host must have for it: a slot, the folder, the package, the profile, the program, the conversation. */
  async #resolve(
    session: Session,
    request: { conversation: Conversation; args: readonly string[]; acceptsProfileChange: boolean },
  ): Promise<Launch> {
    const { room, resolver, home, hostName } = this.#options;
    const { conversation, args, acceptsProfileChange } = request;
    const { record } = session;
    room.ensureForSession();
    resolveWorkingDirectory(record.cwd, { home, hostName });
    const launch = await resolver.resolveAgain({ record, args, acceptsProfileChange });
    if (!(await this.#exists(session, { conversation, launch }))) {
      throw protocolError("agent_native_reference_missing", {
        message: "the agent has not kept a conversation of this session, so there is nothing to take up",
      });
    }
    return launch;
  }

  async #exists(
    { record }: Session,
    { conversation, launch }: { conversation: Conversation; launch: Launch },
  ): Promise<boolean> {
    const { runtimes, home } = this.#options;
    const { native, reference } = conversation;
    if (reference.kind === "path") {
      return existsSync(reference.value);
    }
    const runtime =
      native.package === undefined ? undefined : runtimes.byDigest(native.package.digest, record.agentBase);
    const store = runtime?.nativeReference?.store;
    if (runtime === undefined || store === undefined) {
      return true;
    }
    const configHome = configHomeOf(runtime, launch.environment, home);
    return (await findConversation({ configHome, store, reference: reference.value })).kind !== "missing";
  }
}

/** A fork is called after the session that it comes from, unless it gets a name of its own. */
function nameOf({ record }: Session, { name, nameClash }: ForkRequest): Pick<ForkRequest, "name" | "nameClash"> {
  return name === undefined && record.name !== undefined
    ? { name: record.name, nameClash: "number" }
    : { name, nameClash };
}
