/** States of OSC 7501, the program status protocol; `clear` takes a record away and is never kept. */
export const PROGRAM_STATES = ["idle", "working", "blocked", "done", "error"] as const;
export type ProgramState = (typeof PROGRAM_STATES)[number];

/** One record of OSC 7501: what a program, or a part of it with an id, last said about itself. Untrusted text, bounded. */
export interface ProgramStatus {
  /** Absent for the program itself. */
  readonly id?: string;
  readonly state: ProgramState;
  /** Of `blocked`: permission, question, auth. */
  readonly kind?: string;
  readonly app?: string;
  readonly title?: string;
  /** Decoded. */
  readonly msg?: string;
  readonly progress?: number;
}

export interface ProgramStatusReport extends Omit<ProgramStatus, "state"> {
  readonly state: ProgramState | "clear";
}

/** Longest report, by its specification. */
const MOST_BYTES = 4_096;
const MOST_TEXT = 1_024;
const MOST_WORD = 128;
const CONTROLS = /[\p{Cc}]/gu;

/** Reads what stands behind `OSC 7501 ;`. Undefined for what is no report. */
export function parseProgramStatus(payload: string): ProgramStatusReport | undefined {
  if (Buffer.byteLength(payload) > MOST_BYTES) {
    return undefined;
  }
  const fields = new Map<string, string>();
  for (const part of payload.split(":")) {
    const equals = part.indexOf("=");
    if (equals > 0) {
      fields.set(part.slice(0, equals), part.slice(equals + 1));
    }
  }
  const stated = fields.get("state");
  const state = stated === "clear" ? stated : PROGRAM_STATES.find((each) => each === stated);
  if (state === undefined) {
    return undefined;
  }
  const progress = Number(fields.get("progress") ?? Number.NaN);
  return {
    state,
    ...word("id", fields),
    ...word("kind", fields),
    ...word("app", fields),
    ...text("title", fields.get("title")),
    ...text("msg", decode(fields.get("msg"))),
    ...(Number.isInteger(progress) && progress >= 0 && progress <= 100 ? { progress } : {}),
  };
}

function word(name: "id" | "kind" | "app", fields: ReadonlyMap<string, string>): Record<string, string> {
  return text(name, fields.get(name)?.slice(0, MOST_WORD));
}

function text(name: string, value: string | undefined): Record<string, string> {
  const clean = value?.slice(0, MOST_TEXT).replace(CONTROLS, " ").trim();
  return clean === undefined || clean === "" ? {} : { [name]: clean };
}

function decode(base64: string | undefined): string | undefined {
  return base64 === undefined ? undefined : Buffer.from(base64, "base64").toString("utf8");
}
