import { isRecord } from "@pohunek/protocol/wire";
import { HOOK_LIMITS } from "../../../worker-api/hooks.ts";
import type { HookHandler, HookMessage, HookPayload } from "../hook-handler.ts";
import { conversationOf, subagentStart, subagentStop, textOf } from "../payload.ts";

export const claude: HookHandler = {
  id: "claude",
  processNames: ["claude"],
  events: {
    SessionStart: conversationOf,
    SubagentStart: subagentStart,
    SubagentStop: subagentStop,
    Stop: backgroundTasks,
  },
  settings: {
    configHome: { variable: "CLAUDE_CONFIG_DIR", default: ".claude" },
    file: "settings.json",
    timeout: 5,
    isHooksOnly: false,
  },
};

/** At the end of a turn: what still runs in the background, by id, type and status alone. */
function backgroundTasks(payload: HookPayload): readonly HookMessage[] {
  const listed = payload["background_tasks"];
  if (!Array.isArray(listed) || listed.length > HOOK_LIMITS.snapshotRows) {
    return [];
  }
  const tasks = listed.filter(isRecord).flatMap((task) => {
    const id = textOf(task, "id", "task_id");
    return id === undefined ? [] : [{ id, type: textOf(task, "type"), status: textOf(task, "status") }];
  });
  return tasks.length === listed.length ? [{ type: "subagent_snapshot", tasks }] : [];
}
