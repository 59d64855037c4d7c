import { agentErrors } from "./errors/agent-errors.ts";
import { cliErrors } from "./errors/cli-errors.ts";
import { generalErrors } from "./errors/general-errors.ts";
import { projectErrors } from "./errors/project-errors.ts";
import type { ErrorRow } from "./errors/row.ts";
import { sessionErrors } from "./errors/session-errors.ts";
import { taskErrors } from "./errors/task-errors.ts";
import { workerErrors } from "./errors/worker-errors.ts";

const table = {
  ...generalErrors,
  ...sessionErrors,
  ...workerErrors,
  ...agentErrors,
  ...projectErrors,
  ...taskErrors,
  ...cliErrors,
};

/** Codes that name the overlay they come from, such as `netbird_cli_missing`. */
type OverlayCode = `${string}_cli_missing` | `${string}_state_unavailable` | `${string}_listener_address_missing`;

/** A code that this release knows. The set is open: a peer may send others. */
export type ErrorCode = keyof typeof table | OverlayCode;

/** Every code of the protocol, with what is known about it. */
export const ERRORS: { readonly [Code in keyof typeof table]: ErrorRow } = table;

const OVERLAY_SUFFIX = /_(?:cli_missing|state_unavailable|listener_address_missing)$/;

/** The row of a code, or undefined for a code of a newer peer. */
export function errorRow(code: string): ErrorRow | undefined {
  if (Object.hasOwn(table, code)) return table[code as keyof typeof table];
  const suffix = OVERLAY_SUFFIX.exec(code)?.[0];
  return suffix === undefined ? undefined : table[`overlay${suffix}` as keyof typeof table];
}
