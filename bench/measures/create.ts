import { closeSync, constants, openSync, readSync, rmSync } from "node:fs";
import { join } from "node:path";
import { runCommand } from "../targets/command.ts";
import type { Target } from "../targets/target.ts";
import type { BenchOptions, Measure, Round } from "./measure.ts";
import { nextSession } from "./measure.ts";

/** A session is ready when the command that makes it has ended and the program in it runs, whichever is later. */
function run(target: Target, { folder }: BenchOptions): Round {
  const session = nextSession();
  const fifo = join(folder, session);
  runCommand(["mkfifo", fifo], target.env);
  // Opened for both, so that opening does not wait for the program; reading then waits for its byte.
  const fd = openSync(fifo, constants.O_RDWR);
  const startedAt = performance.now();
  target.create(session, ["sh", "-c", `printf x >${fifo}; exec sleep 1000`]);
  readSync(fd, new Uint8Array(1));
  const milliseconds = performance.now() - startedAt;
  closeSync(fd);
  rmSync(fifo);
  target.destroy(session);
  return { samples: [milliseconds] };
}

export const create: Measure = {
  name: "new",
  title: "a new session until its program runs",
  unit: "ms",
  targets: ["tmux", "pohunek"],
  bounds: [{ of: "pohunek", to: "tmux", statistic: "p50", atMost: 3 }],
  rounds: ({ runs, isQuick }) => (isQuick ? 2 : runs * 5),
  run,
};
