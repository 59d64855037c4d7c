import type { ProgramStatusFact } from "../worker-api/inspection.ts";
import { parseProgramStatus } from "../worker-api/program-status.ts";

/** Records kept, the newest: a program that names more parts is not shown all of them. */
const MOST_RECORDS = 32;

/** What programs said about themselves by OSC 7501, each record under its id until it is cleared. */
export class ProgramStatuses {
  /** Key: process group, then id. A Map keeps the order of reports. */
  readonly #records = new Map<string, ProgramStatusFact>();
  #count = 0;

  /** Reports so far, also of records that are cleared. */
  get count(): number {
    return this.#count;
  }

  get records(): readonly ProgramStatusFact[] {
    return [...this.#records.values()];
  }

  /** `group`: who has the terminal now. A report of one program must not be taken for another's. */
  report(payload: string, group: number | undefined): void {
    const report = parseProgramStatus(payload);
    if (report === undefined || group === undefined) {
      return;
    }
    this.#count += 1;
    const { state, id } = report;
    const key = `${group} ${id ?? ""}`;
    this.#records.delete(key);
    if (state === "clear") {
      if (id === undefined) this.#forgetGroup(group);
      return;
    }
    this.#records.set(key, { ...report, state, seq: this.#count, pgid: group });
    const oldest = this.#records.size > MOST_RECORDS ? this.#oldestPart() : undefined;
    if (oldest !== undefined) this.#records.delete(oldest);
  }

  /** A program that clears its own record has no parts either. */
  #forgetGroup(group: number): void {
    for (const [key, { pgid }] of this.#records) {
      if (pgid === group) this.#records.delete(key);
    }
  }

  #oldestPart(): string | undefined {
    for (const [key, { id }] of this.#records) {
      if (id !== undefined) return key;
    }
    return this.#records.keys().next().value;
  }
}
