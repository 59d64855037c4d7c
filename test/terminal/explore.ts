/** Looks for outputs that are not repainted exactly: `bun test/terminal/explore.ts [CASES] [SEED]`. The seed is printed. */

import { checkRepaints, SETTINGS } from "./support/repaint-property.ts";

const [cases = "10000", seed = String(Date.now() % 0x7fff_ffff)] = process.argv.slice(2);
for (const setting of SETTINGS) {
  console.log(`${setting.name}: ${cases} cases, seed ${seed}`);
  checkRepaints(setting, { seed: Number(seed), numRuns: Number(cases) });
}
