import type { ParamsOf, ResultOf, SessionInfo } from "@pohunek/protocol";
import type { AgentActivity, MethodName, OriginPair, SessionState, StreamId } from "@pohunek/protocol/wire";
import { introducedIn, isOpaqueId, isVersionDependent, protocolError } from "@pohunek/protocol/wire";
import { attachControl } from "./attach-control.ts";
import type { AttachControl, AttachStream } from "./attach-stream.ts";
import { hasInputEvidence, waitingMs } from "./call-rules.ts";
import type { Cancellation } from "./cancellation.ts";
import type { ConnectionSettings } from "./control-connection.ts";
import { ControlConnection } from "./control-connection.ts";
import { CONNECT_TIMEOUT_MS, dial } from "./dial.ts";
import type { Peer } from "./failures.ts";
import { peerError } from "./failures.ts";
import type { CallArguments, CallOptions, MethodTree } from "./method-tree.ts";
import { createMethodTree } from "./method-tree.ts";
import type { Subscription } from "./subscription.ts";
import type { ByteStream, Purpose, Transport } from "./transport.ts";
import type { ResultValidator } from "./validator.ts";
import type { LevelCondition, WaitCondition, WaitOptions } from "./wait.ts";

/** Longer than anything a living daemon does within one request except a project's own hook. */
const REQUEST_TIMEOUT_MS = 30_000;

export interface ClientOptions extends Cancellation {
  readonly transport: Transport;
  /** Who asks, for a program inside a managed session. Sent with every request. */
  readonly origin?: OriginPair;
  readonly connectTimeoutMs?: number;
  readonly requestTimeoutMs?: number;
  /** Checks what the host sends; by default it is trusted to keep to the protocol. */
  readonly validator?: ResultValidator;
}

/** Connects to a daemon. The first request that means different things in different versions asks for the version first. */
export async function connect(options: ClientOptions): Promise<Client> {
  const { origin, transport, signal, connectTimeoutMs: timeoutMs = CONNECT_TIMEOUT_MS } = options;
  if (origin !== undefined && !(isOpaqueId(origin.origin_session_id) && isOpaqueId(origin.origin_daemon_id))) {
    throw protocolError("bad_request", { message: "the origin needs a session id and a daemon id" });
  }
  const stream = await dial(transport, { purpose: "control", timeoutMs, signal });
  return new Client(stream, options);
}

/** A connected client of one host. */
export class Client implements AsyncDisposable {
  readonly #options: ClientOptions;
  readonly #peer: Peer;
  readonly #control: ControlConnection;
  #methods: MethodTree | undefined;
  #handshake: Promise<ResultOf<"daemon.health">> | undefined;

  /** Use `connect`. */
  constructor(stream: ByteStream, options: ClientOptions) {
    this.#options = options;
    this.#peer = { host: options.transport.host };
    this.#control = new ControlConnection(stream, this.#settings());
  }

  /** The host as the transport names it; undefined for this machine. */
  get host(): string | undefined {
    return this.#peer.host;
  }

  /** The protocol version of the control connection; undefined before the first answer. */
  get version(): number | undefined {
    return this.#control.version.fixed;
  }

  /** True once the control connection is gone. Connect anew then. */
  get isClosed(): boolean {
    return this.#control.isClosed;
  }

  /** Milliseconds that the fastest request so far took, the journey there and back included; undefined before the first answer. */
  get roundTripMs(): number | undefined {
    return this.#control.roundTripMs;
  }

  /** Every method as a function: `client.methods.session.list()`. */
  get methods(): MethodTree {
    this.#methods ??= createMethodTree((name, params, options) => this.#call(name, params, options ?? {}));
    return this.#methods;
  }

  /** Sends one request in today's shape. A request that waits gets a connection of its own. */
  async call<Name extends MethodName>(name: Name, ...args: CallArguments<Name>): Promise<ResultOf<Name>> {
    const [params, options] = args;
    return (await this.#call(name, params, options ?? {})) as ResultOf<Name>;
  }

  /** Asks for the daemon's version, once. */
  async handshake(options: CallOptions = {}): Promise<ResultOf<"daemon.health">> {
    this.#handshake ??= this.#askVersion(options);
    try {
      return await this.#handshake;
    } catch (cause) {
      this.#handshake = undefined;
      throw cause;
    }
  }

  /** Subscribes to the host's events, over a connection of its own. */
  async subscribe({ signal }: Cancellation = {}): Promise<Subscription> {
    const stream = await this.#dial("control", signal);
    const { validator } = this.#options;
    const { Subscription } = await import("./subscription.ts");
    return Subscription.open(stream, {
      settings: this.#settings(this.version),
      timeoutMs: this.#requestMs(),
      signal,
      validator,
    });
  }

  /** Attaches to a session's terminal. Resolves when its screen begins to arrive. */
  async attach(params: ParamsOf<"session.attach">, { signal }: Cancellation = {}): Promise<AttachStream> {
    const granting = this.call("session.attach", params, { signal });
    // Under way together, since each of them takes a journey to the host and back.
    const dialling = this.#dial("attach", signal);
    // A failure is told when its turn comes, behind a refusal.
    dialling.catch(() => undefined);
    try {
      const [{ stream_id: streamId, clipboard }, { AttachStream }] = await Promise.all([
        granting,
        import("./attach-stream.ts"),
      ]);
      const control = this.#attachControl(params.session_id, streamId);
      return await AttachStream.open(streamId, { stream: await dialling, control, signal, clipboard });
    } catch (cause) {
      void dialling.then((stream) => stream.close()).catch(() => undefined);
      throw cause;
    }
  }

  /** Waits for any of the conditions of session.wait, as long as the options allow. */
  async wait(condition: WaitCondition, options: WaitOptions = {}): Promise<ResultOf<"session.wait">> {
    await this.#learnVersion("session.wait", condition, options);
    await using connection = await this.#openConnection(options.signal);
    const slice = async (params: ParamsOf<"session.wait">) => {
      const result = await this.#send(connection, "session.wait", { params, options });
      return result as ResultOf<"session.wait">;
    };
    const { waitInSlices } = await import("./wait.ts");
    return await waitInSlices(slice, condition, options);
  }

  /** Waits until the session is in one of the states. Throws `request_timeout` when that takes too long. */
  async waitForState(
    sessionId: string,
    states: readonly SessionState[],
    options: WaitOptions = {},
  ): Promise<SessionInfo> {
    return await this.#waitForLevel({ sessionId, states }, options);
  }

  /** Waits until the session's agent is in one of the activities. Throws `request_timeout` when that takes too long. */
  async waitForActivity(
    sessionId: string,
    activities: readonly AgentActivity[],
    options: WaitOptions = {},
  ): Promise<SessionInfo> {
    return await this.#waitForLevel({ sessionId, activities }, options);
  }

  /** Closes the control connection. Subscriptions and attach streams live on by themselves. */
  async close(): Promise<void> {
    await this.#control.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  async #call(name: MethodName, params: unknown, options: CallOptions): Promise<unknown> {
    await this.#learnVersion(name, params, options);
    if (waitingMs(name, params) === undefined) return this.#send(this.#control, name, { params, options });
    await using connection = await this.#openConnection(options.signal);
    return await this.#send(connection, name, { params, options });
  }

  async #send(connection: ControlConnection, name: MethodName, { params, options }: CallContent): Promise<unknown> {
    const waitMs = waitingMs(name, params);
    const timeoutMs = (options.timeoutMs ?? this.#requestMs()) + (waitMs ?? 0);
    const result = await connection.request({ method: name, params, timeoutMs, signal: options.signal });
    if (name === "session.input" && waitMs !== undefined && !hasInputEvidence(result)) {
      throw peerError(this.#peer, "session_input_wait_contract_mismatch");
    }
    return this.#options.validator === undefined ? result : this.#options.validator.result(name, result);
  }

  /** A request that depends on the version is not sent before the version is known, nor to a daemon that lacks it. */
  async #learnVersion(name: MethodName, params: unknown, options: CallOptions): Promise<void> {
    if (this.version === undefined && isVersionDependent(name, params)) await this.handshake(options);
    const required = introducedIn(name);
    if (this.version === undefined || this.version >= required) return;
    const daemon = `the daemon of ${this.host ?? "this machine"}`;
    const known = await this.#handshake;
    const release = known === undefined ? "" : ` (${known.daemon_version})`;
    const message = `${daemon}${release} speaks protocol ${this.version}, but ${name} needs ${required}`;
    throw peerError(this.#peer, "daemon_protocol_too_old", { message, details: { required, version: this.version } });
  }

  async #askVersion(options: CallOptions): Promise<ResultOf<"daemon.health">> {
    const content = { params: null, options };
    const health = (await this.#send(this.#control, "daemon.health", content)) as ResultOf<"daemon.health">;
    if (health.protocol_version === this.version) return health;
    const message = `the daemon answers in protocol ${this.version ?? "(none)"} but says ${health.protocol_version}`;
    throw peerError(this.#peer, "version_mismatch", { message });
  }

  async #waitForLevel(condition: LevelCondition, options: WaitOptions): Promise<SessionInfo> {
    const { awaitedSession, conditionOf } = await import("./wait.ts");
    return awaitedSession(await this.wait(conditionOf(condition), options), this.#peer);
  }

  #attachControl(sessionId: string, streamId: StreamId): AttachControl {
    return attachControl({
      peer: this.#peer,
      timeoutMs: this.#requestMs(),
      sessionId,
      streamId,
      client: () => this,
    });
  }

  /** A connection for one request that waits, in the version of this client. */
  async #openConnection(signal: AbortSignal | undefined): Promise<ControlConnection> {
    const stream = await this.#dial("control", signal);
    return new ControlConnection(stream, this.#settings(this.version));
  }

  async #dial(purpose: Purpose, signal: AbortSignal | undefined): Promise<ByteStream> {
    const { transport, connectTimeoutMs: timeoutMs = CONNECT_TIMEOUT_MS } = this.#options;
    return dial(transport, { purpose, timeoutMs, signal });
  }

  #requestMs(): number {
    return this.#options.requestTimeoutMs ?? REQUEST_TIMEOUT_MS;
  }

  #settings(pinnedVersion?: number): ConnectionSettings {
    return { peer: this.#peer, origin: this.#options.origin, pinnedVersion };
  }
}

interface CallContent {
  readonly params: unknown;
  readonly options: CallOptions;
}
