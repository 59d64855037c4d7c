import { expect, test } from "bun:test";
import { platform } from "../../packages/host/src/platform/index.ts";
import { DescriptorWatch } from "../../packages/host/src/worker/descriptor-watch.ts";
import { openTerminalView } from "../../packages/host/src/worker/open-terminal-view.ts";
import { SessionRuntime } from "../../packages/host/src/worker/session-runtime.ts";
import type { OpenTerminalView } from "../../packages/host/src/worker/terminal-view.ts";
import { until } from "../support/index.ts";
import { launchSpec } from "./support/worker-under-test.ts";

test("a terminal state that breaks is replaced by a fresh one: the program and its output go on", async () => {
  let opened = 0;
  const openView: OpenTerminalView = (options) => {
    const view = openTerminalView(options);
    opened += 1;
    if (opened === 1) {
      // What a trap in WebAssembly looks like.
      view.engine.write = () => {
        throw new WebAssembly.RuntimeError("unreachable");
      };
    }
    return view;
  };
  const faults: string[] = [];
  const exits: number[] = [];
  const watch = new DescriptorWatch(platform.sockets);
  const runtime = SessionRuntime.start({
    platform,
    spec: launchSpec("printf lost; read x; printf kept; read x; exit 6"),
    env: {},
    marks: { sessionId: "s-fault", workerId: "k-fault", runtimeId: "w-fault" },
    openView,
    watch,
    listener: {
      output: () => undefined,
      inputSpace: () => undefined,
      bell: () => undefined,
      foreground: () => undefined,
      exited: ({ code = -1 }) => exits.push(code),
      fault: (code, message) => faults.push(`${code} ${message}`),
      report: () => undefined,
      hasViewer: () => false,
    },
  });
  const onReady = (): void => watch.serve();
  const onChild = (): void => runtime.checkChild();
  process.on("SIGIO", onReady);
  process.on("SIGCHLD", onChild);
  try {
    await until("the first output", () => runtime.ring.endOffset >= 4);
    expect(runtime.view.engine.visibleLines().join("")).toBe("");
    runtime.type(Buffer.from("\n"));
    await until("the second output", () => runtime.view.engine.visibleLines().join("").includes("kept"));
    expect(faults).toEqual(["engine_fault RuntimeError"]);
    runtime.type(Buffer.from("\n"));
    await until("the end", () => exits.length > 0);
    expect(exits).toEqual([6]);
    const output = Buffer.alloc(runtime.ring.endOffset);
    runtime.ring.copy(0, output);
    expect(output.toString()).toMatch(/^lost\s+kept\s+$/);
  } finally {
    process.off("SIGIO", onReady);
    process.off("SIGCHLD", onChild);
  }
});
