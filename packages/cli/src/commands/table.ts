import type { Command } from "../command-line/command.ts";
import { attach } from "./attach.ts";
import { complete } from "./complete.ts";
import { completionsCommand } from "./completions.ts";
import { daemonRestart } from "./daemon-restart.ts";
import { daemonStart } from "./daemon-start.ts";
import { daemonStop } from "./daemon-stop.ts";
import { doctor } from "./doctor.ts";
import { health } from "./health.ts";
import { helpCommand } from "./help.ts";
import { hostDiscover } from "./host-discover.ts";
import { hostInspect } from "./host-inspect.ts";
import { hostList } from "./host-list.ts";
import { run } from "./run.ts";
import { sessionFork } from "./session-fork.ts";
import { sessionInput } from "./session-input.ts";
import { sessionInspect } from "./session-inspect.ts";
import { sessionList } from "./session-list.ts";
import { sessionMetadata } from "./session-metadata.ts";
import { sessionNew } from "./session-new.ts";
import { sessionOutput } from "./session-output.ts";
import { sessionRead } from "./session-read.ts";
import { sessionRemove } from "./session-remove.ts";
import { sessionRename } from "./session-rename.ts";
import { sessionResize } from "./session-resize.ts";
import { sessionResume } from "./session-resume.ts";
import { sessionRuntimeInventory } from "./session-runtime-inventory.ts";
import { sessionScreen } from "./session-screen.ts";
import { sessionStop } from "./session-stop.ts";
import { sessionWait } from "./session-wait.ts";
import { setupCompletionsCommand } from "./setup-completions.ts";
import { status } from "./status.ts";
import { subscribe } from "./subscribe.ts";
import { up } from "./up.ts";
import { wait } from "./wait.ts";

/** Every command, in the order of the help. */
export const COMMANDS: readonly Command[] = [
  up,
  run,
  sessionNew,
  sessionList,
  attach,
  sessionInput,
  sessionScreen,
  sessionRead,
  sessionOutput,
  wait,
  sessionWait,
  sessionInspect,
  sessionRename,
  sessionMetadata,
  sessionResize,
  sessionStop,
  sessionResume,
  sessionFork,
  sessionRemove,
  sessionRuntimeInventory,
  status,
  health,
  doctor,
  daemonStart,
  daemonStop,
  daemonRestart,
  hostList,
  hostDiscover,
  hostInspect,
  completionsCommand(() => COMMANDS),
  setupCompletionsCommand(() => COMMANDS),
  helpCommand(() => COMMANDS),
  subscribe,
  complete,
];
