import type { SessionInfo } from "@pohunek/protocol";
import type { ProtocolError } from "@pohunek/protocol/wire";
import { errorRow } from "@pohunek/protocol/wire";
import { plainText } from "../output/plain-text.ts";
import { shellWord } from "../output/shell-word.ts";
import { lossWords } from "../sessions/state-words.ts";

/** Signals that end this program, by what a shell sees of that. None of them may leave the terminal as it is. */
const SIGNAL_EXIT = { SIGHUP: 129, SIGINT: 130, SIGQUIT: 131, SIGUSR1: 138, SIGUSR2: 140, SIGTERM: 143 } as const;

export type EndSignal = keyof typeof SIGNAL_EXIT;
export const END_SIGNALS = Object.keys(SIGNAL_EXIT) as readonly EndSignal[];

export type Detacher = "key" | "elsewhere" | "terminal" | EndSignal;

/** How an attach ended. */
export type AttachOutcome =
  | { readonly type: "detached"; readonly by: Detacher }
  | { readonly type: "ended"; readonly session: SessionInfo }
  | { readonly type: "lost"; readonly session: SessionInfo }
  | { readonly type: "failed"; readonly error: ProtocolError }
  | { readonly type: "unreachable" };

/** The exit code of `attach` and `run`: that of the session's program when it ended, 0 after a detach, else a failure. */
export function attachExitCode(outcome: AttachOutcome): number {
  switch (outcome.type) {
    case "detached":
      return isSignal(outcome.by) ? SIGNAL_EXIT[outcome.by] : 0;
    case "ended":
      return endedExitCode(outcome.session);
    case "failed":
      return errorRow(outcome.error.code)?.exitCode ?? 1;
    case "lost":
    case "unreachable":
      return 1;
  }
}

function isSignal(by: Detacher): by is EndSignal {
  return by in SIGNAL_EXIT;
}

function endedExitCode({ state, exit_code: exitCode }: SessionInfo): number {
  if (exitCode !== undefined) return exitCode & 0xff;
  return state === "failed" ? 1 : 0;
}

/** The last line, which says what happened and what is still there. */
export function farewell(outcome: AttachOutcome, name: string): string {
  const label = plainText(name);
  switch (outcome.type) {
    case "detached":
      return `[detached from ${label}${byText(outcome.by)}; back with: pohunek attach ${shellWord(label)}]\n`;
    case "ended":
      return `[${label} ${endedText(outcome.session)}${resumeText(outcome.session, label)}]\n`;
    case "lost":
      return `[${label} is lost: ${lossWords(outcome.session.runtime?.loss_reason)}${resumeText(outcome.session, label)}]\n`;
    case "failed":
      return `[detached from ${label}: ${failureText(outcome.error)}]\n`;
    case "unreachable":
      return `[the daemon is gone; the session may be running: pohunek daemon start --detach, then pohunek attach ${shellWord(label)}]\n`;
  }
}

function failureText({ message, code, recover }: ProtocolError): string {
  const next = recover === undefined ? "" : `; next: ${plainText(recover)}`;
  return `${plainText(message)} (${plainText(code)})${next}`;
}

/** An agent's conversation outlives its program. */
function resumeText({ capabilities }: SessionInfo, label: string): string {
  return capabilities.resume ? `; go on with: pohunek resume ${shellWord(label)}` : "";
}

function byText(by: Detacher): string {
  switch (by) {
    case "key":
    case "terminal":
      return "";
    case "elsewhere":
      return " from elsewhere";
    default:
      return ` by ${by}`;
  }
}

function endedText({ state, exit_code: exitCode }: SessionInfo): string {
  const code = exitCode === undefined ? "" : ` with exit code ${exitCode}`;
  return state === "stopped" ? "was stopped" : state === "failed" ? `failed${code}` : `ended${code}`;
}
