import { runtime } from "./row.ts";

/** Codes about agents, profiles, integrations and the assistant. */
export const agentErrors = () => ({
  agent_binary_missing: runtime("The agent's program is not installed on this host.", { hint: "pohunek agents" }),
  agent_profile_not_found: runtime("There is no agent or profile of this name.", { hint: "pohunek agents" }),
  invalid_profile: runtime("The profile is not valid."),
  agent_kind_unsupported: runtime("This kind of agent is not supported here."),
  agent_runtime_unsupported: runtime("The installed version of the agent is not supported.", {
    hint: "pohunek agents",
  }),
  agent_not_resumable: runtime("This agent cannot resume a conversation."),
  not_resumable: runtime("The session cannot be resumed."),
  agent_native_reference_missing: runtime("The agent's own conversation is not known, so it cannot be resumed."),
  agent_fork_unsupported: runtime("This agent cannot fork a conversation."),
  invalid_session_ref: runtime("The reference to the agent's conversation is not valid."),
  native_report_unattested: runtime("The reporting process is not the session's own."),
  agent_profile_changed: runtime("The profile was changed since the session was started.", {
    hint: "Pass --accept-profile-change if that is intended.",
  }),
  agent_profile_missing: runtime("The session's profile does not exist any more."),
  agent_profile_change_local_only: runtime("A changed profile can only be accepted on the host itself."),
  agent_profile_revision_stale: runtime("The profile was changed meanwhile.", { retryable: true }),
  agent_profile_revision_invalid: runtime("The recorded revision of the profile is not valid."),
  agent_profile_revision_unavailable: runtime("The recorded revision of the profile is not available."),
  runtime_not_installed: runtime("No package for this agent is installed.", { hint: "pohunek agents" }),
  runtime_incompatible: runtime("The agent's package does not fit this release."),
  runtime_builtin_removed: runtime("This agent is no longer built in.", { hint: "Install its package." }),
  runtime_served_by_package: runtime("This agent is served by an installed package."),

  agent_not_installable: runtime("There is nothing to integrate for this agent."),
  agent_config_dir_missing: runtime("The agent's configuration directory does not exist.", {
    hint: "Start the agent once, then try again.",
  }),
  integration_settings_invalid: runtime("The agent's settings file cannot be understood; it was left alone."),
  integration_io_failed: runtime("A file of the integration could not be read or written."),
  integration_install_in_progress: runtime("Another install of this integration is running.", { retryable: true }),
  integration_destination_collision: runtime("A file of someone else is where the integration's file belongs."),
  integration_recovery_required: runtime("An earlier install was interrupted and must be repaired first."),
  integration_home_ambiguous_owner: runtime("More than one profile owns this configuration directory."),

  no_capable_agent: runtime("No installed agent can do this."),
  bundle_unavailable: runtime("The assistant's knowledge bundle is not available."),
  assistant_bundle_mismatch: runtime("The assistant's knowledge bundle is of another release."),
  materialization_failed: runtime("The assistant's knowledge bundle could not be written."),
  agent_cannot_read_bundle: runtime("The agent may not read the assistant's knowledge bundle."),
});
