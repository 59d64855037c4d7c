import { describe, expect, test } from "bun:test";
import type { ProtocolError } from "@pohunek/protocol/wire";
import { platform } from "../../packages/host/src/platform/index.ts";
import type { ByteSink, RawStreamListener } from "../../packages/host/src/worker/attach-stream.ts";
import { AttachStreams } from "../../packages/host/src/worker/attach-streams.ts";
import { DescriptorWatch } from "../../packages/host/src/worker/descriptor-watch.ts";
import { openTerminalView } from "../../packages/host/src/worker/open-terminal-view.ts";
import { SessionRuntime } from "../../packages/host/src/worker/session-runtime.ts";
import type { OpenTerminalView, TerminalView } from "../../packages/host/src/worker/terminal-view.ts";
import { WORKER_PROTOCOL } from "../../packages/host/src/worker-api/version.ts";
import { until } from "../support/index.ts";
import { launchSpec } from "./support/worker-under-test.ts";

// One that comes late would end this process.
process.on("SIGIO", () => undefined);

/** What a trap in WebAssembly looks like. */
function trap(): never {
  throw new WebAssembly.RuntimeError("unreachable");
}

/** A viewer's socket, and what came of it. */
class Screen implements ByteSink, RawStreamListener {
  text = "";
  error: string | undefined;
  hasEnded = false;
  isBroken = false;

  write(bytes: Uint8Array): number {
    if (this.isBroken) throw new Error("the socket is broken");
    this.text += Buffer.from(bytes).toString("utf8");
    return bytes.length;
  }

  end(): void {
    this.hasEnded = true;
  }

  sync(): void {}

  failed(error: ProtocolError): void {
    this.error = error.code;
  }
}

/** A program in this process, whose terminal states are opened by `openView`, with viewers. */
class RuntimeUnderTest implements AsyncDisposable {
  readonly faults: string[] = [];
  readonly failures: string[] = [];
  readonly exits: number[] = [];
  readonly runtime: SessionRuntime;
  readonly streams: AttachStreams;
  readonly #watch = new DescriptorWatch(platform.sockets);
  readonly #onReady = (): void => this.#watch.serve();
  readonly #onChild = (): void => this.runtime.checkChild();

  constructor(script: string, openView: OpenTerminalView) {
    this.runtime = SessionRuntime.start({
      platform,
      spec: launchSpec(script),
      env: {},
      marks: { sessionId: "s-fault", workerId: "k-fault", runtimeId: "w-fault" },
      openView,
      watch: this.#watch,
      listener: {
        output: () => this.streams.pump(),
        inputSpace: () => undefined,
        bell: () => undefined,
        foreground: () => undefined,
        exited: ({ code = -1 }) => this.exits.push(code),
        fault: (code, message) => this.faults.push(`${code} ${message}`),
        report: () => undefined,
        copied: () => undefined,
        hasViewer: () => false,
      },
    });
    this.streams = new AttachStreams({
      runtime: this.runtime,
      onRepaint: () => undefined,
      onFailure: (cause) => this.failures.push((cause as Error).message),
    });
    process.on("SIGIO", this.#onReady);
    process.on("SIGCHLD", this.#onChild);
  }

  get shown(): string {
    return this.runtime.read(({ engine }) => engine.visibleLines().join(""));
  }

  type(text: string): void {
    this.runtime.type(Buffer.from(text));
  }

  attach(historyLines?: number): Screen {
    const screen = new Screen();
    const history = historyLines === undefined ? {} : { history_lines: historyLines };
    this.streams.open(screen, { version: WORKER_PROTOCOL.max, ...history }, { raw: screen });
    return screen;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.runtime.stop(1_000);
    process.off("SIGIO", this.#onReady);
    process.off("SIGCHLD", this.#onChild);
    this.streams[Symbol.dispose]();
  }
}

/** Breaks the first terminal state that is opened, not those that come after it. */
function spoilingFirst(spoil: (view: TerminalView) => TerminalView): OpenTerminalView {
  let opened = 0;
  return (options) => {
    opened += 1;
    const view = openTerminalView(options);
    return opened === 1 ? spoil(view) : view;
  };
}

const WAITS = "stty -echo; printf lost; read x; printf kept; read x; exit 6";

test("a terminal state that breaks is replaced by a fresh one: the program and its output go on", async () => {
  await using under = new RuntimeUnderTest(
    "printf lost; read x; printf kept; read x; exit 6",
    spoilingFirst((view) => {
      view.engine.write = trap;
      return view;
    }),
  );
  const { runtime } = under;
  await until("the first output", () => runtime.ring.endOffset >= 4);
  expect(under.shown).toBe("");
  under.type("\n");
  await until("the second output", () => under.shown.includes("kept"));
  expect(under.faults).toEqual(["engine_fault RuntimeError"]);
  under.type("\n");
  await until("the end", () => under.exits.length > 0);
  expect(under.exits).toEqual([6]);
  const output = Buffer.alloc(runtime.ring.endOffset);
  runtime.ring.copy(0, output);
  expect(output.toString()).toMatch(/^lost\s+kept\s+$/);
});

describe("a state that breaks while a picture is read from it", () => {
  const options = (screen: Screen) =>
    ({ sink: screen, raw: screen, size: { cols: 30, rows: 5 }, terminal: "fresh", takesCopies: false }) as const;

  test.each([
    [
      "a row of the screen",
      (view: TerminalView) => ({ ...view, look: () => Object.assign(view.look(), { row: trap }) }),
    ],
    [
      "the newest lines",
      (view: TerminalView) => Object.assign(view, { engine: Object.assign(view.engine, { recentLines: trap }) }),
    ],
  ])("(%s) is replaced, and every viewer is shown the fresh one", async (kind, spoil) => {
    await using under = new RuntimeUnderTest(WAITS, spoilingFirst(spoil));
    const { streams } = under;
    await until("the first output", () => under.shown === "lost");
    const beside = under.attach();
    const screens = [new Screen(), new Screen()];
    const pictures = screens.map((screen) => streams.pictures.open(options(screen)));
    if (kind === "the newest lines")
      for (const picture of pictures) streams.pictures.adjust(picture, { layout: "text" });
    await until("the fault", () => under.faults.length > 0);
    under.type("\n");
    await until("pictures", () => screens.every(({ text }) => text.includes("kept")));
    expect(under.faults).toEqual(["engine_fault RuntimeError"]);
    expect(under.failures).toEqual([]);
    expect(screens.map(({ hasEnded }) => hasEnded)).toEqual([false, false]);
    expect(beside.text).toEndWith("kept");
  });

  test("and the fresh one as well ends the viewer with a code, and no other", async () => {
    await using under = new RuntimeUnderTest(WAITS, (opening) => {
      const view = openTerminalView(opening);
      return { ...view, look: () => Object.assign(view.look(), { row: trap }) };
    });
    const { streams } = under;
    await until("the first output", () => under.shown === "lost");
    const broken = new Screen();
    const text = new Screen();
    streams.pictures.adjust(streams.pictures.open(options(text)), { layout: "text" });
    await until("the picture to fail", () => text.hasEnded);
    streams.pictures.open(options(broken));
    await until("the other to fail", () => broken.hasEnded);
    expect([broken.error, text.error]).toEqual(["worker_attach_stream_failed", "worker_attach_stream_failed"]);
    const beside = under.attach();
    under.type("\n");
    await until("the output", () => beside.text.endsWith("kept"));
    expect(beside.hasEnded).toBe(false);
  });
});

describe("a viewer that can't be served", () => {
  test("because it can't be painted is ended with a code; those after it get their output", async () => {
    await using under = new RuntimeUnderTest(WAITS, (opening) => {
      const view = openTerminalView(opening);
      return { ...view, repaint: (request) => (request.historyLines === 0 ? trap() : view.repaint(request)) };
    });
    await until("the first output", () => under.shown === "lost");
    const first = new Screen();
    const stream = under.streams.open(first, { version: WORKER_PROTOCOL.max }, { raw: first });
    const second = under.attach();
    // One that fell behind is repainted without history.
    stream.cutLoose();
    under.type("\n");
    await until("the output", () => second.text.endsWith("kept"));
    expect([first.error, first.hasEnded]).toEqual(["worker_attach_stream_failed", true]);
    expect([second.error, second.hasEnded]).toEqual([undefined, false]);
    expect(under.failures).toEqual(["unreachable"]);
  });

  test("because its socket throws is ended; those after it get their output and the end", async () => {
    await using under = new RuntimeUnderTest(WAITS, openTerminalView);
    await until("the first output", () => under.shown === "lost");
    const first = under.attach();
    const second = under.attach();
    first.isBroken = true;
    under.type("\n");
    await until("the output", () => second.text.endsWith("kept"));
    expect([first.error, first.hasEnded]).toEqual(["worker_attach_stream_failed", true]);
    under.type("\n");
    await until("the end", () => under.exits.length > 0);
    under.streams.finish({ code: 6, at_ms: 0 });
    expect([second.error, second.hasEnded]).toEqual([undefined, true]);
  });
});
