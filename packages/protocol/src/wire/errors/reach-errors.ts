import { discovery, transport } from "./row.ts";

/** Codes about finding hosts and reaching them. */
export const reachErrors = () => ({
  framing: transport("A protocol line is too long or cut short."),
  host_unreachable: transport("The host cannot be reached.", { retryable: true }),
  request_timeout: transport("The answer did not come in time.", { retryable: true }),

  overlay_cli_missing: discovery("The overlay's command line program is not installed."),
  overlay_state_unavailable: discovery("The overlay does not tell its state.", { retryable: true }),
  overlay_listener_address_missing: discovery("The overlay has given this host no address to listen on."),
  overlay_discovery_failed: discovery("Hosts could not be discovered over an overlay.", { retryable: true }),
  overlay_peer_collision: discovery("Two peers of an overlay claim the same identity."),
  overlay_host_ambiguous: discovery("More than one host matches this name.", { hint: "Use <overlay>:<name>." }),
  overlay_host_unavailable: discovery("The host is known to the overlay, but not connected.", { retryable: true }),
  overlay_error: discovery("The overlay reported an error."),
  host_unknown: discovery("No host of this name is known.", { hint: "pohunek host list --refresh" }),
  remote_discovery_failed: discovery("The other host could not run its discovery.", { retryable: true }),
});
