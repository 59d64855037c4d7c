import type { RuntimeDefinition } from "../runtime-definition.ts";

/** The one runtime that is compiled in; no package may claim its name. Its program is the user's shell, or any command. */
export const SHELL_DEFINITION: RuntimeDefinition = {
  id: "shell",
  displayName: "Shell",
  preference: 0,
  processNames: [],
  launch: { program: "sh", args: [], env: {}, promptArgument: false },
  input: {
    bracketedPaste: false,
    submitDelayMs: 0,
    submitDelayConfigurable: false,
    textPolicy: "unrestricted",
    ready: "screen_idle",
    startupGraceMs: 0,
    midTurn: "queued",
    restoresInterrupted: false,
    interruptKeys: "\u0003",
  },
  stop: { signalGroup: true },
  detection: { rules: [] },
};
