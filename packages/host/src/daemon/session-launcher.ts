import type { ParsedParamsOf } from "@pohunek/protocol";
import type { ClipboardPolicy, DaemonId, InputId, SessionId } from "@pohunek/protocol/wire";
import { protocolError } from "@pohunek/protocol/wire";
import { childEnvironment } from "../agents/child-environment.ts";
import type { Launch } from "../agents/launch.ts";
import type { LaunchResolver } from "../agents/launch-resolver.ts";
import type { RuntimeSource } from "../agents/runtime-definition.ts";
import { resolveWorkingDirectory } from "../agents/working-directory.ts";
import type { Changes } from "../sessions/changes.ts";
import type { SessionCreator } from "../sessions/create-session.ts";
import type { Prompts } from "../sessions/prompts.ts";
import type { Session } from "../sessions/session.ts";
import type { SessionInputs } from "../sessions/session-inputs.ts";
import type { DescriptorRoom } from "./descriptor-room.ts";

export interface SessionLauncherOptions {
  readonly resolver: LaunchResolver;
  readonly runtimes: Pick<RuntimeSource, "byDigest" | "hold">;
  readonly creator: SessionCreator;
  readonly inputs: SessionInputs;
  readonly prompts: Prompts;
  readonly changes: Changes;
  readonly daemonEnv: Readonly<Record<string, string | undefined>>;
  readonly forward: readonly string[];
  readonly home: string;
  readonly hostName: string;
  readonly userShell: string;
  readonly daemonId: DaemonId;
  readonly publicSocketPath: string;
  readonly hookTracePath: string;
  /** Where a session says nothing else. */
  readonly clipboard: ClipboardPolicy;
  /** Each running session takes a descriptor for its worker. */
  readonly room: DescriptorRoom;
}

export interface Launched {
  readonly session: Session;
  readonly appliedInput?: string;
  readonly inputId?: InputId;
}

/** An agent may take long to start. Its first prompt is written all the same when this is over; the answer tells its id. */
const FIRST_PROMPT_MS = 20_000;

/** From the params of session.new to a running session. */
export class SessionLauncher {
  readonly #options: SessionLauncherOptions;

  constructor(options: SessionLauncherOptions) {
    this.#options = options;
  }

  async launch(params: ParsedParamsOf<"session.new">): Promise<Launched> {
    refuseProjects(params);
    this.#options.room.ensureForSession();
    const { resolver, creator, inputs, home, hostName } = this.#options;
    const { agent, name, name_clash: nameClash = "allow", cols, rows, metadata = {}, command, input } = params;
    const cwd = resolveWorkingDirectory(params.cwd, { home, hostName });
    const launch = await resolver.resolve({ agent, command });
    const digest = launch.nativeLaunch?.package?.digest;
    using _package = digest === undefined ? undefined : this.#options.runtimes.hold(digest);
    const environment = (sessionId: SessionId): LaunchEnvironment =>
      environmentOf(this.#options, { sessionId, launch });
    const clipboard = this.#clipboard(params.clipboard);
    const wanted = { name, nameClash, cwd, cols, rows, metadata, clipboard, environment };
    const session = await creator.create({ launch, ...wanted });
    if (input === undefined) {
      return { session };
    }
    return session.record.launch === "agent"
      ? await this.#promptFirst(session, input)
      : await inputs.send(session, { text: input }).then(() => ({ session, appliedInput: input }));
  }

  /** Once, when the agent is ready to read: a question on its screen is waited out. */
  async #promptFirst(session: Session, input: string): Promise<Launched> {
    const { inputId, settled } = this.#options.prompts.submitFirst(session, input);
    // Its receipt says what came of it.
    const isWritten = settled.then(
      () => true,
      () => false,
    );
    // A question needs somebody, who may be waiting for this very answer.
    const asks = this.#options.changes.until(
      session.id,
      () => (session.activity?.current?.activity === "blocked" ? true : undefined),
      { timeoutMs: FIRST_PROMPT_MS },
    );
    const isApplied = await Promise.race([isWritten, asks.then(() => false)]);
    return { session, inputId, ...(isApplied ? { appliedInput: input } : {}) };
  }

  #clipboard(wish: ParsedParamsOf<"session.new">["clipboard"]): ClipboardPolicy {
    const { write, read, max_bytes } = this.#options.clipboard;
    return { write: wish?.write ?? write, read: wish?.read ?? read, max_bytes: wish?.max_bytes ?? max_bytes };
  }
}

type LaunchEnvironment = Readonly<Record<string, string>>;

/** The environment of a session's program, whether it is started for the first time or takes up a conversation. */
export function environmentOf(
  options: SessionLauncherOptions,
  { sessionId, launch }: { sessionId: SessionId; launch: Launch },
): LaunchEnvironment {
  return childEnvironment({
    ...options,
    sessionId,
    shell: options.userShell,
    referenceKind: launch.nativeLaunch?.reference?.kind,
    own: launch.environment?.reveal(),
  });
}

/** Repositories and projects come with their own registry; a session must not silently start somewhere else. */
function refuseProjects({ project, repo, branch, base_branch }: ParsedParamsOf<"session.new">): void {
  if (project !== undefined) {
    throw protocolError("projects_not_configured");
  }
  if (repo !== undefined || branch !== undefined || base_branch !== undefined) {
    throw protocolError("bad_request", {
      message: "repo, branch and base_branch need a project registry, which this daemon does not have",
    });
  }
}
