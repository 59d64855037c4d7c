import { seededRandom } from "../../test/terminal/support/random.ts";
import type { Resources } from "./resources.ts";
import { describeResources, growthOf, lookAt } from "./resources.ts";
import type { SoakedHost } from "./soaked-host.ts";
import { SoakedSession, startOnce } from "./soaked-session.ts";
import type { Visit } from "./visitors.ts";
import { attachByCli, attachBySdk, runShort, sendInput } from "./visitors.ts";
import { WORKS } from "./work.ts";

export interface SoakOptions {
  readonly seconds: number;
  readonly sessions: number;
  readonly seed: number;
}

/** Until then everything may grow: a minute, or a third of a shorter soak. */
const WARM_UP_SECONDS = 60;
/**
 * What the same processes, doing the same, differ by from one look to the next. In a soak that is over before they have all
 * done everything once, that is more.
 */
const GROWTH_SHARE = { whole: 0.1, short: 0.4 };
/** How long a look waits for memory to be given back. */
const SETTLE_MS = { whole: 15_000, short: 3_000 };
/** How long a client stays at most. */
const STAY_MS = { whole: 5_000, short: 2_000 };
/** Between two looks at all output; a ring holds many times what is printed meanwhile. */
const READ_GAP_MS = 500;
/** Between two ends of the daemon. */
const KILL_GAP_MS = [1_500, 6_000] as const;
/** One end in so many is an orderly one. */
const STOP_SHARE = 0.2;
const VISITORS: readonly Visit[] = [
  ...Array.from({ length: 6 }, () => attachBySdk),
  attachByCli,
  attachByCli,
  runShort,
  sendInput,
];
const VISIT_GAP_MS = 400;
const MOST_FAULTS = 20;

/** Sessions with mixed work under a daemon that is killed and clients that come and go, for a while. */
export class Soak {
  readonly host: SoakedHost;
  readonly random: () => number;
  readonly faults: string[] = [];
  readonly counts = new Map<string, number>();
  readonly #options: SoakOptions;
  #sessions: readonly SoakedSession[] = [];
  readonly #isShort: boolean;
  #names = 0;

  constructor(host: SoakedHost, options: SoakOptions) {
    this.host = host;
    this.#options = options;
    this.#isShort = options.seconds < WARM_UP_SECONDS * 3;
    this.random = seededRandom(options.seed);
  }

  /** True when nothing was lost and nothing grew. */
  async run(): Promise<boolean> {
    const { seconds, sessions } = this.#options;
    this.#sessions = await this.#startAll(sessions);
    const warmUp = this.#isShort ? seconds / 3 : WARM_UP_SECONDS;
    await this.#stir(warmUp);
    const before = await this.#rest(`after ${Math.round(warmUp)} s`);
    await this.#stir(seconds - warmUp);
    const after = await this.#rest(`after ${seconds} s`);
    growthOf(before, after, this.#isShort ? GROWTH_SHARE.short : GROWTH_SHARE.whole).forEach((fault) =>
      this.fail(fault),
    );
    await this.#checkSessions();
    this.#report();
    return this.faults.length === 0;
  }

  /** How long a client stays, from a moment that is too short to see anything on. */
  stayMs(): number {
    return this.between(100, this.#isShort ? STAY_MS.short : STAY_MS.whole);
  }

  between(from: number, to: number): number {
    return Math.floor(from + this.random() * (to - from));
  }

  pick<Choice>(choices: readonly [Choice, ...Choice[]]): Choice {
    return choices[this.between(0, choices.length)] ?? choices[0];
  }

  pickSession(): SoakedSession {
    const session = this.#sessions[this.between(0, this.#sessions.length)];
    if (session === undefined) throw new Error("there is no session");
    return session;
  }

  nextName(kind: string): string {
    return `${kind}-${this.#names++}`;
  }

  count(what: string, more: number): void {
    this.counts.set(what, (this.counts.get(what) ?? 0) + more);
  }

  fail(fault: string): void {
    if (this.faults.length < MOST_FAULTS) console.log(`FAULT ${fault}`);
    this.faults.push(fault);
  }

  async #startAll(count: number): Promise<SoakedSession[]> {
    const sessions: SoakedSession[] = [];
    for (let index = 0; index < count; index++) {
      const work = WORKS[index % WORKS.length];
      if (work === undefined) throw new Error("there is no work");
      sessions.push(
        new SoakedSession(this.host, work, await startOnce(this.host, this.nextName(work.name), work.argv)),
      );
    }
    return sessions;
  }

  /** Everything at once, for so long; returns when all of it has come to an end. */
  async #stir(seconds: number): Promise<void> {
    const deadline = performance.now() + seconds * 1_000;
    const isOn = (): boolean => performance.now() < deadline;
    const again = async (what: string, turn: () => Promise<void>): Promise<void> => {
      while (isOn()) {
        await turn().catch((cause: unknown) => this.fail(`${what}: ${describe(cause)}`));
      }
    };
    const visiting = VISITORS.map((visit) =>
      again(visit.name, async () => {
        await visit(this);
        await Bun.sleep(this.between(0, VISIT_GAP_MS));
      }),
    );
    const killing = again("daemon", async () => {
      await Bun.sleep(this.between(...KILL_GAP_MS));
      await this.host.replaceDaemon(this.random() < STOP_SHARE ? "stop" : "kill", this.between(0, 500));
    });
    const reading = again("output", async () => {
      await this.#readAll();
      await Bun.sleep(READ_GAP_MS);
    });
    await Promise.all([...visiting, killing, reading]);
  }

  async #readAll(): Promise<void> {
    for (const session of this.#sessions) {
      const fault = await session.readOn();
      if (fault !== undefined) this.fail(fault);
    }
  }

  /** Everybody has left, and the daemon has just been started: what is there now is what sessions cost. */
  async #rest(when: string): Promise<Resources> {
    await this.host.replaceDaemon("stop", 0);
    await this.#readAll();
    const seen = await lookAt(this.host, {
      sessions: this.#sessions,
      mostMs: this.#isShort ? SETTLE_MS.short : SETTLE_MS.whole,
    });
    console.log(describeResources(when, seen));
    return seen;
  }

  /** All sessions are still there, with the same workers and programs, and no others. */
  async #checkSessions(): Promise<void> {
    await this.#readAll();
    const listed = await this.host.call("session.list", null);
    const strangers = listed.filter(({ id }) => !this.#sessions.some(({ started }) => started.id === id));
    strangers.forEach(({ id, name, state }) => this.fail(`${id} (${name}, ${state}) should not be there`));
    for (const { started, name } of this.#sessions) {
      const found = listed.find(({ id }) => id === started.id);
      const isSame = found?.pid === started.pid && found.runtime?.worker_instance_id === started.instance;
      if (!isSame || found.runtime?.state !== "live" || found.state !== "running")
        this.fail(`${name} is lost or another: ${JSON.stringify(found)}`);
    }
  }

  #report(): void {
    const bytes = this.#sessions.reduce((sum, { offset }) => sum + offset, 0n);
    const lines = this.#sessions.reduce((sum, { lastNumber }) => sum + lastNumber, 0);
    console.log(`${this.#sessions.length} sessions printed ${lines} numbered lines, ${bytes} bytes, all of them read`);
    console.log(`${this.host.kills} ends of the daemon`);
    for (const [what, count] of this.counts) console.log(`${count} ${what}`);
  }
}

function describe(cause: unknown): string {
  return cause instanceof Error ? (cause.stack ?? cause.message) : String(cause);
}
