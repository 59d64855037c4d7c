import { agentErrors } from "./errors/agent-errors.ts";
import { cliErrors } from "./errors/cli-errors.ts";
import { configurationErrors } from "./errors/configuration-errors.ts";
import { daemonErrors } from "./errors/daemon-errors.ts";
import { inputErrors } from "./errors/input-errors.ts";
import { packageErrors } from "./errors/package-errors.ts";
import { projectErrors } from "./errors/project-errors.ts";
import { reachErrors } from "./errors/reach-errors.ts";
import type { ErrorRow } from "./errors/row.ts";
import { sessionErrors } from "./errors/session-errors.ts";
import { taskErrors } from "./errors/task-errors.ts";
import { workerErrors } from "./errors/worker-errors.ts";

function makeTable() {
  return {
    ...configurationErrors(),
    ...daemonErrors(),
    ...reachErrors(),
    ...sessionErrors(),
    ...inputErrors(),
    ...workerErrors(),
    ...agentErrors(),
    ...packageErrors(),
    ...projectErrors(),
    ...taskErrors(),
    ...cliErrors(),
  };
}

type KnownCode = keyof ReturnType<typeof makeTable>;

/** Codes that name the overlay they come from, such as `netbird_cli_missing`. */
type OverlayCode = `${string}_cli_missing` | `${string}_state_unavailable` | `${string}_listener_address_missing`;

/** A code that this release knows. The set is open: a peer may send others. */
export type ErrorCode = KnownCode | OverlayCode;

/** Every code of the protocol, with what is known about it. */
export type ErrorTable = { readonly [Code in KnownCode]: ErrorRow };

/**
 * The table, made when somebody first asks: its rows would cost a command that meets no error 0.6 ms of a start of 5.
 */
export const errorTable: () => ErrorTable = (() => {
  let table: ErrorTable | undefined;
  return () => (table ??= makeTable());
})();

const OVERLAY_SUFFIX = /_(?:cli_missing|state_unavailable|listener_address_missing)$/;

/** The row of a code, or undefined for a code of a newer peer. */
export function errorRow(code: string): ErrorRow | undefined {
  const table = errorTable();
  if (Object.hasOwn(table, code)) return table[code as KnownCode];
  const suffix = OVERLAY_SUFFIX.exec(code)?.[0];
  return suffix === undefined ? undefined : table[`overlay${suffix}` as KnownCode];
}
