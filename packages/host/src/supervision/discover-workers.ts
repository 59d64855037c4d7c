import type { Dirent } from "node:fs";
import { closeSync, constants, existsSync, fstatSync, openSync, readdirSync, readFileSync } from "node:fs";
import { basename, join } from "node:path";
import { isSessionId } from "@pohunek/protocol/wire";
import type { Platform } from "../platform/index.ts";
import type { WorkerJournal } from "../worker-api/journal.ts";
import { JOURNAL_BYTES_MAX, parseJournal } from "../worker-api/journal.ts";
import { journalPath, journalRoot, workerSocketPath } from "../worker-api/paths.ts";
import type { WorkerKey, WorkerLife, WorkerProgram, WorkerSighting } from "./supervisor.ts";
import { DISCOVERY_MAX } from "./supervisor.ts";

export interface DiscoveryContext {
  readonly platform: Platform;
  readonly program: Pick<WorkerProgram, "runtimeRoot" | "stateRoot">;
}

const JOURNAL_SUFFIX = ".json";

/** Every worker of these roots that left a journal or a socket. */
export function discoverWorkers(context: DiscoveryContext): WorkerSighting[] {
  const { runtimeRoot, stateRoot } = context.program;
  const sightings: WorkerSighting[] = [];
  const seen = new Set<string>();
  for (const folder of listFolder(journalRoot(stateRoot)).filter((entry) => entry.isDirectory())) {
    const files = listFolder(join(folder.parentPath, folder.name));
    for (const { parentPath, name } of files.filter((entry) => entry.name.endsWith(JOURNAL_SUFFIX))) {
      if (sightings.length === DISCOVERY_MAX) {
        return sightings;
      }
      seen.add(folder.name);
      sightings.push(sightJournal(context, folder.name, join(parentPath, name)));
    }
  }
  for (const { name } of listFolder(join(runtimeRoot, basename(journalRoot(stateRoot))))) {
    const socketPath = isSessionId(name) ? workerSocketPath(runtimeRoot, name) : undefined;
    if (socketPath !== undefined && !seen.has(name) && existsSync(socketPath) && sightings.length < DISCOVERY_MAX) {
      sightings.push({ kind: "socket_only", claimedSessionId: name, socketPath });
    }
  }
  return sightings;
}

/** What is left of one worker; undefined when it left nothing. */
export function inspectWorker(
  context: DiscoveryContext,
  key: Pick<WorkerKey, "sessionId" | "workerId">,
): WorkerSighting | undefined {
  const { runtimeRoot, stateRoot } = context.program;
  const file = journalPath(stateRoot, key);
  if (existsSync(file)) {
    return sightJournal(context, key.sessionId, file);
  }
  const socketPath = workerSocketPath(runtimeRoot, key.sessionId);
  return existsSync(socketPath) ? { kind: "socket_only", claimedSessionId: key.sessionId, socketPath } : undefined;
}

function sightJournal(context: DiscoveryContext, folder: string, file: string): WorkerSighting {
  const content = readJournal(file);
  if (content.kind === "unusable") {
    return { kind: "unusable", claimedSessionId: folder, file, reason: content.reason };
  }
  const reading = parseJournal(content.text);
  if (reading.kind === "unusable") {
    const { reason, schema } = reading;
    return { kind: "unusable", claimedSessionId: folder, file, reason, ...(schema === undefined ? {} : { schema }) };
  }
  const { journal } = reading;
  // A journal speaks for the place that it lies in: a copy elsewhere is evidence of nothing.
  if (journal.session_id !== folder || `${journal.worker_id}${JOURNAL_SUFFIX}` !== basename(file)) {
    return { kind: "unusable", claimedSessionId: folder, file, reason: "malformed" };
  }
  const socketPath = workerSocketPath(context.program.runtimeRoot, journal.session_id);
  return {
    kind: "worker",
    key: {
      sessionId: journal.session_id,
      workerId: journal.worker_id,
      runtimeId: journal.runtime_id,
      generation: journal.generation,
    },
    journal,
    life: judgeLife(context.platform, journal),
    socketPath,
    hasSocket: existsSync(socketPath),
  };
}

type JournalContent =
  | { readonly kind: "text"; readonly text: string }
  | { readonly kind: "unusable"; readonly reason: "unreadable" | "too_large" };

function readJournal(file: string): JournalContent {
  let fd: number;
  try {
    // A FIFO must not hold us, a link must not lead us elsewhere.
    fd = openSync(file, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK);
  } catch {
    // ELOOP, EACCES, ENOENT: whichever, it is no evidence.
    return { kind: "unusable", reason: "unreadable" };
  }
  try {
    const facts = fstatSync(fd);
    if (!facts.isFile()) {
      return { kind: "unusable", reason: "unreadable" };
    }
    return facts.size > JOURNAL_BYTES_MAX
      ? { kind: "unusable", reason: "too_large" }
      : { kind: "text", text: readFileSync(fd, "utf8") };
  } catch {
    // EIO and the like.
    return { kind: "unusable", reason: "unreadable" };
  } finally {
    closeSync(fd);
  }
}

/** Pids are reused within a boot and mean nothing in another one. */
function judgeLife({ processes }: Platform, { worker }: WorkerJournal): WorkerLife {
  try {
    if (processes.bootId() !== worker.boot_id) {
      return "dead";
    }
    return processes.read(worker.pid)?.startIdentity === worker.start_identity ? "alive" : "dead";
  } catch {
    // The process table can't be read: nobody knows.
    return "unknown";
  }
}

function listFolder(path: string): Dirent[] {
  try {
    return readdirSync(path, { withFileTypes: true });
  } catch (cause) {
    if ((cause as NodeJS.ErrnoException).code === "ENOENT") {
      return [];
    }
    throw cause;
  }
}

/** Whether any journal of the session is left. */
export function hasJournals(stateRoot: string, sessionId: string): boolean {
  return listFolder(join(journalRoot(stateRoot), sessionId)).some(({ name }) => name.endsWith(JOURNAL_SUFFIX));
}
