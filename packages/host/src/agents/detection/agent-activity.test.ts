import { expect, test } from "bun:test";
import type { ProgramStatusFact, TerminalFacts } from "../../worker-api/inspection.ts";
import type { TerminalSnapshot } from "../../worker-api/operations.ts";
import { AgentActivity } from "./agent-activity.ts";
import { systemClock } from "./clock.ts";

function reported(state: ProgramStatusFact["state"], seq: number, revision: number): TerminalFacts {
  const status = [{ state, seq, pgid: 1 }];
  return { revision, alternate_screen: false, bracketed_paste: true, status_reports: seq, status };
}

function seen(terminal: TerminalFacts): TerminalSnapshot {
  const cursor = { row: 0, col: 0, visible: true };
  return { ...terminal, output_offset: 0, cols: 80, rows: 24, cursor, visible_lines: [] };
}

function watch(): AgentActivity {
  return new AgentActivity({
    clock: systemClock,
    chooseManifest: () => ({ manifest: { rules: [] }, origin: "none" }),
    readScreen: () => Promise.resolve(undefined),
    cpuSeconds: () => undefined,
    onChange: () => undefined,
    isFirst: true,
    group: undefined,
  });
}

test("a look that is heard of after what came later takes nothing back", () => {
  using activity = watch();
  activity.terminalChanged(reported("blocked", 1, 10));
  const look = seen(reported("blocked", 1, 10));
  activity.terminalChanged(reported("idle", 2, 11));
  activity.looked(look);
  expect(activity.current?.activity).toBe("idle");
  activity.terminalChanged(reported("working", 3, 11));
  activity.looked(seen(reported("idle", 2, 11)));
  expect(activity.current?.activity).toBe("working");
});

test("a look that is newer than what was told counts", () => {
  using activity = watch();
  activity.terminalChanged(reported("blocked", 1, 10));
  activity.looked(seen(reported("idle", 2, 11)));
  expect(activity.current?.activity).toBe("idle");
});

test("a look by a worker that keeps no reports leaves those that are known", () => {
  using activity = watch();
  activity.terminalChanged(reported("blocked", 1, 10));
  activity.looked(seen({ revision: 11, alternate_screen: false, bracketed_paste: true }));
  expect(activity.current?.activity).toBe("blocked");
});
