import { Area, waitForAny } from "../descriptor.ts";
import type { FloodFile } from "../flood-file.ts";
import { checkDelivery, FLOOD_END, floodFile } from "../flood-file.ts";
import { OuterTerminal } from "../outer-terminal.ts";
import type { Target } from "../targets/target.ts";
import type { BenchOptions, Measure, Round } from "./measure.ts";
import { nextSession } from "./measure.ts";

const CLIENTS = 10;
const BYTES = 20_000_000;
const QUICK_BYTES = 1_000_000;
const LIMIT_MS = 180_000;

class Client implements Disposable {
  readonly terminal: OuterTerminal;
  readonly area: Area;
  length = 0;
  isDone = false;

  constructor(target: Target, session: string, bytes: number) {
    this.terminal = new OuterTerminal({ argv: target.attachCommand(session), env: target.env });
    // tmux sends its own drawing, and a repaint comes on top; both can be longer than the file.
    this.area = new Area(bytes * 2 + 1_000_000);
  }

  get fd(): number {
    return this.terminal.fd;
  }

  get received(): Buffer {
    return Buffer.from(this.area.bytes.buffer, 0, this.length);
  }

  read(): void {
    const before = Math.max(0, this.length - FLOOD_END.length);
    this.length += this.terminal.readNow(this.area, this.length);
    this.isDone = this.received.subarray(before).includes(FLOOD_END);
  }

  [Symbol.dispose](): void {
    this.terminal[Symbol.dispose]();
  }
}

interface Show {
  readonly seconds: number;
  readonly clients: readonly Client[];
}

/** Lets so many clients look at the flood, until each of them has seen its end. */
function show(target: Target, file: FloodFile, count: number): Show {
  const session = nextSession();
  target.create(session, file.argv);
  using open = new DisposableStack();
  const clients = Array.from({ length: count }, () => open.use(new Client(target, session, file.onTerminal.length)));
  for (const { terminal } of clients) terminal.readUntil("READY");
  for (const { terminal } of clients) terminal.readUntilQuiet(100);
  const startedAt = performance.now();
  clients[0]?.terminal.write("\r");
  for (let left = clients; left.length > 0; left = left.filter(({ isDone }) => !isDone)) {
    for (const client of waitForAny(left, 1_000)) client.read();
    if (performance.now() - startedAt > LIMIT_MS) throw new Error(`${left.length} clients did not see the end`);
  }
  const seconds = (performance.now() - startedAt) / 1_000;
  target.destroy(session);
  return { seconds, clients };
}

function run(target: Target, { folder, isQuick }: BenchOptions): Round {
  const file = floodFile(folder, isQuick ? QUICK_BYTES : BYTES);
  const megabytes = file.onTerminal.length / 1e6;
  const alone = megabytes / show(target, file, 1).seconds;
  const { seconds, clients } = show(target, file, CLIENTS);
  // What tmux sends is its own drawing, so it is credited with the whole file for each client.
  const isExact = target.name === "pohunek";
  const deliveries = isExact ? clients.map(({ received }) => checkDelivery(received, file.onTerminal)) : [];
  const sum = (pick: (delivery: (typeof deliveries)[number]) => number): number =>
    deliveries.reduce((total, delivery) => total + pick(delivery), 0);
  const total = isExact ? sum(({ deliveredBytes }) => deliveredBytes) / 1e6 : megabytes * CLIENTS;
  const facts = { "MB/s for one client alone": [alone], "times that for ten": [total / seconds / alone] };
  if (!isExact) return { samples: [total / seconds], facts };
  const repaints = {
    "repaints instead of output": [sum(({ resyncs }) => resyncs)],
    "MB that they stood for": [sum(({ skippedBytes }) => skippedBytes) / 1e6],
  };
  return { samples: [total / seconds], lostBytes: sum(({ lostBytes }) => lostBytes), facts: { ...facts, ...repaints } };
}

export const crowd: Measure = {
  name: "crowd",
  title: "10 clients on one flooding session, all of them together",
  unit: "MB/s",
  targets: ["tmux", "pohunek"],
  bounds: [{ of: "pohunek", statistic: "p50", fact: "times that for ten", atLeast: 1 }],
  rounds: ({ runs }) => runs,
  run,
};
