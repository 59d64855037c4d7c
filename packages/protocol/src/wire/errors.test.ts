import { expect, test } from "bun:test";
import { ERROR_CLASSES } from "./errors/row.ts";
import { errorTable } from "./errors.ts";

/** The codes of the protocol by class, in the order in which its description lists them. */
const CODES = {
  configuration: `
    paths_unavailable netbird_configuration_invalid overlay_registry_invalid invalid_discovery_options
    agent_config_dir_invalid integration_path_untrusted integration_trust_conflict official_trust_unavailable
    cli_usage task_check_unconfined`,
  daemon: `
    version_mismatch method_not_found bad_request daemon_unreachable remote_daemon_unavailable
    host_governance_unavailable session_input_wait_contract_mismatch daemon_protocol_too_old
    version_translation_failed projects_not_configured serialize_failed json_error project_task_panicked
    doctor_task_panicked assistant_materialize_task_panicked assistant_method_unsupported attach_self_feedback
    daemon_shutting_down package_registry_busy package_reload_failed`,
  transport: `
    framing host_unreachable request_timeout`,
  discovery: `
    overlay_cli_missing overlay_state_unavailable overlay_listener_address_missing overlay_discovery_failed
    overlay_peer_collision overlay_host_ambiguous overlay_host_unavailable overlay_error host_unknown
    remote_discovery_failed`,
  runtime: `
    session_not_found session_not_running session_not_terminal session_external_read_only session_exit_timeout
    session_runtime_commit_stale session_runtime_conflict session_runtime_reconnecting session_runtime_changed
    session_terminal_unavailable session_has_no_managed_terminal session_output_limit_exceeded
    session_wait_limit_exceeded session_waiter_limit_reached session_read_ansi_unavailable
    session_detection_response_too_large session_input_rejected session_input_blocked session_agent_blocked
    session_input_invalid_wait session_input_wait_unsupported session_input_timeout session_input_interrupted
    observation_limits_invalid plugin_self_target_denied worker_attach_stream_failed worker_protocol_incompatible
    worker_controller_busy worker_identity_mismatch worker_invalid_state worker_invalid_request
    worker_invalid_data_token worker_write_outcome_unknown worker_runtime_fault worker_feature_unavailable
    worker_exited_before_ready worker_connect_failed worker_socket_path_invalid worker_marker_legacy
    runtime_supervision_unavailable runtime_supervision_ambiguous runtime_identity_mismatch pty_alloc_failed
    spawn_failed pty_error io_error client_file_descriptors_exhausted system_file_descriptors_exhausted
    attach_not_found attach_expired attach_snapshot_unsupported agent_binary_missing agent_profile_not_found
    invalid_profile agent_kind_unsupported agent_runtime_unsupported agent_not_resumable not_resumable
    agent_native_reference_missing agent_fork_unsupported invalid_session_ref native_report_unattested
    agent_profile_changed agent_profile_missing agent_profile_change_local_only agent_profile_revision_stale
    agent_profile_revision_invalid agent_profile_revision_unavailable runtime_not_installed runtime_incompatible
    runtime_builtin_removed runtime_served_by_package local_only_method package_archive_invalid
    package_source_unreadable package_untrusted package_incompatible package_descriptor_invalid
    package_runtime_not_claimable package_runtime_conflict package_not_installed package_identity_installed
    package_identity_conflict package_referenced package_root_invalid package_root_intact package_registry_failed
    package_limit_reached agent_not_installable agent_config_dir_missing integration_settings_invalid
    integration_io_failed integration_install_in_progress integration_destination_collision
    integration_recovery_required integration_home_ambiguous_owner no_capable_agent bundle_unavailable
    assistant_bundle_mismatch materialization_failed agent_cannot_read_bundle project_store_error
    project_detect_failed not_a_git_repo project_not_found project_ambiguous prompt_not_found template_not_found
    action_not_found invalid_name invalid_template invalid_action path_escape config_read_failed
    worktree_store_error worktree_path_conflict worktree_branch_in_use worktree_add_failed worktree_not_owned
    worktree_in_use invalid_base_branch invalid_branch invalid_branch_slug notifications_not_configured
    notification_task_panicked notification_store_error notification_not_found notification_kind_disabled
    invalid_notification_transition invalid_notification_metadata invalid_notification_session_id
    invalid_notification_dedupe_key invalid_notification_timestamp invalid_notification_cursor
    invalid_notification_policy migration_manifest_missing migration_store_changed task_turn_open
    task_attention_open task_agent_busy task_worktree_busy worktree_busy task_worktree_unavailable
    task_worktree_mode_conflict task_session_ended task_session_unavailable task_turn_queued
    task_worktree_via_investigate task_turn_ceiling_reached task_answer_unsupported task_answer_unverifiable
    task_payload_mismatch task_stop_precondition_failed worktree_users_changed task_attention_stale
    task_result_unknown task_snapshot_retired task_cursor_expired task_result_pending task_check_not_permitted
    task_store_full task_review_limit_reached task_waiter_limit_reached task_fingerprint_key_missing
    task_request_conflict task_investigate_no_checks task_fork_unsupported task_investigate_unsupported
    check_cleanup_stuck`,
};

/** Codes that only the command line produces. */
const CLI_CODES = `
  cli_usage ambiguous_session_name confirmation_required confirmation_declined remote_target_required
  remote_add_path_required degraded_remote_unsupported daemon_spawn_failed missing_env plugin_local_only
  workflow_local_only hermes_package_not_installed session_input_interrupted`;

const ERRORS = errorTable();

const words = (text: string) => text.trim().split(/\s+/);

test("every code of the protocol is in the table with its class", () => {
  for (const [errorClass, codes] of Object.entries(CODES)) {
    for (const code of words(codes)) {
      expect({ code, class: ERRORS[code as keyof typeof ERRORS]?.class }).toEqual({ code, class: errorClass as never });
    }
  }
});

test("every code of the command line is in the table", () => {
  const missing = words(CLI_CODES).filter((code) => !Object.hasOwn(ERRORS, code));
  expect(missing).toEqual([]);
});

test("a code that is in neither list says that it is ours", () => {
  const listed = new Set([...Object.values(CODES).flatMap(words), ...words(CLI_CODES)]);
  const unlisted = Object.entries(ERRORS).filter(([code, row]) => !listed.has(code) && row.isOurs !== true);
  expect(unlisted.map(([code]) => code)).toEqual([]);
});

test("every row is complete", () => {
  for (const [code, row] of Object.entries(ERRORS)) {
    expect({ code, isCode: /^[a-z][a-z0-9_]*$/.test(code), class: ERROR_CLASSES.includes(row.class) }).toEqual({
      code,
      isCode: true,
      class: true,
    });
    expect({ code, sentence: row.sentence }).toEqual({ code, sentence: expect.stringMatching(/^[A-Z].*\.$/) as never });
    expect([1, 2, 124]).toContain(row.exitCode);
  }
});
