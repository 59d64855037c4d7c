import type { HookHandler } from "../hook-handler.ts";
import { conversationOf, subagentStart, subagentStop } from "../payload.ts";

export const qwen: HookHandler = {
  id: "qwen",
  processNames: ["qwen"],
  events: { SessionStart: conversationOf, SubagentStart: subagentStart, SubagentStop: subagentStop },
  settings: {
    configHome: { variable: "QWEN_HOME", default: ".qwen" },
    file: "settings.json",
    // Milliseconds.
    timeout: 5000,
    isHooksOnly: false,
  },
};
