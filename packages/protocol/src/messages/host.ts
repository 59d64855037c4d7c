import { z } from "zod";
import { count, decimalString, defineMethods, noParams, openEnum, openObject, orNull, schemaNotes } from "../schema.ts";
import { DOCTOR_STATUSES, ENROLLMENT_STATUSES, HOST_CLASSES } from "../wire/enums.ts";

const doctorCheck = openObject({ name: z.string(), status: openEnum(DOCTOR_STATUSES), detail: z.string() });

const doctorReport = openObject({
  checks: z.array(doctorCheck),
  overall: openEnum(DOCTOR_STATUSES),
});
export type DoctorReport = z.output<typeof doctorReport>;

const agentRuntime = openObject({
  agent: z.string(),
  agent_base: z.string().optional(),
  available: z.boolean(),
  path: z.string().optional(),
  version: z.string().optional(),
  supported: z.boolean().optional(),
  config_home_id: z.string().optional(),
  display_name: z.string().optional().register(schemaNotes, { isOurs: true }),
  /** Version of the agent that its package was proven with. */
  proven_with: z.string().optional().register(schemaNotes, { isOurs: true }),
  /** Rank of a runtime where a command names no agent; the highest launchable one is taken. */
  preference: count.optional().register(schemaNotes, { isOurs: true }),
  /** Why it can't be launched: the code that session.new would answer, and a sentence. */
  reason_code: z.string().optional().register(schemaNotes, { isOurs: true }),
  reason: z.string().optional().register(schemaNotes, { isOurs: true }),
}).register(schemaNotes, { label: "AgentRuntime" });
export type AgentRuntime = z.output<typeof agentRuntime>;

/** A peer that was found, with the class it was put in. */
const hostRecord = openObject({
  overlay: z.string(),
  peer_id: z.string().nullable(),
  address: z.string().nullable(),
  port: count,
  name: z.string().nullable(),
  fqdn: z.string().nullable(),
  classification: openEnum(HOST_CLASSES),
  /** With `reachable_daemon`. */
  daemon_version: z.string().optional(),
  /** With `version_mismatch`. */
  daemon_protocol_version: count.optional(),
}).register(schemaNotes, { label: "HostRecord" });
export type HostRecord = z.output<typeof hostRecord>;

const governance = openObject({
  host_id: z.string(),
  enrollment: openObject({
    relay_id: z.string(),
    status: openEnum(ENROLLMENT_STATUSES),
    revision: decimalString,
  }).nullable(),
  owner: openObject({ kind: z.string(), id: z.string() }).nullable(),
  owner_revision: decimalString.nullable(),
  quarantine: z.string().nullable(),
  approval_key_reference: z.string(),
});

export const host = defineMethods({
  "daemon.health": {
    params: noParams("daemon.health"),
    result: openObject({ status: z.literal("ok"), daemon_version: z.string(), protocol_version: count }),
  },
  "daemon.doctor": { params: noParams("daemon.doctor"), result: openObject({ report: doctorReport }) },
  "host.inspect": {
    params: noParams("host.inspect"),
    result: openObject({
      daemon_version: z.string(),
      protocol_version: count,
      supported_agents: z.array(z.string()),
      runtimes: z.array(agentRuntime),
      git_available: z.boolean(),
      worktree_supported: z.boolean(),
      terminal_read_supported: z.boolean(),
      output_read_supported: z.boolean(),
      session_wait_supported: z.boolean(),
    }),
  },
  "host.discover": {
    params: orNull(z.object({ force: z.boolean().default(false) })),
    result: z.array(hostRecord),
  },
  "host.governance.inspect": { params: noParams("host.governance.inspect"), result: governance },
});
