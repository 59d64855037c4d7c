import type { SessionInfo } from "@pohunek/protocol";
import { decimal } from "@pohunek/protocol/wire";
import { NumberedLines } from "./numbered-lines.ts";
import type { SoakedHost } from "./soaked-host.ts";
import type { Work } from "./work.ts";

/** What one answer holds at most. */
const READ_BYTES = 524_288;

type Runtime = NonNullable<SessionInfo["runtime"]>;

interface Started {
  readonly id: SessionInfo["id"];
  readonly pid: number;
  readonly instance: NonNullable<Runtime["worker_instance_id"]>;
  readonly generation: Runtime["runtime_generation"];
}

/** Starts a session once, however often the daemon dies meanwhile: by its name it is known whether it was started. */
export async function startOnce(host: SoakedHost, name: string, argv: readonly string[]): Promise<Started> {
  const session = await host.retry(async (client) => {
    const known = (await client.call("session.list")).find((each) => each.name === name);
    return (
      known ?? (await client.call("session.new", { agent: "shell", command: [...argv], cols: 80, rows: 24, name }))
    );
  });
  const { worker_instance_id: instance, runtime_generation: generation } = session.runtime ?? {};
  if (instance === undefined || generation === undefined || session.pid === undefined || session.pid === null)
    throw new Error(`${name} has no runtime: ${JSON.stringify(session)}`);
  return { id: session.id, pid: session.pid, instance, generation };
}

/** A session that lives as long as the soak, and all its output so far. */
export class SoakedSession {
  readonly work: Work;
  readonly started: Started;
  readonly #host: SoakedHost;
  readonly #lines = new NumberedLines();
  readonly #decoder = new TextDecoder("latin1");
  offset = 0n;
  isTyped = false;

  constructor(host: SoakedHost, work: Work, started: Started) {
    this.#host = host;
    this.work = work;
    this.started = started;
  }

  get name(): string {
    return `${this.started.id} (${this.work.name})`;
  }

  get lastNumber(): number {
    return this.#lines.last;
  }

  /** Reads on to the end; returns what is wrong with what came. */
  async readOn(): Promise<string | undefined> {
    const { id, instance, generation } = this.started;
    for (;;) {
      const answer = await this.#host.call("session.output", {
        session_id: id,
        runtime: { worker_instance_id: instance, runtime_generation: generation },
        after_offset: decimal(this.offset),
        max_bytes: READ_BYTES,
      });
      if (answer.gap !== undefined) return `${this.name}: ${JSON.stringify(answer.gap)} of its output is gone`;
      const bytes = Buffer.from(answer.data_base64, "base64");
      if (
        BigInt(answer.start_offset) !== this.offset ||
        BigInt(answer.next_offset) !== this.offset + BigInt(bytes.length)
      )
        return `${this.name}: asked for ${this.offset}, got ${answer.start_offset} to ${answer.next_offset}`;
      this.offset += BigInt(bytes.length);
      const fault = this.#lines.take(this.#decoder.decode(bytes));
      if (fault !== undefined) return `${this.name}: ${fault}`;
      if (!answer.has_more) return undefined;
    }
  }
}
