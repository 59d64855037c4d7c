import { describe, expect, test } from "bun:test";
import { hostileStream } from "./support/output-arbitrary.ts";
import { checkRepaints, engineBytes, SETTINGS } from "./support/repaint-property.ts";
import { Terminals } from "./support/terminals.ts";

/** Always the same cases, so that a failure is of the change at hand; `bun test/terminal/explore.ts` looks for new ones. */
const SEED = 20_300_102;
const STREAM_BYTES = 50_000;

describe.each(SETTINGS)("$name", (setting) => {
  test("is repainted exactly whatever a program writes and wherever it is cut", () => {
    checkRepaints(setting, { seed: SEED, numRuns: setting.runs });
  }, 120_000);
});

test("terminals that come and go leave no memory behind", () => {
  const [setting] = SETTINGS;
  if (setting === undefined) throw new Error("no setting");
  checkRepaints(setting, { seed: SEED, numRuns: 50 });
  const before = engineBytes();
  for (let round = 0; round < 4; round += 1) checkRepaints(setting, { seed: SEED, numRuns: 50 });
  expect(engineBytes()).toBe(before);
}, 120_000);

test("a program that writes hostile output for long does not make its terminal grow", () => {
  const terminals = new Terminals();
  using engine = terminals.ghostty({ cols: 80, rows: 24 });
  const stream = hostileStream({ cols: 80, rows: 24, seed: SEED, bytes: STREAM_BYTES });
  for (let round = 0; round < 3; round += 1) engine.write(stream);
  const before = terminals.engineBytes;
  for (let round = 0; round < 6; round += 1) engine.write(stream);
  expect(terminals.engineBytes).toBe(before);
  expect(engine.historyRows).toBeLessThanOrEqual(1000);
}, 120_000);
