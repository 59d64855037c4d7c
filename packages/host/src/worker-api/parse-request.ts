import { ATTACH_MODES, VIEW_LAYOUTS } from "@pohunek/protocol/wire";
import { parseClipboardPolicy } from "./clipboard-policy.ts";
import { parseHookRules } from "./hooks.ts";
import type { LaunchSpec } from "./launch-spec.ts";
import { WORKER_LIMITS } from "./limits.ts";
import type { OperationName, OperationParams, OperationRequest } from "./operations.ts";
import { OPERATION_NAMES } from "./operations.ts";
import type { JsonObject } from "./parse.ts";
import {
  asObject,
  base64,
  integer,
  list,
  oneOf,
  onlyMembers,
  optionalBoolean,
  optionalInteger,
  optionalOneOf,
  optionalText,
  refuse,
  text,
} from "./parse.ts";

const ANY_INTEGER = { min: 0, max: Number.MAX_SAFE_INTEGER };
/** What a u16 of the kernel's window size holds; the worker clamps to its own limits. */
const CELLS = { min: 0, max: 65_535 };
/** More than any screen or history has. */
const MOVE = { min: -1_000_000, max: 1_000_000 };
const VERSION = { min: 0, max: 65_535 };
const NAME_LENGTH = 128;
/** An input's id, and the number of the attempt. */
const PLAN_KEY_LENGTH = 160;
/** Linux limits one string of argv and env to this. */
const EXEC_STRING_LENGTH = 131_072;
const EXEC_STRINGS = 4_096;

type ParamsParser<Name extends OperationName> = (params: JsonObject) => OperationParams<Name>;

const PARSERS: { readonly [Name in OperationName]: ParamsParser<Name> } = {
  negotiate: (params) => ({ min: integer(params, "min", VERSION), max: integer(params, "max", VERSION) }),
  acquire_controller: (params) => ({ controller: text(params, "controller", NAME_LENGTH) }),
  release_controller: () => ({}),
  inspect: () => ({}),
  initialize: parseLaunchSpec,
  open_data_stream: (params) => ({
    cols: optionalInteger(params, "cols", CELLS),
    rows: optionalInteger(params, "rows", CELLS),
    history_lines: optionalInteger(params, "history_lines", ANY_INTEGER),
    viewer: optionalOneOf(params, "viewer", ["fresh", "used"]),
    screens: optionalOneOf(params, "screens", ["both", "active"]),
    replay_bytes: optionalInteger(params, "replay_bytes", ANY_INTEGER),
    stream: optionalText(params, "stream", NAME_LENGTH),
    viewer_session: optionalText(params, "viewer_session", NAME_LENGTH),
    mode: optionalOneOf(params, "mode", ATTACH_MODES),
    answers_queries: optionalBoolean(params, "answers_queries"),
  }),
  adjust_view: (params) => ({
    stream: text(params, "stream", NAME_LENGTH),
    layout: optionalOneOf(params, "layout", VIEW_LAYOUTS),
    follow: optionalBoolean(params, "follow"),
    move_cols: optionalInteger(params, "move_cols", MOVE),
    move_rows: optionalInteger(params, "move_rows", MOVE),
  }),
  close_stream: (params) => ({ stream: text(params, "stream", NAME_LENGTH) }),
  terminal_snapshot: () => ({}),
  read_text: (params) => ({
    source: oneOf(params, "source", ["visible", "recent", "recent_unwrapped", "detection"]),
    lines: integer(params, "lines", { min: 1, max: WORKER_LIMITS.readTextLines }),
  }),
  read_output: (params) => ({
    after_offset: optionalInteger(params, "after_offset", ANY_INTEGER),
    max_bytes: integer(params, "max_bytes", { min: 1, max: WORKER_LIMITS.readOutputBytes }),
    wait_ms: optionalInteger(params, "wait_ms", { min: 1, max: WORKER_LIMITS.observationWaitMs }),
  }),
  write_plan: (params) => ({
    sequence: integer(params, "sequence", { min: 1, max: Number.MAX_SAFE_INTEGER }),
    fragments: list(params, "fragments", { min: 1, max: WORKER_LIMITS.planFragments }).map(parseFragment),
    timeout_ms: optionalInteger(params, "timeout_ms", { min: 1, max: WORKER_LIMITS.planTimeoutMaxMs }),
    key: optionalText(params, "key", PLAN_KEY_LENGTH),
    hold_ms: optionalInteger(params, "hold_ms", { min: 1, max: WORKER_LIMITS.planHoldMaxMs }),
  }),
  settle_plan: (params) => ({
    key: text(params, "key", PLAN_KEY_LENGTH),
    submit: optionalBoolean(params, "submit") ?? refuse("submit"),
    output_offset: optionalInteger(params, "output_offset", ANY_INTEGER),
  }),
  plan_outcome: (params) => ({ key: text(params, "key", PLAN_KEY_LENGTH) }),
  resize: (params) => ({
    cols: integer(params, "cols", CELLS),
    rows: integer(params, "rows", CELLS),
    stream: optionalText(params, "stream", NAME_LENGTH),
  }),
  stop: (params) => ({ grace_ms: optionalInteger(params, "grace_ms", { min: 0, max: WORKER_LIMITS.stopGraceMaxMs }) }),
  acknowledge_terminal: () => ({}),
};

/** The id of a request, also of one that is refused for another reason; undefined when there is none. */
export function requestId(value: unknown): number | undefined {
  const id = typeof value === "object" && value !== null ? (value as JsonObject)["id"] : undefined;
  return typeof id === "number" && Number.isSafeInteger(id) ? id : undefined;
}

/** Reads one control line exactly. Throws worker_invalid_request. */
export function parseRequest(value: unknown): OperationRequest {
  const request = onlyMembers(asObject(value, "request"), ["id", "op", "params"]);
  const op = oneOf(request, "op", OPERATION_NAMES);
  const params = asObject(request["params"], "params");
  return { id: integer(request, "id", ANY_INTEGER), op, params: PARSERS[op](params) };
}

function parseFragment(value: unknown): { data_base64: string; delay_ms?: number } {
  const fragment = asObject(value, "fragment");
  const data = base64(fragment, "data_base64", WORKER_LIMITS.planBytes);
  const delay = optionalInteger(fragment, "delay_ms", { min: 0, max: WORKER_LIMITS.planDelayMs });
  return { data_base64: data.toString("base64"), ...(delay === undefined ? {} : { delay_ms: delay }) };
}

function parseLaunchSpec(params: JsonObject): LaunchSpec {
  const argv = list(params, "argv", { min: 1, max: EXEC_STRINGS }).map((each) => execString(each, "argv"));
  const env = Object.entries(asObject(params["env"], "env"));
  const cwd = text(params, "cwd", 4_096);
  const executable = optionalText(params, "executable", 4_096);
  const isPlaced = cwd.startsWith("/") && (executable?.startsWith("/") ?? true);
  if (argv[0] === "" || env.length > EXEC_STRINGS || !isPlaced) {
    refuse("launch");
  }
  const history = { min: WORKER_LIMITS.historyBytesMin, max: WORKER_LIMITS.historyBytesMax };
  return {
    argv,
    executable,
    env: Object.fromEntries(env.map(([name, value]) => [environmentName(name), execString(value, "env")])),
    cwd,
    umask: optionalInteger(params, "umask", { min: 0, max: 0o777 }),
    cols: integer(params, "cols", CELLS),
    rows: integer(params, "rows", CELLS),
    history_bytes: optionalInteger(params, "history_bytes", history),
    history_lines: optionalInteger(params, "history_lines", { min: 0, max: 100_000 }),
    max_cols: optionalInteger(params, "max_cols", { min: 1, max: CELLS.max }),
    max_rows: optionalInteger(params, "max_rows", { min: 1, max: CELLS.max }),
    clipboard: parseClipboardPolicy(params["clipboard"]),
    hooks: parseHookRules(params["hooks"]),
  };
}

function execString(value: unknown, what: string): string {
  const isValid = typeof value === "string" && value.length <= EXEC_STRING_LENGTH && !value.includes("\0");
  return isValid ? value : refuse(what);
}

function environmentName(name: string): string {
  return name === "" || name.includes("=") || name.includes("\0") ? refuse("env") : name;
}
