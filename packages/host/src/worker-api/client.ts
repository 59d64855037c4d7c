import type { ProtocolError } from "@pohunek/protocol/wire";
import { ControlConnection } from "./control-connection.ts";
import type { WorkerEvent } from "./events.ts";
import { PreparedHandOver } from "./handed-over-stream.ts";
import type { Inspection } from "./inspection.ts";
import type { LaunchSpec } from "./launch-spec.ts";
import { WORKER_LIMITS } from "./limits.ts";
import type {
  CloseStreamParams,
  CloseStreamResult,
  NegotiateResult,
  OpenDataStreamParams,
  OperationName,
  OperationParams,
  OperationResult,
  PlanOutcome,
  ReadOutputParams,
  ReadOutputResult,
  ReadTextParams,
  ReadTextResult,
  ResizeParams,
  ResizeResult,
  SettlePlanParams,
  SettlePlanResult,
  StopParams,
  StopResult,
  TerminalSnapshot,
  WritePlanResult,
} from "./operations.ts";
import type { WorkerStreamListener } from "./stream.ts";
import { WorkerStream } from "./stream.ts";
import type { VersionRange } from "./version.ts";
import { WORKER_PROTOCOL } from "./version.ts";
import type { AdjustViewParams, ViewFacts } from "./viewers.ts";
import { within } from "./within.ts";
import type { PlanOptions, WriteFragment, WriteReservation } from "./write-reservations.ts";
import { WriteReservations } from "./write-reservations.ts";

export interface WorkerClientOptions {
  /** Ends the connection attempt. */
  readonly signal?: AbortSignal;
  readonly connectMs?: number;
  readonly versions?: VersionRange;
  readonly onEvent?: (event: WorkerEvent) => void;
}

export interface ReservationOptions {
  readonly signal?: AbortSignal;
}

export interface WriteOptions extends ReservationOptions, PlanOptions {}

export interface AttachOptions extends OpenDataStreamParams {
  readonly listener: WorkerStreamListener;
}

/**
 * A daemon's side of one worker. `connect` negotiates; everything but `inspect` needs `acquireController` first. Losing
 * the connection gives the lease back and nothing else: the worker and its program go on.
 */
export class WorkerClient implements AsyncDisposable {
  readonly socketPath: string;
  readonly hello: NegotiateResult;
  readonly #connection: ControlConnection;
  readonly #reservations: WriteReservations;

  private constructor(socketPath: string, connection: ControlConnection, hello: NegotiateResult) {
    this.socketPath = socketPath;
    this.hello = hello;
    this.#connection = connection;
    this.#reservations = new WriteReservations((plan) => connection.call("write_plan", plan));
  }

  /** Fails with worker_connect_failed or worker_protocol_incompatible. */
  static async connect(socketPath: string, options: WorkerClientOptions = {}): Promise<WorkerClient> {
    const connection = await ControlConnection.open(socketPath, {
      connectMs: options.connectMs ?? WORKER_LIMITS.connectMs,
      ...(options.signal ? { signal: options.signal } : {}),
      ...(options.onEvent ? { onEvent: options.onEvent } : {}),
    });
    try {
      const { min, max } = options.versions ?? WORKER_PROTOCOL;
      // A worker that hangs still has its connections made by the kernel: only an answer shows that it is there.
      const hello = await within(connection.call("negotiate", { min, max }), {
        ms: options.connectMs ?? WORKER_LIMITS.connectMs,
        ...(options.signal ? { signal: options.signal } : {}),
      });
      return new WorkerClient(socketPath, connection, hello);
    } catch (cause) {
      connection.close();
      throw cause;
    }
  }

  get version(): number {
    return this.hello.version;
  }

  /** Settles when the connection is gone: with nothing after `close`, else with the reason. */
  get closed(): Promise<ProtocolError | undefined> {
    return this.#connection.closed;
  }

  /** From now on a worker that leaves a request without any sign of life for `answerMs` loses the connection. */
  watchSilence(answerMs: number): void {
    this.#connection.watchSilence(answerMs);
  }

  /** Asks a worker that has said nothing for so long whether it is there. Needs `watchSilence`. */
  askAfter(quietMs: number): void {
    this.#connection.askAfter(quietMs);
  }

  /** Gives up a worker that does not answer: what was asked of it fails with session_runtime_reconnecting. */
  drop(): void {
    this.#connection.drop();
  }

  /** Takes the one lease, under a name for diagnosis (the daemon id). Fails with worker_controller_busy. */
  async acquireController(controller: string): Promise<void> {
    await this.#connection.call("acquire_controller", { controller });
    this.#reservations.startLease();
  }

  async releaseController(): Promise<void> {
    await this.#connection.call("release_controller", {});
  }

  inspect(): Promise<Inspection> {
    return this.#connection.call("inspect", {});
  }

  /** Starts the program. Fails with spawn_failed or pty_alloc_failed; the worker then waits for another spec. */
  initialize(spec: LaunchSpec): Promise<Inspection> {
    return this.#connection.call("initialize", spec);
  }

  /** Opens an attach stream: sizes applied first, then one repaint, then output without a gap. */
  async attach(options: AttachOptions): Promise<WorkerStream> {
    const { listener, ...params } = options;
    const { token } = await this.#connection.call("open_data_stream", params);
    return await WorkerStream.open(this.socketPath, token, listener);
  }

  /** As `attach`, but the worker will serve the viewer on its own socket, which is given to it later. Needs version 2. */
  prepareHandOver(options: OpenDataStreamParams): PreparedHandOver {
    const granted = this.#connection.call("open_data_stream", options);
    return new PreparedHandOver(
      this.socketPath,
      granted.then(({ token }) => token),
      (onSilent) => this.#connection.awaitElsewhere(onSilent),
    );
  }

  /** Ends the attach of this name, whoever opened it. Needs version 3. */
  closeStream(params: CloseStreamParams): Promise<CloseStreamResult> {
    return this.#connection.call("close_stream", params);
  }

  /** Changes what a viewer of mode `view` sees. Needs version 3. */
  adjustView(params: AdjustViewParams): Promise<ViewFacts> {
    return this.#connection.call("adjust_view", params);
  }

  snapshot(): Promise<TerminalSnapshot> {
    return this.#connection.call("terminal_snapshot", {});
  }

  readText(params: ReadTextParams): Promise<ReadTextResult> {
    return this.#connection.call("read_text", params);
  }

  readOutput(params: ReadOutputParams): Promise<ReadOutputResult> {
    return this.#connection.call("read_output", params);
  }

  /**
   * Waits for the exclusive right to send one plan; aborting `signal` before that withdraws without a byte written.
   * `reservation.send` can't be cancelled and its answer is consumed even when nobody waits for it any more.
   */
  reserveWrite(options: ReservationOptions = {}): Promise<WriteReservation> {
    return this.#reservations.reserve(options.signal);
  }

  /** Reserves and sends one plan. */
  async write(fragments: readonly WriteFragment[], options: WriteOptions = {}): Promise<WritePlanResult> {
    using reservation = await this.reserveWrite(options);
    return await reservation.send(fragments, options);
  }

  /** Says how a held plan goes on. Needs version 4. */
  settlePlan(params: SettlePlanParams): Promise<SettlePlanResult> {
    return this.#connection.call("settle_plan", params);
  }

  /** What came of the plan of this key, whichever daemon sent it. Needs version 4. */
  planOutcome(key: string): Promise<PlanOutcome> {
    return this.#connection.call("plan_outcome", { key });
  }

  resize(size: ResizeParams): Promise<ResizeResult> {
    return this.#connection.call("resize", size);
  }

  /** Ends the program and everything it started: asks, waits for the grace, kills, sweeps. */
  stop(params: StopParams = {}): Promise<StopResult> {
    return this.#connection.call("stop", params);
  }

  /** The outcome is recorded, or no program is wanted any more: the worker ends. Refused with worker_invalid_state while one runs. */
  async acknowledgeTerminal(): Promise<void> {
    await this.#connection.call("acknowledge_terminal", {});
  }

  /** Any operation by name, for what has no method of its own. */
  call<Name extends OperationName>(name: Name, params: OperationParams<Name>): Promise<OperationResult<Name>> {
    return this.#connection.call(name, params);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#connection.close();
    await this.#connection.closed;
  }
}
