import { CLIPBOARD_DEFAULTS, CLIPBOARD_MOST_BYTES, CLIPBOARD_RULES } from "@pohunek/protocol/wire";
import { LOG_LEVELS } from "../logs/logger.ts";
import { WORKER_LIMITS } from "../worker-api/limits.ts";

/** One row of the table of settings: everything that is known about a setting, documentation included. */
export type Setting = {
  /** Dotted key in config.toml: `table.name`. */
  readonly key: string;
  /** Environment variable that wins over the file. */
  readonly env?: string;
  readonly unit?: string;
  readonly sentence: string;
} & (
  | { readonly type: "integer"; readonly default: number; readonly range: readonly [number, number] }
  | { readonly type: "choice"; readonly default: string; readonly choices: readonly string[] }
  | { readonly type: "names"; readonly default: readonly string[] }
  | { readonly type: "folders"; readonly default: readonly string[] }
  | { readonly type: "text"; readonly default: string }
);

type ValueOf<S extends Setting> = S extends { type: "integer" }
  ? number
  : S extends { type: "choice"; choices: readonly (infer C)[] }
    ? C
    : S extends { type: "names" | "folders" }
      ? readonly string[]
      : string;

export const SETTINGS = {
  logLevel: {
    key: "log.level",
    type: "choice",
    choices: LOG_LEVELS,
    default: "info",
    env: "POHUNEK_LOG_LEVEL",
    sentence: "Lowest level of the lines that the daemon writes to its log.",
  },
  logDaemonFileBytes: {
    key: "log.daemon_file_bytes",
    type: "integer",
    default: 33_554_432,
    range: [4096, 33_554_432],
    unit: "bytes",
    sentence: "Size at which the daemon's log is rotated.",
  },
  logDaemonFiles: {
    key: "log.daemon_files",
    type: "integer",
    default: 8,
    range: [1, 8],
    unit: "files",
    sentence: "Files of the daemon's log that are kept, the current one included.",
  },
  outputRingBytes: {
    key: "output.ring_bytes",
    type: "integer",
    default: WORKER_LIMITS.historyBytes,
    range: [WORKER_LIMITS.historyBytesMin, WORKER_LIMITS.historyBytesMax],
    unit: "bytes",
    sentence: "Raw output that a worker keeps in memory for each session.",
  },
  terminalMaxCols: {
    key: "terminal.max_cols",
    type: "integer",
    default: 500,
    range: [20, 2000],
    unit: "columns",
    sentence: "Widest terminal that a client may ask for.",
  },
  terminalMaxRows: {
    key: "terminal.max_rows",
    type: "integer",
    default: 200,
    range: [5, 2000],
    unit: "rows",
    sentence: "Tallest terminal that a client may ask for.",
  },
  clipboardWrite: {
    key: "clipboard.write",
    type: "choice",
    choices: CLIPBOARD_RULES,
    default: CLIPBOARD_DEFAULTS.write,
    sentence: "Whether programs may copy to the clipboards of attached clients (OSC 52). A session may say otherwise.",
  },
  clipboardRead: {
    key: "clipboard.read",
    type: "choice",
    choices: CLIPBOARD_RULES,
    default: CLIPBOARD_DEFAULTS.read,
    sentence: "Whether programs may read those clipboards. A session may say otherwise.",
  },
  clipboardMaxBytes: {
    key: "clipboard.max_bytes",
    type: "integer",
    default: CLIPBOARD_DEFAULTS.max_bytes,
    range: [0, CLIPBOARD_MOST_BYTES],
    unit: "bytes",
    sentence: "Largest text that may be copied; what is larger is dropped, and the user is told.",
  },
  maxWaiters: {
    key: "observation.max_waiters",
    type: "integer",
    default: 128,
    range: [1, 128],
    unit: "calls",
    sentence: "Waiting calls (`session.wait`, waiting `session.output`) at the same time on this host.",
  },
  maxWaitersPerSession: {
    key: "observation.max_waiters_per_session",
    type: "integer",
    default: 8,
    range: [1, 8],
    unit: "calls",
    sentence: "Waiting calls at the same time on one session; not more than `observation.max_waiters`.",
  },
  workerLauncher: {
    key: "worker.launcher",
    type: "choice",
    choices: ["detached", "subprocess"],
    default: "detached",
    env: "POHUNEK_WORKER_LAUNCHER",
    sentence:
      "`detached` workers outlive the daemon; `subprocess` workers are its children and end with it (tests, containers).",
  },
  workerStandby: {
    key: "worker.standby",
    type: "integer",
    default: 1,
    range: [0, 8],
    unit: "workers",
    sentence:
      "Workers started in advance, so that a new session starts in half the time; each takes about 10 MiB. Only with launcher `detached`.",
  },
  workerStopGraceMs: {
    key: "worker.stop_grace_ms",
    type: "integer",
    default: 500,
    range: [0, 60_000],
    unit: "ms",
    sentence: "Time that a session's processes get between the polite signals and SIGKILL when it is stopped.",
  },
  workerAnswerMs: {
    key: "worker.answer_ms",
    type: "integer",
    default: 5000,
    range: [500, 60_000],
    unit: "ms",
    sentence:
      "Time that a worker may say nothing when something is asked of it. Then whoever asked is told so, and a stop or remove ends the session's processes and the worker itself. How workers do is looked at every three times as long.",
  },
  workerKeepEnded: {
    key: "worker.keep_ended",
    type: "integer",
    default: 16,
    range: [0, 256],
    unit: "workers",
    sentence:
      "Ended sessions whose last screen and output can still be read; each keeps its worker in memory. The oldest gives way.",
  },
  inputTimeoutMs: {
    key: "input.timeout_ms",
    type: "integer",
    default: 10_000,
    range: [100, 25_000],
    unit: "ms",
    sentence:
      "Time that an input (`session.input`) may wait for its turn and for a program that does not read; what is not written by then never is.",
  },
  environmentForward: {
    key: "environment.forward",
    type: "names",
    default: [],
    sentence: "Further variables of the daemon's own environment that sessions inherit.",
  },
  agentsPath: {
    key: "agents.path",
    type: "folders",
    default: [],
    sentence:
      "Folders after those of `PATH` in which agents are looked for, and which their sessions get; `~/` is your home. A daemon that a service manager started has a short `PATH`.",
  },
  remotePort: {
    key: "remote.port",
    type: "integer",
    default: 18_722,
    range: [1, 65_535],
    env: "POHUNEK_REMOTE_PORT",
    sentence: "TCP port of overlays that name none.",
  },
  testCrashAt: {
    key: "test.crash_at",
    type: "text",
    default: "",
    env: "POHUNEK_TEST_CRASH_AT",
    sentence:
      "For the project's own tests: the daemon kills itself at this step of a lifecycle operation (`create:recorded`, ...).",
  },
} as const satisfies Record<string, Setting>;

export type Settings = { readonly [Name in keyof typeof SETTINGS]: ValueOf<(typeof SETTINGS)[Name]> };

/** Rows for what is configured once for each overlay: `<id>` is a name of the operator's choice. */
const OVERLAY_ROWS: readonly (readonly [key: string, type: string, fallback: string, sentence: string])[] = [
  [
    "overlay.<id>.address",
    "IP address",
    "required",
    "Address of this host on a private overlay; the daemon listens there, and nowhere else.",
  ],
  ["overlay.<id>.port", "integer 0 to 65535", "`remote.port`", "TCP port on that address; 0 takes a free one."],
];

/** docs/config.md, printed from the table. */
export function renderSettings(): string {
  const rows = Object.values<Setting>(SETTINGS).map((setting) =>
    row([
      `\`${setting.key}\``,
      typeText(setting),
      defaultText(setting),
      setting.env ? `\`${setting.env}\`` : "",
      setting.sentence,
    ]),
  );
  const overlays = OVERLAY_ROWS.map(([key, type, fallback, sentence]) =>
    row([`\`${key}\``, type, fallback, "", sentence]),
  );
  return [
    "# Settings",
    "",
    "Printed from the table in `packages/host/src/daemon/settings.ts`; do not edit.",
    "",
    "The daemon reads `$XDG_CONFIG_HOME/pohunek/config.toml` (`~/.config/pohunek/config.toml`) when it starts. The file may be",
    "absent. A key that is not listed here, a wrong type or a value out of range stops the start, and the message names the key.",
    "An environment variable wins over the file.",
    "",
    row(["key", "type", "default", "variable", "meaning"]),
    row(["---", "---", "---", "---", "---"]),
    ...rows,
    ...overlays,
    "",
  ].join("\n");
}

function row(cells: readonly string[]): string {
  return `| ${cells.join(" | ")} |`;
}

function typeText(setting: Setting): string {
  switch (setting.type) {
    case "integer":
      return `integer ${setting.range[0]} to ${setting.range[1]}${setting.unit ? ` ${setting.unit}` : ""}`;
    case "choice":
      return setting.choices.map((choice) => `\`${choice}\``).join(", ");
    case "names":
      return "list of variable names";
    case "folders":
      return "list of absolute paths";
    case "text":
      return "text";
  }
}

function defaultText(setting: Setting): string {
  switch (setting.type) {
    case "names":
    case "folders":
      return "none";
    case "text":
      return setting.default === "" ? "none" : `\`${setting.default}\``;
    default:
      return `\`${setting.default}\``;
  }
}
