import type { AnnouncedEvent } from "@pohunek/protocol";
import type { RuntimeInventoryStatus, SessionId, WorkerId, WorkerInstanceId } from "@pohunek/protocol/wire";
import { isSessionId } from "@pohunek/protocol/wire";
import type { Supervisor, WorkerSighting } from "../supervision/supervisor.ts";
import type { Registry } from "./registry.ts";

/** One slot that the host knows a worker for, or should. */
export interface InventoryEntry {
  readonly runtime_slot: string;
  readonly claimed_session_id?: SessionId;
  readonly worker_id?: WorkerId;
  readonly worker_instance_id?: WorkerInstanceId;
  readonly status: RuntimeInventoryStatus;
  readonly reason?: string;
}

/** Compares the workers that left a trace on this host with the sessions that the daemon knows. */
export class Inventory {
  readonly #registry: Registry;
  readonly #supervisor: Pick<Supervisor, "discover">;
  readonly #announce: (event: AnnouncedEvent) => void;
  readonly #told = new Set<string>();

  constructor(options: {
    registry: Registry;
    supervisor: Pick<Supervisor, "discover">;
    announce: (event: AnnouncedEvent) => void;
  }) {
    this.#registry = options.registry;
    this.#supervisor = options.supervisor;
    this.#announce = options.announce;
  }

  /** Looks again, and announces each slot that no session manages, once. */
  async list(): Promise<InventoryEntry[]> {
    const entries = this.classify(await this.#supervisor.discover());
    for (const entry of entries) {
      const key = `${entry.runtime_slot} ${entry.status}`;
      if (entry.status !== "managed" && !this.#told.has(key)) {
        this.#told.add(key);
        this.#announce({ event: "session_runtime_discovered", payload: { entry } });
      }
    }
    return entries;
  }

  classify(sightings: readonly WorkerSighting[]): InventoryEntry[] {
    return sightings.flatMap((sighting) => this.#entryOf(sighting) ?? []);
  }

  #entryOf(sighting: WorkerSighting): InventoryEntry | undefined {
    if (sighting.kind === "unusable") {
      const { claimedSessionId, file, reason, schema } = sighting;
      return {
        runtime_slot: `${claimedSessionId}/${file}`,
        ...claim(claimedSessionId),
        status: "incompatible",
        reason: schema === undefined ? `journal_${reason}` : `journal_${reason} ${schema}`,
      };
    }
    if (sighting.kind === "socket_only") {
      const { claimedSessionId } = sighting;
      const isManaged = this.#registry.find(claimedSessionId)?.link?.isConnected === true;
      const status = isManaged ? "managed" : "orphaned";
      return {
        runtime_slot: claimedSessionId,
        ...claim(claimedSessionId),
        status,
        reason: isManaged ? undefined : "no_journal",
      };
    }
    return this.#entryOfWorker(sighting);
  }

  #entryOfWorker({ key, life }: WorkerSighting & { kind: "worker" }): InventoryEntry | undefined {
    const { sessionId, workerId, runtimeId } = key;
    const slot = {
      runtime_slot: `${sessionId}/${workerId}`,
      claimed_session_id: sessionId,
      worker_id: workerId,
      worker_instance_id: runtimeId,
    };
    const record = this.#registry.find(sessionId)?.record;
    if (record === undefined) {
      // What a dead worker left without a session is litter, not a runtime.
      return life === "dead" ? undefined : { ...slot, status: "orphaned", reason: "no_session" };
    }
    if (record.runtime.runtimeId !== runtimeId) {
      return life === "dead" ? undefined : { ...slot, status: "identity_mismatch", reason: "another_generation" };
    }
    if (record.runtime.state === "conflict" || record.runtime.state === "incompatible") {
      return { ...slot, status: record.runtime.state, reason: record.runtime.lossReason };
    }
    return { ...slot, status: "managed" };
  }
}

function claim(sessionId: string): Pick<InventoryEntry, "claimed_session_id"> {
  return isSessionId(sessionId) ? { claimed_session_id: sessionId } : {};
}
