import type { HookHandler } from "../hook-handler.ts";
import { conversationOf, subagentStart, subagentStop } from "../payload.ts";

export const codex: HookHandler = {
  id: "codex",
  processNames: ["codex"],
  events: { SessionStart: conversationOf, SubagentStart: subagentStart, SubagentStop: subagentStop },
  settings: {
    configHome: { variable: "CODEX_HOME", default: ".codex" },
    file: "hooks.json",
    timeout: 5,
    isHooksOnly: true,
    trustStep: "Codex runs new hooks only when you trust them: it asks at its next start; choose to trust all.",
  },
};
