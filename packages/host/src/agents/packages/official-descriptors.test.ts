import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { referenceInText } from "../native/name-pattern.ts";
import { parseDescriptor } from "./descriptor.ts";

const RUNTIMES = join(import.meta.dir, "../../../../../runtimes");

const names = readdirSync(RUNTIMES, { withFileTypes: true })
  .filter((entry) => entry.isDirectory())
  .map(({ name }) => name);

function read(name: string) {
  const detection = join(RUNTIMES, name, "detection.toml");
  return parseDescriptor({
    descriptor: readFileSync(join(RUNTIMES, name, "runtime.toml")),
    detection: existsSync(detection) ? readFileSync(detection) : new Uint8Array(),
  });
}

describe("the descriptions under runtimes/", () => {
  test.each(names)("%s is named as its folder", (name) => {
    const { packageId, runtime } = read(name);
    expect([packageId, runtime.id]).toEqual([`pohunek.runtime.${name}`, name]);
    expect(runtime.launch.program).toBe(name);
  });

  test("each has its own rank, so the choice among installed agents is the same everywhere", () => {
    const ranks = names.map((name) => read(name).runtime.preference);
    expect(ranks.length).toBeGreaterThan(5);
    expect(new Set(ranks).size).toBe(ranks.length);
  });

  test("a version that one was proven with lies in the range that it accepts", () => {
    const proven = names.map((name) => read(name).runtime).filter(({ provenWith }) => provenWith !== undefined);
    expect(proven.length).toBeGreaterThan(5);
    for (const { provenWith = "", versionProbe } of proven) {
      const order = [versionProbe?.min ?? "", provenWith, versionProbe?.below ?? ""];
      expect(order.toSorted((a, b) => Bun.semver.order(a, b))).toEqual(order);
    }
  });

  test("the last words that one promises are those of the recorded program", () => {
    const recordings = join(import.meta.dir, "../../../../../test/terminal/recordings");
    const recorded = readdirSync(recordings).filter((name) => name.includes("-turns-120x40."));
    const found = names.flatMap((name) => {
      const { exitText } = read(name).runtime.nativeReference ?? {};
      const recording = recorded.find((file) => file.startsWith(`${name}-`));
      if (exitText === undefined || recording === undefined) return [];
      const lines = lastLines(readFileSync(join(recordings, recording)));
      return [[name, referenceInText(exitText, lines)?.length ?? 0] as const];
    });
    expect(found.length).toBeGreaterThan(5);
    expect(found.filter(([, length]) => length < 20)).toEqual([]);
  });
});

/** What a recorded program wrote last, without what moves the cursor or colours. */
function lastLines(recording: Uint8Array): string[] {
  const [, ...events] = new TextDecoder()
    .decode(Bun.gunzipSync(new Uint8Array(recording)))
    .trimEnd()
    .split("\n");
  const rows = events.map((line) => JSON.parse(line) as [time: number, kind: string, data: string]);
  const output = rows.flatMap(([, kind, data]) => (kind === "o" ? [data] : [])).join("");
  const text = output.replaceAll(/\u001b(?:\][^\u0007\u001b]*(?:\u0007|\u001b\\)|\[[\d;?<>=]*[A-Za-z])/g, "");
  return text.split(/[\r\n]+/).slice(-12);
}
