import type { WorkerEvent } from "../worker-api/events.ts";
import { workerError } from "../worker-api/worker-error.ts";
import type { ControlPeer } from "./control-peer.ts";
import { PlanLedger } from "./plan-ledger.ts";

/** The right to control the worker: one connection at a time has it, and loses it by ending. */
export class Lease {
  readonly #onChange: (isHeld: boolean) => void;
  #holder: { readonly peer: ControlPeer; readonly controller: string; readonly ledger: PlanLedger } | undefined;
  #count = 0;

  constructor(onChange: (isHeld: boolean) => void) {
    this.#onChange = onChange;
  }

  get controller(): string | undefined {
    return this.#holder?.controller;
  }

  /** Plans of this lease; the next lease counts from the start. */
  get ledger(): PlanLedger {
    return this.#holder?.ledger ?? refuse();
  }

  /** Returns the number of the lease. Fails with worker_controller_busy. */
  acquire(peer: ControlPeer, controller: string): number {
    if (this.#holder && this.#holder.peer !== peer) {
      throw workerError("worker_controller_busy", "Another connection controls this worker.");
    }
    this.#count += 1;
    this.#holder = { peer, controller, ledger: new PlanLedger() };
    this.#onChange(true);
    return this.#count;
  }

  release(peer: ControlPeer): void {
    if (this.#holder?.peer === peer) {
      this.#holder = undefined;
      this.#onChange(false);
    }
  }

  require(peer: ControlPeer): void {
    if (this.#holder?.peer !== peer) {
      refuse();
    }
  }

  emit(event: WorkerEvent): void {
    this.#holder?.peer.emit(event);
  }
}

function refuse(): never {
  throw workerError("worker_invalid_state", "This connection does not control the worker.");
}
