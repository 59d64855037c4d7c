import type { HookHandler } from "../hook-handler.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { qwen } from "./qwen.ts";

/** All that are compiled in; packages choose one by its id. */
export const HANDLERS: readonly HookHandler[] = [claude, codex, qwen];

export function findHandler(id: string): HookHandler | undefined {
  return HANDLERS.find((handler) => handler.id === id);
}
