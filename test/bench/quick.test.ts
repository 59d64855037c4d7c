// Runs alone: the benchmark would only measure its neighbours.
import { expect, test } from "bun:test";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

const ROOT = join(import.meta.dir, "../..");
const MEASURES =
  "cat echo attach ls new paste memory-idle memory-lines idle idle-one crowd slow-client interrupt attach-flood bursts".split(
    " ",
  );
/** In quick sizes it takes 40 s; a busy machine takes its time. */
const LIMIT_MS = 240_000;

interface Report {
  readonly measures: readonly {
    readonly name: string;
    readonly targets: Record<string, { readonly p50: number; readonly lostBytes?: number }>;
  }[];
}

test(
  "the benchmark measures everything on all three, and no byte is lost",
  async () => {
    const folder = mkdtempSync(join(tmpdir(), "b-"));
    try {
      const json = join(folder, "report.json");
      const command = [process.execPath, join(ROOT, "bench/run.ts"), "--quick", "--json", json];
      const child = Bun.spawn(command, { stdin: "ignore", stdout: "pipe", stderr: "pipe" });
      const [out, err, code] = await Promise.all([child.stdout.text(), child.stderr.text(), child.exited]);
      expect(err).toBe("");
      const { measures } = (await Bun.file(json).json()) as Report;
      expect(measures.map(({ name }) => name)).toEqual(MEASURES);
      for (const { name, targets } of measures) {
        const own = targets["pohunek"];
        expect({ name, isMeasured: (own?.p50 ?? -1) >= 0, lost: own?.lostBytes ?? 0 }).toEqual({
          name,
          isMeasured: true,
          lost: 0,
        });
      }
      expect({ code, out }).toMatchObject({ code: 0 });
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
  },
  LIMIT_MS,
);
