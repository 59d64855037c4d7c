import type { Command } from "../command-line/command.ts";
import type { Route } from "../command-line/route.ts";
import { sessionList } from "./session-list.ts";

/**
 * Every command, in the order of the help. The names repeat those in the command's own file (table.test.ts compares them),
 * so that a start loads no other command than the one it is about: all of them together take longer than `ls` may.
 */
export const ROUTES: readonly Route[] = [
  { names: ["up"], load: async () => (await import("./up.ts")).up },
  { names: ["run"], load: async () => (await import("./run.ts")).run },
  { names: ["session new", "new"], load: async () => (await import("./session-new.ts")).sessionNew },
  { names: ["session list", "ls", "list"], load: () => Promise.resolve(sessionList) },
  { names: ["agents"], load: async () => (await import("./agents.ts")).agents },
  { names: ["attach"], load: async () => (await import("./attach.ts")).attach },
  { names: ["session input", "send", "input"], load: async () => (await import("./session-input.ts")).sessionInput },
  { names: ["session answer", "answer"], load: async () => (await import("./session-answer.ts")).sessionAnswer },
  {
    names: ["session receipts", "receipts"],
    load: async () => (await import("./session-receipts.ts")).sessionReceipts,
  },
  { names: ["session screen", "screen"], load: async () => (await import("./session-screen.ts")).sessionScreen },
  { names: ["session read", "read"], load: async () => (await import("./session-read.ts")).sessionRead },
  { names: ["session output", "output"], load: async () => (await import("./session-output.ts")).sessionOutput },
  { names: ["wait"], load: async () => (await import("./wait.ts")).wait },
  { names: ["session wait"], load: async () => (await import("./session-wait.ts")).sessionWait },
  { names: ["session inspect", "inspect"], load: async () => (await import("./session-inspect.ts")).sessionInspect },
  { names: ["session explain", "explain"], load: async () => (await import("./explain.ts")).explain },
  { names: ["detect test"], load: async () => (await import("./detect-test.ts")).detectTest },
  { names: ["session rename", "rename"], load: async () => (await import("./session-rename.ts")).sessionRename },
  {
    names: ["session metadata", "metadata"],
    load: async () => (await import("./session-metadata.ts")).sessionMetadata,
  },
  { names: ["session resize", "resize"], load: async () => (await import("./session-resize.ts")).sessionResize },
  { names: ["session stop", "stop"], load: async () => (await import("./session-stop.ts")).sessionStop },
  { names: ["session resume", "resume"], load: async () => (await import("./session-resume.ts")).sessionResume },
  { names: ["session fork", "fork"], load: async () => (await import("./session-fork.ts")).sessionFork },
  { names: ["session rm", "rm"], load: async () => (await import("./session-remove.ts")).sessionRemove },
  {
    names: ["session runtime-inventory"],
    load: async () => (await import("./session-runtime-inventory.ts")).sessionRuntimeInventory,
  },
  { names: ["status"], load: async () => (await import("./status.ts")).status },
  { names: ["health"], load: async () => (await import("./health.ts")).health },
  { names: ["doctor"], load: async () => (await import("./doctor.ts")).doctor },
  { names: ["daemon start"], load: async () => (await import("./daemon-start.ts")).daemonStart },
  { names: ["daemon stop"], load: async () => (await import("./daemon-stop.ts")).daemonStop },
  { names: ["daemon restart"], load: async () => (await import("./daemon-restart.ts")).daemonRestart },
  { names: ["host list"], load: async () => (await import("./host-list.ts")).hostList },
  { names: ["host discover"], load: async () => (await import("./host-discover.ts")).hostDiscover },
  { names: ["host inspect"], load: async () => (await import("./host-inspect.ts")).hostInspect },
  {
    names: ["integration install"],
    load: async () => (await import("./integration-change.ts")).integrationInstall,
  },
  {
    names: ["integration uninstall"],
    load: async () => (await import("./integration-change.ts")).integrationUninstall,
  },
  { names: ["integration update"], load: async () => (await import("./integration-change.ts")).integrationUpdate },
  { names: ["integration status"], load: async () => (await import("./integration-look.ts")).integrationStatus },
  { names: ["integration doctor"], load: async () => (await import("./integration-look.ts")).integrationDoctor },
  { names: ["plugin list"], load: async () => (await import("./plugin-list.ts")).pluginList },
  { names: ["plugin inspect"], load: async () => (await import("./plugin-inspect.ts")).pluginInspect },
  { names: ["plugin doctor"], load: async () => (await import("./plugin-doctor.ts")).pluginDoctor },
  { names: ["plugin install"], load: async () => (await import("./plugin-install.ts")).pluginInstall },
  { names: ["plugin link"], load: async () => (await import("./plugin-link.ts")).pluginLink },
  { names: ["plugin update"], load: async () => (await import("./plugin-update.ts")).pluginUpdate },
  { names: ["plugin select"], load: async () => (await import("./plugin-change.ts")).pluginSelect },
  { names: ["plugin enable"], load: async () => (await import("./plugin-change.ts")).pluginEnable },
  { names: ["plugin disable"], load: async () => (await import("./plugin-change.ts")).pluginDisable },
  { names: ["plugin uninstall"], load: async () => (await import("./plugin-change.ts")).pluginUninstall },
  {
    names: ["plugin profile migrate"],
    load: async () => (await import("./plugin-profile-migrate.ts")).pluginProfileMigrate,
  },
  { names: ["completions"], load: async () => (await import("./completions.ts")).completionsCommand(loadCommands) },
  {
    names: ["setup completions"],
    load: async () => (await import("./setup-completions.ts")).setupCompletionsCommand(loadCommands),
  },
  { names: ["help"], load: async () => (await import("./help.ts")).helpCommand(loadCommands) },
  { names: ["subscribe"], isHidden: true, load: async () => (await import("./subscribe.ts")).subscribe },
  { names: ["complete"], isHidden: true, load: async () => (await import("./complete.ts")).complete },
];

/** All commands, for help and completion. */
export function loadCommands(): Promise<Command[]> {
  return Promise.all(ROUTES.map((route) => route.load()));
}
