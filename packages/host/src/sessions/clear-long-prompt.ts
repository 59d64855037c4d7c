import { encodeUtf8 } from "@pohunek/protocol/wire";
import type { RuntimeDefinition } from "../agents/runtime-definition.ts";
import type { WorkerClient } from "../worker-api/client.ts";
import type { Session } from "./session.ts";

/** More of such keys in one write were taken for a paste by an agent that was measured. */
const KEYS_AT_ONCE = 16;
const BETWEEN_MS = 20;
/** A prompt of more lines is not cleared key by key. */
const MOST_LINES = 200;

/** Keys that are missing to clear the last prompt, in case an interrupt has put that back: two for each line but the first. */
export function missingClearKeys({ promptLines = 0 }: Session, { input }: RuntimeDefinition): number {
  if (!input.restoresInterrupted || input.clearLine === undefined) {
    return 0;
  }
  return Math.max(0, 2 * Math.min(promptLines, MOST_LINES) - 1 - input.clearLine.repeat);
}

/** Presses them, few at a time, before the prompt that clears the rest itself. */
export async function clearLongPrompt(worker: WorkerClient, agent: RuntimeDefinition, count: number): Promise<void> {
  const keys = agent.input.clearLine?.keys ?? "";
  for (let left = count; left > 0; left -= KEYS_AT_ONCE) {
    await worker.write([{ data: encodeUtf8(keys.repeat(Math.min(left, KEYS_AT_ONCE))) }]);
    await Bun.sleep(BETWEEN_MS);
  }
}
