import { existsSync } from "node:fs";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "..", "..");
const BINARY = join(ROOT, "dist", "pohunek");

/**
 * The one place that decides what tests run: the built program, or with POHUNEK_TEST_PROGRAM=sources the sources under
 * this same Bun, which needs no build after an edit.
 */
export function programCommand(...words: readonly string[]): string[] {
  if (process.env["POHUNEK_TEST_PROGRAM"] === "sources") {
    return [process.execPath, join(ROOT, "scripts", "binary.ts"), ...words];
  }
  if (!existsSync(BINARY)) {
    throw new Error("dist/pohunek is missing: run `npm run build`, or set POHUNEK_TEST_PROGRAM=sources");
  }
  return [BINARY, ...words];
}
