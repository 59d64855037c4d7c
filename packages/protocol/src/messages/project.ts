import { z } from "zod";
import {
  boundedText,
  closedEnum,
  count,
  defineMethods,
  idOf,
  openEnum,
  openObject,
  orNull,
  schemaNotes,
  timestamp,
} from "../schema.ts";
import { PROJECT_SOURCES, PROMPT_LAYERS, PROVIDER_KINDS } from "../wire/enums.ts";
import type { ProjectId } from "../wire/ids.ts";
import { LIMITS } from "../wire/limits.ts";
import { sessionId } from "./session-info.ts";

const path = boundedText(LIMITS.pathBytes);

const projectInfo = openObject({
  id: idOf<ProjectId>("project id"),
  label: z.string(),
  repo_root: z.string(),
  git_common_dir: z.string(),
  origin_url: z.string().optional(),
  default_base_branch: z.string().optional(),
  source: openEnum(PROJECT_SOURCES),
  is_bare: z.boolean(),
  added_at: timestamp,
  last_used_at: timestamp,
}).register(schemaNotes, { label: "ProjectInfo" });
export type ProjectInfo = z.output<typeof projectInfo>;

const worktreeInfo = openObject({
  path: z.string(),
  branch: z.string().optional(),
  head: z.string().optional(),
  bare: z.boolean(),
  locked: z.boolean(),
  owned: z.boolean(),
  session_id: sessionId.optional(),
});

/** Id, label or path of a project. */
const reference = z.string().min(1);
const named = z.object({ reference, name: z.string().min(1) });

export const project = defineMethods({
  "project.list": {
    params: orNull(
      z.object({
        filters: z.array(z.object({ key: closedEnum(["source", "label", "id"]), value: z.string() })).optional(),
      }),
    ),
    result: z.array(projectInfo),
  },
  "project.add": {
    params: z.object({ path: path.optional(), name: z.string().optional(), base_branch: z.string().optional() }),
    result: projectInfo,
  },
  "project.show": {
    params: z.object({ reference }),
    result: openObject({ project: projectInfo, worktrees: z.array(worktreeInfo) }),
  },
  "project.rename": { params: named, result: projectInfo },
  "project.remove": {
    params: z.object({ reference, prune_worktrees: z.boolean().optional() }),
    result: openObject({
      removed: z.boolean(),
      pruned_worktrees: count,
      /** The live sessions whose worktrees were left alone. */
      skipped_worktrees: z.array(sessionId).optional(),
    }),
  },
  "project.prompt": {
    params: named,
    result: openObject({ name: z.string(), content: z.string(), layer: openEnum(PROMPT_LAYERS) }),
  },
  "project.action": {
    params: named,
    result: openObject({
      provider: openEnum(PROVIDER_KINDS),
      agent: z.string(),
      base_branch: z.string().optional(),
      branch: z.string().optional(),
      prompt_name: z.string(),
      prompt_content: z.string(),
    }),
  },
  "project.actions": {
    params: z.object({ reference }),
    result: openObject({
      actions: z.array(
        openObject({
          name: z.string(),
          provider: openEnum(PROVIDER_KINDS),
          template: z.string(),
          layer: openEnum(PROMPT_LAYERS),
        }),
      ),
    }),
  },
  "worktree.remove": { params: z.object({ path }), result: openObject({ removed: z.boolean() }) },
});
