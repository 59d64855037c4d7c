import type { Registry } from "../../sessions/registry.ts";
import { runtimeIdentityOf } from "../../sessions/session-info.ts";
import type { SessionInputs } from "../../sessions/session-inputs.ts";
import type { Handlers } from "../dispatcher.ts";

type InputMethods = Pick<Handlers, "session.input">;

/** Typing text into a session and submitting it. */
export function inputMethods(registry: Registry, inputs: SessionInputs): InputMethods {
  return {
    "session.input": async ({ session_id, text, wait }) => {
      const session = registry.get(session_id);
      if (wait === undefined) {
        await inputs.send(session, text);
        return { accepted: true };
      }
      const evidence = await inputs.sendAndWait(session, text, { until: wait.until, timeoutMs: wait.timeout_ms });
      return {
        accepted: true,
        activity: evidence.activity,
        activity_source: evidence.source,
        runtime: runtimeIdentityOf(session.record),
        activity_epoch: evidence.epoch,
        activity_revision: evidence.revision,
      };
    },
  };
}
