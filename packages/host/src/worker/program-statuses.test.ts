import { expect, test } from "bun:test";
import { openGhosttyEngine } from "./engine/ghostty-engine.ts";
import { ProgramStatuses } from "./program-statuses.ts";

const AGENT = 10;
const OTHER = 20;

function statesOf(statuses: ProgramStatuses): string[] {
  return statuses.records.map(({ id, state }) => (id === undefined ? state : `${id} ${state}`));
}

test("each report replaces the record of its id, and clear takes it away", () => {
  const statuses = new ProgramStatuses();
  for (const payload of [
    "state=idle:app=a",
    "state=working",
    "state=working:id=part/1:title=tests",
    "state=blocked:kind=question",
  ]) {
    statuses.report(payload, AGENT);
  }
  expect(statesOf(statuses)).toEqual(["part/1 working", "blocked"]);
  statuses.report("state=clear:id=part/1", AGENT);
  expect(statesOf(statuses)).toEqual(["blocked"]);
  statuses.report("state=working:id=part/2", AGENT);
  statuses.report("state=clear", AGENT);
  expect(statesOf(statuses)).toEqual([]);
  expect(statuses.count).toBe(7);
});

test("two programs' records are kept apart", () => {
  const statuses = new ProgramStatuses();
  statuses.report("state=working", AGENT);
  statuses.report("state=idle", OTHER);
  statuses.report("state=clear", OTHER);
  expect(statuses.records).toMatchObject([{ state: "working", pgid: AGENT, seq: 1 }]);
});

test("a message is decoded and bounded, and what is no report counts for nothing", () => {
  const statuses = new ProgramStatuses();
  const msg = Buffer.from(`approve\x1b[31m ${"x".repeat(2_000)}`).toString("base64");
  statuses.report(`state=blocked:kind=permission:progress=40:msg=${msg}`, AGENT);
  const [record] = statuses.records;
  expect(record?.msg?.startsWith("approve [31m xxx")).toBe(true);
  expect(record?.msg?.length).toBe(1_024);
  expect(record?.progress).toBe(40);
  for (const payload of [
    "",
    "?",
    "state=",
    "state=sleeping",
    "kind=permission",
    `state=idle:title=${"x".repeat(4_096)}`,
  ]) {
    statuses.report(payload, AGENT);
  }
  expect(statuses.count).toBe(1);
});

test("a flood of parts keeps the newest, and the program's own record", () => {
  const statuses = new ProgramStatuses();
  statuses.report("state=working", AGENT);
  for (let part = 0; part < 1_000; part += 1) statuses.report(`state=working:id=${part}`, AGENT);
  const states = statesOf(statuses);
  expect(states.length).toBe(32);
  expect(states[0]).toBe("working");
  expect(states.at(-1)).toBe("999 working");
});

test("reports are heard with both terminators, however they are cut", () => {
  const bytes = Buffer.from("\x1b]7501;state=working:app=a\x07text\x1b]7501;state=blocked:kind=auth\x1b\\more");
  for (let cut = 1; cut < bytes.length; cut += 1) {
    const statuses = new ProgramStatuses();
    using engine = openGhosttyEngine({
      cols: 80,
      rows: 24,
      historyLines: 0,
      listener: { programStatus: (payload) => statuses.report(payload, AGENT) },
    });
    engine.write(bytes.subarray(0, cut));
    engine.write(bytes.subarray(cut));
    expect([cut, statuses.count, ...statesOf(statuses)]).toEqual([cut, 2, "blocked"]);
  }
});
