import { configuration } from "./row.ts";

/** Codes about what the owner set up. */
export const configurationErrors = () => ({
  paths_unavailable: configuration("A directory that pohunek needs is missing or not private.", {
    hint: "Set XDG_RUNTIME_DIR to an existing directory of mode 0700 that you own.",
  }),
  netbird_configuration_invalid: configuration("The NetBird settings of this host are invalid."),
  overlay_registry_invalid: configuration("The list of private overlays in the settings is invalid."),
  invalid_discovery_options: configuration("The options for host discovery are invalid."),
  agent_config_dir_invalid: configuration("The agent's configuration directory is not usable."),
  integration_path_untrusted: configuration("A path of the agent integration is not owned or protected as it must be."),
  integration_trust_conflict: configuration("Two trust statements about the integration contradict each other."),
  official_trust_unavailable: configuration("The trust list for official packages is not available."),
  cli_usage: configuration("The command line is not valid.", { hint: "pohunek help", exitCode: 2, side: "cli" }),
  task_check_unconfined: configuration("A task's check would not be confined."),
  config_invalid: configuration("The settings are not valid.", {
    hint: "Mend config.toml; docs/config.md lists its keys.",
    isOurs: true,
  }),
  store_schema_newer: configuration("The store was written by a newer release; it was not changed.", {
    hint: "Start the newer release again.",
    isOurs: true,
  }),
  store_unreadable: configuration("The store is not a readable database; it was not changed.", {
    hint: "Put back the newest copy named *.pre-schema-*, or move the file away to start empty.",
    isOurs: true,
  }),
});
