import { hostname, userInfo } from "node:os";
import { join } from "node:path";
import type { AnnouncedEvent } from "@pohunek/protocol";
import type { ClipboardPolicy, DaemonId } from "@pohunek/protocol/wire";
import { daemonIdOf } from "@pohunek/protocol/wire";
import { chooseUserShell } from "../agents/launch.ts";
import type { RuntimeSource } from "../agents/runtime-definition.ts";
import { pruneLogs } from "../logs/log-files.ts";
import type { Logger } from "../logs/logger.ts";
import type { Platform } from "../platform/index.ts";
import { IdleCollector } from "../runtime/idle-collector.ts";
import { runningWorker } from "../sessions/reachable-worker.ts";
import { Store } from "../store/store.ts";
import type { Supervisor } from "../supervision/supervisor.ts";
import { logDir } from "../worker-api/paths.ts";
import { AgentCore } from "./agent-core.ts";
import { openProfiles } from "./agent-folders.ts";
import { AttachGrants } from "./attach-grants.ts";
import { Attachments } from "./attachments.ts";
import type { Config } from "./config.ts";
import { DescriptorRoom } from "./descriptor-room.ts";
import type { Handlers } from "./dispatcher.ts";
import { Dispatcher } from "./dispatcher.ts";
import { Doctor } from "./doctor.ts";
import { doctorChecks } from "./doctor-checks.ts";
import { EventBus } from "./event-bus.ts";
import { findEnclosingSession } from "./inside-session.ts";
import type { Listener, ListenerOptions } from "./listener.ts";
import { listenUnix } from "./listener.ts";
import { attachMethods } from "./methods/attach-methods.ts";
import { bindProfileMethod } from "./methods/bind-profile-method.ts";
import { detectionMethods } from "./methods/detection-methods.ts";
import { hostMethods } from "./methods/host-methods.ts";
import { inputMethods } from "./methods/input-methods.ts";
import { integrationMethods } from "./methods/integration-methods.ts";
import { lifecycleMethods } from "./methods/lifecycle-methods.ts";
import { observeMethods } from "./methods/observe-methods.ts";
import { packageMethods } from "./methods/package-methods.ts";
import { reportMethods } from "./methods/report-methods.ts";
import { settingsMethods } from "./methods/settings-methods.ts";
import { subscribeMethod } from "./methods/subscribe-method.ts";
import { OpenStreams } from "./open-streams.ts";
import { OverlayListeners } from "./overlay-listeners.ts";
import { PackageCore } from "./package-core.ts";
import { Peer } from "./peer.ts";
import type { Roots } from "./roots.ts";
import { publicSocketPath } from "./roots.ts";
import { SessionCore } from "./session-core.ts";
import type { SessionLauncherOptions } from "./session-launcher.ts";
import { SessionLauncher } from "./session-launcher.ts";
import { SessionRecovery } from "./session-recovery.ts";
import { Waiters } from "./waiters.ts";

type Environment = Readonly<Record<string, string | undefined>>;

export interface DaemonOptions {
  readonly env: Environment;
  readonly roots: Roots;
  readonly config: Config;
  readonly platform: Platform;
  readonly supervisor: Supervisor;
  readonly release: string;
  readonly programUmask: number;
  /** Where the program lies, with the packages that came with it. */
  readonly programFolder: string;
  /** The words that run it. */
  readonly program: readonly string[];
  readonly log: Logger;
  /** Ends the daemon on the spot, as a crash would. */
  readonly crash: () => void;
}

/** What an answer leaves behind beside itself, in the collector's measure: some sixteen are worth a collection. */
const ANSWER_WORK_BYTES = 65_536;

/** One running daemon. Disposing of it ends the service and leaves the workers alone. */
export class Daemon implements AsyncDisposable {
  readonly #options: DaemonOptions;
  readonly #store: Store;
  readonly #core: SessionCore;
  readonly #attachments: Attachments;
  readonly #unix: Listener;
  readonly #overlays: OverlayListeners;
  readonly #collector: IdleCollector;
  readonly #packages: PackageCore;
  readonly #agents: AgentCore;

  private constructor(parts: {
    options: DaemonOptions;
    store: Store;
    core: SessionCore;
    attachments: Attachments;
    unix: Listener;
    overlays: OverlayListeners;
    collector: IdleCollector;
    packages: PackageCore;
    agents: AgentCore;
  }) {
    this.#options = parts.options;
    this.#store = parts.store;
    this.#core = parts.core;
    this.#attachments = parts.attachments;
    this.#unix = parts.unix;
    this.#overlays = parts.overlays;
    this.#collector = parts.collector;
    this.#packages = parts.packages;
    this.#agents = parts.agents;
  }

  /** In this order: store loaded, workers found, state reconciled, sockets bound, readiness told. */
  static async start(options: DaemonOptions): Promise<Daemon> {
    const { roots, config, platform, supervisor, log, env } = options;
    const { settings } = config;
    pruneDaemonLogs(options);
    const store = openStore(options);
    const daemonId = newDaemonId();
    const events = new EventBus();
    const grants = new AttachGrants(Date.now());
    const announce = (event: AnnouncedEvent): void => events.announce(event);
    const streams = new OpenStreams({
      announce,
      isOwn: (streamId) => grants.isOwn(streamId),
      closeStream: async (sessionId, stream) => {
        await runningWorker(core.registry.get(sessionId)).closeStream({ stream });
      },
    });
    const packages = openPackages(options, () => core.registry);
    const core = openCore(options, { store, events, daemonId, streams, runtimes: packages.runtimes });
    const report = await core.reconcile();
    const attachments = new Attachments({
      registry: core.registry,
      announce,
      grants,
      streams,
      log,
      sockets: platform.sockets,
    });
    const waiters = new Waiters({ total: settings.maxWaiters, perSession: settings.maxWaitersPerSession });
    const listening: { overlays?: OverlayListeners } = {};
    const agents = openAgents(options, packages);
    const looks = { roots, store, core, report, supervisor, packages, overlays: () => listening.overlays?.look() };
    const doctor = new Doctor(() => [...doctorChecks(looks), ...agents.checks()]);
    const room = new DescriptorRoom(platform.self.openFilesLimit());
    const handlers = listHandlers(options, { core, attachments, waiters, doctor, daemonId, room, packages, agents });
    const collector = new IdleCollector(() => Bun.gc(true));
    const onAnswer = (bytes: number): void => collector.noteOutput(ANSWER_WORK_BYTES + bytes);
    const dispatcher = new Dispatcher({ handlers, daemonId, log, onAnswer });
    const accept: ListenerOptions["accept"] = (socket, origin) =>
      new Peer({
        socket,
        origin,
        dispatcher,
        events,
        openAttach: (streamId, peer) => attachments.open(streamId, peer),
      });
    const uid = platform.self.uid();
    const readTcpOwner: Platform["readTcpOwner"] = (near, far) => platform.readTcpOwner(near, far);
    const overlays = new OverlayListeners(config.overlays, { accept, room, log, uid, readTcpOwner });
    listening.overlays = overlays;
    overlays.start();
    const unix = listenLocally(options, { accept, room });
    log.info("ready", { daemon_id: daemonId, pid: process.pid });
    tellServiceManager(options, env["NOTIFY_SOCKET"]);
    packages.start((bytes) => collector.noteGarbage(bytes));
    return new Daemon({ options, store, core, attachments, unix, overlays, collector, packages, agents });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    const { log, supervisor } = this.#options;
    log.info("stopping");
    this.#packages[Symbol.dispose]();
    this.#collector[Symbol.dispose]();
    this.#unix.stop();
    this.#overlays.stop();
    this.#attachments[Symbol.dispose]();
    await this.#agents[Symbol.asyncDispose]();
    await this.#core[Symbol.asyncDispose]();
    this.#unix.closeAll();
    await this.#overlays[Symbol.asyncDispose]();
    await supervisor[Symbol.asyncDispose]();
    this.#store[Symbol.dispose]();
    log.info("stopped");
  }
}

function listenLocally(
  { roots, platform, log }: DaemonOptions,
  { accept, room }: Pick<ListenerOptions, "accept" | "room">,
): Listener {
  const uid = platform.self.uid();
  const readPeer = (fd: number): ReturnType<Platform["readPeer"]> => platform.readPeer(fd);
  return listenUnix({ accept, room, log, path: publicSocketPath(roots), uid, readPeer });
}

function newDaemonId(): DaemonId {
  return daemonIdOf({ pid: process.pid, startedAtNanos: BigInt(Date.now()) * 1_000_000n, sequence: 1 });
}

/** Limits of the log families; the session's is the worker's business, and repeated here for what it left. */
const SESSION_LOG_LIMITS = { fileBytes: 4_194_304, files: 4 };

function pruneDaemonLogs({ roots, config, platform, log }: DaemonOptions): void {
  const daemon = { fileBytes: config.settings.logDaemonFileBytes, files: config.settings.logDaemonFiles };
  const removed = pruneLogs(logDir(roots.state), platform.self.uid(), { daemon, session: SESSION_LOG_LIMITS });
  if (removed.length > 0) {
    log.info("logs_pruned", { files: removed.length });
  }
}

function openStore({ roots, log }: DaemonOptions): Store {
  const store = new Store(join(roots.data, "store.sqlite3"));
  const { foundVersion, isAlone, backupPath } = store.opened;
  if (isAlone) {
    log.warn("store_not_shared", {
      hint: "the disk is full; sqlite3 can't open the store until the daemon is restarted",
    });
  }
  if (backupPath !== undefined) {
    log.info("store_migrated", { from_schema: foundVersion });
  }
  return store;
}

function openCore(
  { roots, config, supervisor, platform, programUmask, log, crash, env }: DaemonOptions,
  parts: { store: Store; events: EventBus; daemonId: DaemonId; streams: OpenStreams; runtimes: RuntimeSource },
): SessionCore {
  const { store, events, daemonId, streams, runtimes } = parts;
  const { settings } = config;
  return new SessionCore({
    roots,
    settings,
    store,
    supervisor,
    platform,
    daemonId,
    runtimes,
    home: homeOf(env),
    viewers: streams,
    programUmask,
    announce: (event) => events.announce(event),
    reach: (step) => {
      if (step === settings.testCrashAt) {
        crash();
      }
    },
    log,
    now: () => new Date(),
  });
}

function openPackages(
  { roots, platform, programFolder, log }: DaemonOptions,
  sessions: () => SessionCore["registry"],
): PackageCore {
  const profiles = openProfiles(roots, platform.self.uid());
  const sessionPins = (): string[] =>
    [...sessions().all].flatMap(({ record }) => record.nativeLaunch?.package?.digest ?? []);
  const pinned = (): readonly string[] => [...sessionPins(), ...profiles.pins.map(({ digest }) => digest)];
  return new PackageCore({ roots, platform, programFolder, pinned, log });
}

function openAgents({ env, roots, config, platform, program }: DaemonOptions, { runtimes }: PackageCore): AgentCore {
  const { settings } = config;
  const uid = platform.self.uid();
  return new AgentCore({
    roots,
    settings,
    runtimes,
    daemonEnv: env,
    home: homeOf(env),
    userShell: userShellOf(env),
    uid,
    program,
    syncDirectory: (path) => platform.files.syncDirectory(path),
  });
}

interface Parts {
  readonly core: SessionCore;
  readonly attachments: Attachments;
  readonly waiters: Waiters;
  readonly doctor: Doctor;
  readonly packages: PackageCore;
  readonly agents: AgentCore;
  readonly daemonId: DaemonId;
  readonly room: DescriptorRoom;
}

function listHandlers(options: DaemonOptions, parts: Parts): Handlers {
  const { core, attachments, waiters, doctor, daemonId, room, packages, agents } = parts;
  const { env, roots, config, platform, release } = options;
  const { registry, changes, creator, ender, recoverer, references, inputs, prompts, inventory } = core;
  const launching: SessionLauncherOptions = {
    resolver: agents.resolver,
    runtimes: packages.runtimes,
    creator,
    inputs,
    prompts,
    changes,
    daemonEnv: env,
    forward: config.settings.environmentForward,
    home: homeOf(env),
    hostName: hostname(),
    userShell: userShellOf(env),
    daemonId,
    publicSocketPath: publicSocketPath(roots),
    hookTracePath: join(logDir(roots.state), "pohunek-hooks.jsonl"),
    clipboard: clipboardPolicy(config.settings),
    room,
  };
  const launcher = new SessionLauncher(launching);
  const recovery = new SessionRecovery({ ...launching, recoverer, references });
  return {
    ...hostMethods({
      release,
      doctor,
      runtimes: async () => await agents.list(),
      hasGit: () => Bun.which("git", { PATH: env["PATH"] ?? "" }) !== null,
    }),
    ...lifecycleMethods({ registry, launcher, recovery, ender, inventory }),
    ...attachMethods({
      registry,
      attachments,
      enclosingSession: (pid) => findEnclosingSession(pid, { processes: platform.processes, registry }),
    }),
    ...observeMethods({ registry, changes, waiters }),
    ...detectionMethods(registry),
    ...settingsMethods(registry),
    ...reportMethods({
      registry,
      references,
      runtimes: packages.runtimes,
      processes: platform.processes,
      now: () => new Date(),
    }),
    ...inputMethods({ core, waiters }),
    ...subscribeMethod,
    ...packageMethods(packages),
    ...integrationMethods(agents.integration),
    ...bindProfileMethod({
      packages,
      profiles: agents.profiles,
      syncDirectory: (path) => platform.files.syncDirectory(path),
    }),
  };
}

function userShellOf(env: DaemonOptions["env"]): string {
  return chooseUserShell([env["SHELL"], userInfo().shell ?? undefined]);
}

function homeOf(env: DaemonOptions["env"]): string {
  return env["HOME"] || userInfo().homedir;
}

function tellServiceManager({ platform, log }: DaemonOptions, address: string | undefined): void {
  if (address === undefined || address === "") {
    return;
  }
  try {
    platform.self.notifyServiceManager(address, "READY=1");
  } catch (cause) {
    log.warn("service_manager_not_told", { code: String((cause as { code?: unknown }).code) });
  }
}

function clipboardPolicy({ clipboardWrite, clipboardRead, clipboardMaxBytes }: Config["settings"]): ClipboardPolicy {
  return { write: clipboardWrite, read: clipboardRead, max_bytes: clipboardMaxBytes };
}
