import { runtime } from "./row.ts";

/** Codes about workers, supervision, PTYs and attach streams. */
export const workerErrors = () => ({
  worker_attach_stream_failed: runtime("The attach stream broke inside the worker.", { retryable: true }),
  worker_protocol_incompatible: runtime("The session's worker speaks a protocol this daemon does not know."),
  worker_controller_busy: runtime("Another daemon controls this worker.", { retryable: true }),
  worker_identity_mismatch: runtime("The worker is not the one that was expected."),
  worker_invalid_state: runtime("The worker cannot do that in its present state."),
  worker_invalid_request: runtime("The worker refused a malformed request."),
  worker_invalid_data_token: runtime("The worker does not know this stream token, or it was used already."),
  worker_write_outcome_unknown: runtime("It is not known whether the input reached the session.", {
    hint: "Look at the session's screen before sending it again.",
  }),
  worker_runtime_fault: runtime("The session's worker failed."),
  worker_feature_unavailable: runtime("The session's worker is too old for this."),
  worker_exited_before_ready: runtime("The session's worker ended before it was ready."),
  worker_connect_failed: runtime("The session's worker cannot be reached.", { retryable: true }),
  worker_socket_path_invalid: runtime("The path of a worker's socket would be too long or is not usable.", {
    hint: "Use a shorter XDG_RUNTIME_DIR.",
  }),
  worker_marker_legacy: runtime("The worker was left by a release that is too old to be adopted."),
  runtime_supervision_unavailable: runtime("No way of running workers is available on this host.", {
    hint: "pohunek doctor",
  }),
  runtime_supervision_ambiguous: runtime("More than one supervised unit claims this session."),
  runtime_identity_mismatch: runtime("The process found is not the recorded one."),
  pty_alloc_failed: runtime("No pseudo-terminal could be opened."),
  spawn_failed: runtime("The program could not be started."),
  pty_error: runtime("The pseudo-terminal failed."),
  io_error: runtime("Reading or writing a file failed."),
  client_file_descriptors_exhausted: runtime("This process has no file descriptor left.", { retryable: true }),
  system_file_descriptors_exhausted: runtime("The system has no file descriptor left.", { retryable: true }),
  attach_not_found: runtime("This attach was never granted, or was used already."),
  attach_expired: runtime("The attach was not opened within ten seconds.", { retryable: true }),
  attach_snapshot_unsupported: runtime("The session's worker cannot draw its present screen."),
});
