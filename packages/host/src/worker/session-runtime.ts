import type { ClipboardPolicy } from "@pohunek/protocol/wire";
import { CLIPBOARD_DEFAULTS } from "@pohunek/protocol/wire";
import type { Platform, PtyPair, WindowSize } from "../platform/index.ts";
import { endGeneration, isSystemError } from "../platform/index.ts";
import type { ExitOutcome, ForegroundGroup, ProcessIdentity, RuntimeFault } from "../worker-api/inspection.ts";
import type { LaunchSpec } from "../worker-api/launch-spec.ts";
import { WORKER_LIMITS } from "../worker-api/limits.ts";
import type { StopResult, SurvivingProcess } from "../worker-api/operations.ts";
import { workerError } from "../worker-api/worker-error.ts";
import { AskedQuestions } from "./asked-questions.ts";
import { clampSize, startingSize } from "./clamp-size.ts";
import type { DescriptorWatch } from "./descriptor-watch.ts";
import type { ClipboardWrite, TerminalListener } from "./engine/terminal-engine.ts";
import { FocusReport } from "./focus-report.ts";
import { ForegroundWatch } from "./foreground-watch.ts";
import { InputQueue } from "./input-queue.ts";
import { OutputRing } from "./output-ring.ts";
import { lookUpProgram } from "./program-lookup.ts";
import { ProgramStatuses } from "./program-statuses.ts";
import { PtyOutputReader } from "./pty-reader.ts";
import { SessionTerminal } from "./session-terminal.ts";
import { TerminalAnswers } from "./terminal-answers.ts";
import type { OpenTerminalView, TerminalView } from "./terminal-view.ts";

export interface RuntimeListener {
  /** Output is in the ring and in the terminal state. */
  output(): void;
  /** Input may be offered again. */
  inputSpace(): void;
  /** A bell; titles and the like show in the terminal's revision. */
  bell(): void;
  foreground(foreground: ForegroundGroup): void;
  /** The program ended and all of its output is in the ring. */
  exited(exit: ExitOutcome): void;
  fault(code: RuntimeFault["code"], message: string): void;
  /** The terminal answers or reports something to the program, which must not get into the middle of other input. */
  report(bytes: Uint8Array): void;
  /** The program has copied something to the clipboard. */
  copied(write: ClipboardWrite): void;
  /** Somebody's terminal shows the session. */
  hasViewer(): boolean;
}

export interface RuntimeOptions {
  readonly platform: Platform;
  readonly spec: LaunchSpec;
  /** What only the worker knows of the child's environment. */
  readonly env: Readonly<Record<string, string>>;
  readonly marks: { readonly sessionId: string; readonly workerId: string; readonly runtimeId: string };
  readonly openView: OpenTerminalView;
  readonly watch: DescriptorWatch;
  readonly listener: RuntimeListener;
}

/** Soft limit of open files that programs expect; the runtime raises ours to the hard limit. */
const CHILD_OPEN_FILES = 1_024;

/** A running program: its PTY, its output and terminal state, its input, its end. */
export class SessionRuntime {
  readonly ring: OutputRing;
  readonly input: InputQueue;
  readonly child: ProcessIdentity;
  readonly foreground: ForegroundWatch;
  readonly historyLines: number;
  readonly clipboard: ClipboardPolicy;
  readonly terminal: SessionTerminal;
  readonly #options: RuntimeOptions;
  readonly #pair: PtyPair;
  readonly #reader: PtyOutputReader;
  readonly #answers: TerminalAnswers;
  readonly asked = new AskedQuestions();
  readonly statuses = new ProgramStatuses();
  readonly focus: FocusReport;
  readonly #mostSize: WindowSize;
  #size: WindowSize;
  #status: ExitOutcome | undefined;
  #isDrained = false;
  readonly #ended = Promise.withResolvers<ExitOutcome>();
  #typedAtMs: number | undefined;

  private constructor(options: RuntimeOptions) {
    const { spec, platform, listener } = options;
    const file = lookUpProgram({ program: spec.executable ?? spec.argv[0] ?? "", env: spec.env, cwd: spec.cwd });
    this.#options = options;
    this.#mostSize = { cols: spec.max_cols ?? WORKER_LIMITS.cols, rows: spec.max_rows ?? WORKER_LIMITS.rows };
    this.#size = startingSize(spec, this.#mostSize);
    this.historyLines = spec.history_lines ?? WORKER_LIMITS.historyLines;
    this.clipboard = spec.clipboard ?? CLIPBOARD_DEFAULTS;
    this.ring = new OutputRing(spec.history_bytes ?? WORKER_LIMITS.historyBytes);
    this.terminal = new SessionTerminal({
      ring: this.ring,
      historyLines: this.historyLines,
      open: () => this.#openView(),
      onFault: (cause) => listener.fault("engine_fault", cause instanceof Error ? cause.name : "unknown"),
    });
    this.#pair = openPty(platform, this.#size);
    this.child = startChild(options, { file, pair: this.#pair });
    this.input = new InputQueue({ pty: platform.pty, pair: this.#pair, onSpace: () => listener.inputSpace() });
    this.#answers = new TerminalAnswers({
      pty: platform.pty,
      processes: platform.processes,
      pair: this.#pair,
      write: (bytes) => listener.report(bytes),
      hasRoom: () => !this.input.isFull,
      look: () => this.#reader.look(),
      asked: this.asked,
    });
    this.focus = new FocusReport({
      isWanted: () => this.#wantsFocus,
      hasViewer: () => listener.hasViewer(),
      foregroundGroup: () => platform.pty.foregroundGroup(this.#pair.master),
      write: (bytes) => listener.report(bytes),
    });
    this.foreground = new ForegroundWatch({
      platform,
      terminal: this.#pair.master,
      onChange: (foreground) => listener.foreground(foreground),
    });
    this.#reader = new PtyOutputReader({
      pty: platform.pty,
      pair: this.#pair,
      ring: this.ring,
      watch: options.watch,
      onOutput: (bytes) => this.#takeOutput(bytes),
      onEnd: () => this.#noteDrained(),
    });
  }

  /** Fails with spawn_failed or pty_alloc_failed and leaves nothing behind. */
  static start(options: RuntimeOptions): SessionRuntime {
    const runtime = new SessionRuntime(options);
    runtime.#reader.start();
    runtime.foreground.noteActivity();
    // The answer to the daemon leaves before; the program is being loaded on another core.
    setImmediate(() => runtime.read(() => undefined));
    return runtime;
  }

  /** Looks at the terminal state after all output so far, see SessionTerminal. */
  read<Found>(look: (view: TerminalView) => Found): Found {
    return this.terminal.read(look);
  }

  /** Path of the program's terminal. */
  get tty(): string {
    return this.#pair.slavePath;
  }

  get size(): WindowSize {
    return this.#size;
  }

  /** Set once the program ended and its output is drained. */
  get exit(): ExitOutcome | undefined {
    return this.#isDrained ? this.#status : undefined;
  }

  /** Whether the program's output waits, because viewers can't follow. */
  hold(isHeld: boolean): void {
    if (isHeld) {
      this.#reader.pause();
    } else {
      this.#reader.resume();
    }
  }

  /** Input in the order of one attach stream. */
  type(bytes: Uint8Array): void {
    this.#typedAtMs = Date.now();
    this.input.writeRaw(bytes);
    // The kernel's echo is there by now.
    this.#reader.look();
    this.foreground.noteActivity();
  }

  /** The clipboard of a viewer, for a program that may read it and waits for it. */
  giveClipboard(answer: Uint8Array): void {
    if (this.clipboard.read === "allow" && this.asked.takeClipboard()) {
      this.#answers.add(answer.slice());
      this.#answers.settle(undefined);
    }
  }

  /** When a viewer last typed. */
  get typedAtMs(): number | undefined {
    return this.#typedAtMs;
  }

  /** Returns the size taken; the program gets a SIGWINCH only if it is another one. */
  resize(wanted: WindowSize): { readonly size: WindowSize; readonly isChanged: boolean } {
    const size = clampSize(wanted, this.#mostSize, this.#size);
    const isChanged = size.cols !== this.#size.cols || size.rows !== this.#size.rows;
    if (isChanged && !this.#status) {
      // First, since what was printed before belongs to the old size.
      this.terminal.resize(size.cols, size.rows);
      this.#size = size;
      this.#options.platform.pty.setSize(this.#pair.master, size);
      // The terminal reports its new size by itself where the program wants that (mode 2048).
      this.#answers.settle(undefined);
    }
    return { size: this.#size, isChanged: isChanged && !this.#status };
  }

  /** Some child of ours changed its state. */
  checkChild(): void {
    if (this.#status) {
      return;
    }
    const status = this.#options.platform.processes.reap(this.child.pid);
    if (status.kind === "running") {
      return;
    }
    const at = { at_ms: Date.now() };
    if (status.kind === "signaled") {
      this.#status = { signal: status.signal, ...at };
    } else {
      // "unknown": somebody else took the status, which only a bug of ours could do. 255 is what shells say then.
      this.#status = { code: status.kind === "exited" ? status.code : 255, ...at };
    }
    this.input[Symbol.dispose]();
    if (this.#reader.hasEnded) {
      this.#noteDrained();
    } else {
      this.#reader.drain();
    }
  }

  /** Ends the program and all that it started. */
  async stop(graceMs: number): Promise<StopResult> {
    const { platform, marks } = this.#options;
    const { survivors, unclear } = await endGeneration({
      processes: platform.processes,
      marks,
      root: { pid: this.child.pid, startIdentity: this.child.start_identity },
      session: this.child.pid,
      except: [process.pid],
      graceMs,
      reap: () => this.checkChild(),
    });
    const exit = await this.#outcome(survivors.some(({ pid }) => pid === this.child.pid));
    const listed = WORKER_LIMITS.listedSurvivors;
    return {
      exit,
      confirmed: survivors.length === 0 && unclear.length === 0,
      survivors: survivors.slice(0, listed).map(describeSurvivor),
      skipped: unclear.slice(0, listed).map(describeSurvivor),
    };
  }

  #outcome(isChildAlive: boolean): Promise<ExitOutcome> {
    if (isChildAlive) {
      throw workerError("worker_runtime_fault", "The program can't be ended.", { details: { reason: "unkillable" } });
    }
    return this.#ended.promise;
  }

  #openView(): TerminalView {
    return this.#options.openView({
      ...this.#size,
      historyLines: this.historyLines,
      listener: this.#terminalListener(),
    });
  }

  #terminalListener(): TerminalListener {
    const { listener, platform } = this.#options;
    return {
      bell: () => listener.bell(),
      reply: (bytes) => this.#answers.add(bytes),
      clipboard: (write) => listener.copied(write),
      clipboardQuery: () => this.asked.noteClipboard(),
      programStatus: (payload) => this.statuses.report(payload, platform.pty.foregroundGroup(this.#pair.master)),
    };
  }

  get #wantsFocus(): boolean {
    if (this.terminal.modes?.focusReporting !== true) return false;
    const { pty, processes } = this.#options.platform;
    const group = pty.foregroundGroup(this.#pair.master);
    // A shell has the mode from a program that has gone without resetting it.
    const isShell = group !== undefined && processes.ignoresStopSignals(group);
    return !isShell && !pty.lineDiscipline(this.#pair.master).isCanonical;
  }

  #takeOutput(bytes: Uint8Array): void {
    // First the viewers, since somebody may wait for the echo of a key.
    this.#options.listener.output();
    this.terminal.take(bytes);
    this.#answers.settle(bytes);
    this.focus.noteOutput(bytes);
    this.input.retry();
    this.foreground.noteActivity();
  }

  #noteDrained(): void {
    if (this.#status && !this.#isDrained) {
      this.#isDrained = true;
      this.foreground[Symbol.dispose]();
      this.#answers[Symbol.dispose]();
      this.focus[Symbol.dispose]();
      this.#options.platform.pty.close(this.#pair);
      this.#options.listener.exited(this.#status);
      this.#ended.resolve(this.#status);
    }
  }
}

function openPty(platform: Platform, size: WindowSize): PtyPair {
  try {
    return platform.pty.open(size);
  } catch (cause) {
    throw workerError("pty_alloc_failed", "No terminal could be opened.", { cause });
  }
}

function startChild(options: RuntimeOptions, start: { file: string; pair: PtyPair }): ProcessIdentity {
  const { platform, spec, env } = options;
  try {
    const pid = platform.processes.spawn({
      file: start.file,
      argv: spec.argv,
      env: { ...spec.env, ...env },
      cwd: spec.cwd,
      terminal: start.pair.slavePath,
      umask: spec.umask,
      openFiles: CHILD_OPEN_FILES,
    });
    // Not reaped yet, so the pid is its own even if it has ended already.
    return { pid, start_identity: platform.processes.startIdentity(pid) ?? "0" };
  } catch (cause) {
    platform.pty.close(start.pair);
    const errno = isSystemError(cause) ? cause.code : "unknown";
    const details = { reason: "exec", errno };
    throw workerError("spawn_failed", "The program could not be started.", { cause, details });
  }
}

function describeSurvivor(facts: { pid: number; startIdentity: string; program: string }): SurvivingProcess {
  return { pid: facts.pid, start_identity: facts.startIdentity, program: facts.program };
}
