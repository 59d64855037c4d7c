import type { RuntimeIdentity } from "@pohunek/protocol";
import type { Decimal, WorkerInstanceId } from "@pohunek/protocol/wire";
import { isDecimal, isWorkerInstanceId } from "@pohunek/protocol/wire";
import { usageError } from "../command-line/usage-error.ts";

/** Reads an unsigned 64-bit number as it travels. */
export function readDecimal(flag: string, text: string): Decimal {
  if (!isDecimal(text)) throw usageError(`${flag} must be a whole number without leading zeros`);
  return text;
}

/** Both halves of a runtime's identity, or neither. */
export function readIdentity(worker: string | undefined, generation: string | undefined): RuntimeIdentity | undefined {
  if (worker === undefined && generation === undefined) return undefined;
  if (worker === undefined || generation === undefined) {
    throw usageError("--worker-instance-id and --runtime-generation belong together");
  }
  if (!isWorkerInstanceId(worker)) throw usageError(`"${worker}" is no worker instance id`);
  return {
    worker_instance_id: worker satisfies WorkerInstanceId,
    runtime_generation: readDecimal("--runtime-generation", generation),
  };
}
