import { daemon } from "./row.ts";

/** Codes about the daemon itself: requests, versions, rights, its own state. */
export const daemonErrors = () => ({
  version_mismatch: daemon("Client and daemon have no protocol version in common.", {
    hint: "Update the older one of the two.",
  }),
  method_not_found: daemon("The daemon does not know this method."),
  bad_request: daemon("The request is malformed."),
  daemon_unreachable: daemon("The daemon does not answer.", { hint: "pohunek daemon start --detach", retryable: true }),
  remote_daemon_unavailable: daemon("The daemon of the other host does not answer.", { retryable: true }),
  host_governance_unavailable: daemon("The governance record of this host cannot be read."),
  session_input_wait_contract_mismatch: daemon("The daemon answered a waited input without the promised evidence.", {
    side: "client",
  }),
  daemon_protocol_too_old: daemon("The daemon is too old for this method.", {
    hint: "Update pohunek on that host.",
    side: "client",
  }),
  version_translation_failed: daemon("A payload cannot be translated to or from the older protocol version."),
  projects_not_configured: daemon("This daemon has no project registry."),
  serialize_failed: daemon("The answer could not be written as one protocol line."),
  json_error: daemon("A JSON document could not be read or written."),
  project_task_panicked: daemon("An internal project task failed."),
  doctor_task_panicked: daemon("An internal check of the doctor failed."),
  assistant_materialize_task_panicked: daemon("Writing the assistant's knowledge bundle failed internally."),
  assistant_method_unsupported: daemon("This daemon does not offer the assistant."),
  attach_self_feedback: daemon("A session cannot be attached from inside itself.", {
    hint: "Attach from a terminal outside the session.",
  }),
  daemon_already_running: daemon("Another daemon already uses these directories.", {
    hint: "pohunek health",
    isOurs: true,
  }),
  daemon_shutting_down: daemon("The daemon is shutting down.", { retryable: true }),
  package_registry_busy: daemon("Another change to the package registry is running.", { retryable: true }),
  package_reload_failed: daemon("The package registry was changed, but the running daemon could not load it."),
  internal_error: daemon("The daemon failed internally; its log has the cause.", { isOurs: true }),
  permission_denied: daemon("This connection has no right to do that.", { isOurs: true }),
});
