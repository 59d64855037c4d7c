import { runtime } from "./row.ts";

/** Codes about sessions and their observation. */
export const sessionErrors = () => ({
  session_not_found: runtime("There is no session of this id.", { hint: "pohunek ls" }),
  session_name_taken: runtime("A running session has this name already.", {
    hint: "Choose another name.",
    isOurs: true,
  }),
  session_not_running: runtime("The session is not running."),
  session_not_terminal: runtime("The session has not ended yet.", { hint: "pohunek stop <session>" }),
  session_external_read_only: runtime("A session started outside pohunek can only be looked at."),
  session_exit_timeout: runtime("The session's program did not end in time.", { retryable: true }),
  session_runtime_commit_stale: runtime("The session's runtime changed while this was being done.", {
    retryable: true,
  }),
  session_runtime_conflict: runtime("More than one live worker claims this session; none is touched."),
  session_runtime_reconnecting: runtime("The daemon is reconnecting to the session's worker.", { retryable: true }),
  session_runtime_changed: runtime("The session runs in another worker than the one that was named.", {
    hint: "Read the session again and use its present runtime.",
  }),
  session_cwd_invalid: runtime("The folder to start in cannot be used.", { isOurs: true }),
  session_terminal_unavailable: runtime("The session's terminal cannot be read now."),
  session_has_no_managed_terminal: runtime("The session has no terminal of its own here."),
  session_output_limit_exceeded: runtime("More output was asked for than one answer may carry."),
  session_wait_limit_exceeded: runtime("The wait is longer than allowed."),
  session_waiter_limit_reached: runtime("Too many waits are pending.", { retryable: true }),
  session_read_ansi_unavailable: runtime("Text with escape sequences is not offered; ask for plain text."),
  session_detection_response_too_large: runtime("The detection previews do not fit in one answer."),
  observation_limits_invalid: runtime("The configured limits for observation are not valid."),
  plugin_self_target_denied: runtime("A program inside a session may not change that same session."),
});
