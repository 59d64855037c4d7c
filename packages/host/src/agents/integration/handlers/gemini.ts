import type { HookHandler } from "../hook-handler.ts";
import { conversationOf } from "../payload.ts";

export const gemini: HookHandler = {
  id: "gemini",
  processNames: ["gemini"],
  events: { SessionStart: conversationOf },
  settings: {
    configHome: { variable: "GEMINI_CLI_HOME", default: ".gemini" },
    file: "settings.json",
    // Milliseconds.
    timeout: 5000,
    isHooksOnly: false,
  },
};
