import type { AttachOrigin } from "../attach/attach-params.ts";
import type { CommandContext } from "../context.ts";

export function attachOrigin({ settings }: CommandContext): AttachOrigin {
  const workerId = settings.originWorkerId;
  return { ...settings.origin(), ...(workerId === undefined ? {} : { origin_worker_id: workerId }) };
}
