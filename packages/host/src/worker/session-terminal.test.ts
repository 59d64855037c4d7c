import { expect, test } from "bun:test";
import { openTerminalView } from "./open-terminal-view.ts";
import { OutputRing } from "./output-ring.ts";
import { SessionTerminal } from "./session-terminal.ts";
import type { TerminalView } from "./terminal-view.ts";

const HISTORY_LINES = 100;
const PICTURE = { historyLines: 0, viewer: "fresh", screens: "both" } as const;

/** A terminal whose first state has printed `before`, breaks as `spoil` says, and then prints `after`. */
function broken(spoil: (view: TerminalView) => TerminalView) {
  const ring = new OutputRing(1_000_000);
  const faults: string[] = [];
  let opened = 0;
  const terminal = new SessionTerminal({
    ring,
    historyLines: HISTORY_LINES,
    open: () => {
      opened += 1;
      const view = openTerminalView({ cols: 80, rows: 24, historyLines: HISTORY_LINES, listener: {} });
      return opened === 1 ? spoil(view) : view;
    },
    onFault: (cause) => faults.push((cause as Error).name),
  });
  const print = (text: string): void => {
    const bytes = Buffer.from(text);
    ring.append(bytes);
    terminal.take(bytes);
  };
  return { terminal, faults, print };
}

/** What a trap in WebAssembly looks like. */
function trap(): never {
  throw new WebAssembly.RuntimeError("unreachable");
}

test.each([
  ["it is painted for a viewer", (terminal: SessionTerminal) => void terminal.read((view) => view.repaint(PICTURE))],
  ["it is looked at for a picture", (terminal: SessionTerminal) => void terminal.read((view) => view.look())],
])("a state that breaks when %s is replaced by a fresh one, which is shown", (_when, look) => {
  const { terminal, faults, print } = broken((view) => ({ ...view, repaint: trap, look: trap }));
  print("\x1b[1mbefore");
  look(terminal);
  expect(faults).toEqual(["RuntimeError"]);
  print("after");
  expect(Buffer.from(terminal.read((view) => view.repaint(PICTURE))).toString()).toContain("after");
  expect(faults).toHaveLength(1);
});

test("a state that breaks when it is resized is replaced by one of the new size", () => {
  const { terminal, faults, print } = broken((view) => {
    view.engine.resize = trap;
    return view;
  });
  print("\x1b[1mbefore");
  terminal.resize(100, 30);
  expect(faults).toEqual(["RuntimeError"]);
  expect(terminal.read(({ engine }) => engine.size)).toEqual({ cols: 100, rows: 30 });
});

test("what breaks a fresh state as well is told, and not tried for ever", () => {
  const ring = new OutputRing(1_000_000);
  const terminal = new SessionTerminal({
    ring,
    historyLines: HISTORY_LINES,
    open: () => ({
      ...openTerminalView({ cols: 80, rows: 24, historyLines: HISTORY_LINES, listener: {} }),
      repaint: trap,
    }),
    onFault: () => undefined,
  });
  expect(() => terminal.read((view) => view.repaint(PICTURE))).toThrow(WebAssembly.RuntimeError);
});
