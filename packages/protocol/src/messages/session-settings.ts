import { z } from "zod";
import {
  boundedText,
  closedEnum,
  count,
  defineMethods,
  noParams,
  openEnum,
  openObject,
  schemaNotes,
} from "../schema.ts";
import { NAME_CLASHES, RETENTION_HOLDS, RETENTION_REASONS } from "../wire/enums.ts";
import { LIMITS } from "../wire/limits.ts";
import { metadataKey, sessionId, sessionInfo, sessionName } from "./session-info.ts";

const metadataChange = z.record(metadataKey(), boundedText(LIMITS.metadataValueBytes).nullable());

const retentionShape = {
  enabled: z.boolean(),
  sweep_interval_secs: count,
  terminal_ttl_secs: count,
  lost_ttl_secs: count,
  max_removals_per_sweep: count,
};
const retentionPolicy = openObject(retentionShape).register(schemaNotes, { label: "RetentionPolicy" });
export type RetentionPolicy = z.output<typeof retentionPolicy>;

const sweptSession = openObject({
  session_id: sessionId,
  reason: openEnum(RETENTION_REASONS),
  age_secs: count,
  hold: openEnum(RETENTION_HOLDS).optional(),
  removed: z.boolean(),
  worktree_path: z.string().optional(),
});

export const sessionSettings = defineMethods({
  "session.set_metadata": {
    params: z.object({ session_id: sessionId, metadata: metadataChange }),
    result: openObject({ session: sessionInfo }),
  },
  "session.rename": {
    params: z.object({
      session_id: sessionId,
      name: sessionName.optional(),
      /** Default `allow`. */
      name_clash: closedEnum(NAME_CLASHES).optional().register(schemaNotes, { isOurs: true }),
    }),
    result: openObject({ session: sessionInfo }),
  },
  "session.policy.get": {
    params: noParams("session.policy.get"),
    result: openObject({ retention: retentionPolicy }),
  },
  "session.policy.set": {
    params: z.object({
      retention: z.strictObject(retentionShape).register(schemaNotes, { label: "RetentionPolicy" }),
    }),
    result: openObject({ retention: retentionPolicy }),
  },
  "session.retention.sweep": {
    params: z.object({ dry_run: z.boolean().optional(), limit: count.optional() }),
    result: openObject({
      dry_run: z.boolean(),
      examined: count,
      eligible: count,
      held: count,
      removed: count,
      failed: count,
      worktrees_cleaned: count,
      worktrees_failed: count,
      sessions: z.array(sweptSession),
    }),
  },
});
