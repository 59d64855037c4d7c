import { z } from "zod";
import {
  boundedText,
  closedEnum,
  count,
  decimalString,
  defineMethods,
  dimension,
  noParams,
  openEnum,
  openObject,
  orNull,
  processId,
  schemaNotes,
} from "../schema.ts";
import { FORK_CWD_MODES, NAME_CLASHES, RUNTIME_INVENTORY_STATUSES } from "../wire/enums.ts";
import { LIMITS } from "../wire/limits.ts";
import { clipboardWish } from "./clipboard.ts";
import {
  sessionId,
  sessionInfo,
  sessionMetadata,
  sessionName,
  startedSession,
  workerId,
  workerInstanceId,
} from "./session-info.ts";

/** One slot that the host knows a worker for, or should. */
export const runtimeInventoryEntry = openObject({
  runtime_slot: z.string(),
  claimed_session_id: sessionId.optional(),
  worker_id: workerId.optional(),
  worker_instance_id: workerInstanceId.optional(),
  status: openEnum(RUNTIME_INVENTORY_STATUSES),
  reason: z.string().optional(),
}).register(schemaNotes, { label: "InventoryEntry" });
export type RuntimeInventoryEntry = z.output<typeof runtimeInventoryEntry>;

const unconfirmedProcess = openObject({
  pid: processId,
  start_identity: decimalString,
  command: z.string().optional(),
});

const removedShape = {
  removed: z.boolean(),
  stopped: z.boolean(),
  worktrees_removed: count.optional(),
  worktrees_failed: count.optional(),
};

/** Program and arguments to run in place of the login shell; the shell runtime alone takes it. */
const commandLine = z
  .array(boundedText(LIMITS.inputTextBytes).refine((text) => !text.includes("\0"), "must not hold NUL"))
  .min(1)
  .refine(([program]) => program !== "", "must name a program");

export const sessionLifecycle = defineMethods({
  "session.new": {
    params: z.object({
      agent: z.string().min(1),
      name: sessionName.optional(),
      cwd: boundedText(LIMITS.pathBytes).optional(),
      cols: dimension,
      rows: dimension,
      project: z.string().optional(),
      repo: z.string().optional(),
      branch: z.string().optional(),
      base_branch: z.string().optional(),
      input: boundedText(LIMITS.inputTextBytes).optional(),
      metadata: sessionMetadata.optional(),
      command: commandLine.optional().register(schemaNotes, { isOurs: true }),
      /** Absent, or in part: what the host's settings say. */
      clipboard: clipboardWish.optional().register(schemaNotes, { isOurs: true }),
      /** Default `allow`. */
      name_clash: closedEnum(NAME_CLASHES).optional().register(schemaNotes, { isOurs: true }),
    }),
    result: startedSession,
  },
  "session.list": {
    params: orNull(
      z.object({
        filters: z
          .array(z.object({ key: closedEnum(["state", "activity", "agent", "id", "project"]), value: z.string() }))
          .optional(),
      }),
    ),
    result: z.array(sessionInfo),
  },
  "session.inspect": { params: sessionId, result: sessionInfo },
  "session.stop": {
    params: sessionId,
    result: openObject({
      stopped: z.boolean(),
      /** False: the session has ended, but the host's disk does not take that yet. It is stored as soon as it does. */
      stored: z.boolean().optional().register(schemaNotes, { isOurs: true }),
    }),
  },
  "session.remove": { params: sessionId, result: openObject(removedShape) },
  "session.remove_accepting_unconfirmed": {
    params: sessionId,
    result: openObject({
      ...removedShape,
      accepted_unconfirmed_processes: z.array(unconfirmedProcess).max(LIMITS.unconfirmedProcesses).optional(),
    }),
  },
  "session.resume": {
    params: z.union([sessionId, z.object({ session_id: sessionId, accept_profile_change: z.boolean() })]),
    result: openObject({ session: sessionInfo }),
  },
  "session.fork": {
    params: z.object({
      session_id: sessionId,
      name: sessionName.optional(),
      cwd_mode: closedEnum(FORK_CWD_MODES).default("same"),
      cols: dimension,
      rows: dimension,
      accept_profile_change: z.boolean().optional(),
      /** Default `allow`. */
      name_clash: closedEnum(NAME_CLASHES).optional().register(schemaNotes, { isOurs: true }),
    }),
    result: startedSession,
  },
  "session.runtime_inventory": {
    params: noParams("session.runtime_inventory"),
    result: openObject({ entries: z.array(runtimeInventoryEntry) }),
  },
});
