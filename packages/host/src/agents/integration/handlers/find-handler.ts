import type { HookHandler } from "../hook-handler.ts";
import { claude } from "./claude.ts";
import { codex } from "./codex.ts";
import { gemini } from "./gemini.ts";
import { qwen } from "./qwen.ts";

const HANDLERS: readonly HookHandler[] = [claude, codex, gemini, qwen];

export function findHandler(id: string): HookHandler | undefined {
  return HANDLERS.find((handler) => handler.id === id);
}
