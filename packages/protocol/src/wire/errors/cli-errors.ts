import { configuration, daemon, runtime } from "./row.ts";

/** Codes that only the command line produces. */
export const cliErrors = () => ({
  ambiguous_session_name: runtime("More than one session has this name.", {
    hint: "Use the session's id, or a longer part of it.",
    side: "cli",
  }),
  confirmation_required: configuration("This needs a confirmation.", { hint: "Pass --yes.", side: "cli" }),
  confirmation_declined: configuration("Not confirmed, so nothing was done.", { side: "cli" }),
  remote_target_required: configuration("A target on another host is needed.", { side: "cli" }),
  remote_add_path_required: configuration("Adding a project on another host needs its path.", { side: "cli" }),
  degraded_remote_unsupported: configuration("The reduced assistant works on this host only.", { side: "cli" }),
  daemon_spawn_failed: daemon("The daemon could not be started.", { hint: "pohunek doctor", side: "cli" }),
  missing_env: configuration("A variable that this command needs is not set.", { side: "cli" }),
  plugin_local_only: configuration("Packages are managed on the host itself.", { side: "cli" }),
  workflow_local_only: configuration("Workflows run on the host itself.", { side: "cli" }),
  hermes_package_not_installed: runtime("The Hermes package is not installed.", { side: "cli" }),
});
