import { describe, expect, test } from "bun:test";
import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
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
});
