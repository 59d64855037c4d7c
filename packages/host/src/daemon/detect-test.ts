import { readFileSync } from "node:fs";
import { isRecord, protocolError } from "@pohunek/protocol/wire";
import type { DetectionManifest } from "../agents/detection/manifest.ts";
import { MANIFEST_LIMITS } from "../agents/detection/manifest.ts";
import { parseManifest } from "../agents/detection/parse-manifest.ts";
import { InstalledRuntimes } from "../agents/packages/installed-runtimes.ts";
import { parseRecording } from "../detect/recording.ts";
import type { Label } from "../detect/score.ts";
import { testRecording } from "../detect/test-recording.ts";
import { platform } from "../platform/index.ts";
import { openManifests, openProfiles } from "./agent-folders.ts";
import { openPackageRegistry } from "./package-core.ts";
import type { Roots } from "./roots.ts";

export interface DetectTestOptions {
  readonly roots: Roots;
  readonly programFolder: string;
  /** `--recording=FILE`, `--manifest=FILE` or `--agent=NAME`, `--labels=FILE`, `--without-reports`. */
  readonly args: readonly string[];
}

/** Plays a recording against a manifest and gives the timeline as JSON. Changes nothing, and asks no daemon. */
export function detectTest(options: DetectTestOptions): string {
  const given = readArguments(options.args);
  const recording = parseFile(given.get("recording"), (path) => parseRecording(new Uint8Array(readFileSync(path))));
  const manifestFile = given.get("manifest");
  const manifest =
    manifestFile === undefined
      ? installedManifest(given.get("agent") ?? "", options)
      : parseFile(manifestFile, (path) => parseManifest(readFileSync(path, "utf8")));
  const labels = given.has("labels") ? parseFile(given.get("labels"), readLabels) : undefined;
  const hearsStatus = !given.has("without-reports");
  return JSON.stringify(testRecording({ recording, manifest, hearsStatus, ...(labels ? { labels } : {}) }));
}

function readArguments(args: readonly string[]): ReadonlyMap<string, string> {
  return new Map(
    args.map((argument) => {
      const [, name = "", value = ""] = /^--([a-z-]+)(?:=(.*))?$/s.exec(argument) ?? [];
      return [name, value] as const;
    }),
  );
}

/** What is wrong with a file is told with its path: the file is the caller's own. */
function parseFile<Parsed>(path: string | undefined, parse: (path: string) => Parsed): Parsed {
  try {
    return parse(path ?? "");
  } catch (cause) {
    throw protocolError("bad_request", { message: `${path}: ${(cause as Error).message}`, cause });
  }
}

function readLabels(path: string): readonly Label[] {
  const { labels } = JSON.parse(readFileSync(path, "utf8")) as { labels?: unknown };
  const isLabel = (value: unknown): value is Label =>
    isRecord(value) &&
    typeof value["from"] === "number" &&
    typeof value["to"] === "number" &&
    typeof value["state"] === "string";
  if (!Array.isArray(labels) || !labels.every(isLabel)) {
    throw new TypeError("labels must be a list of { from, to, state }");
  }
  return labels;
}

function installedManifest(name: string, { roots, programFolder }: DetectTestOptions): DetectionManifest {
  const uid = platform.self.uid();
  const registry = openPackageRegistry({ roots, platform, programFolder }, () => true);
  const runtimes = new InstalledRuntimes(() => registry);
  const base = openProfiles(roots, uid).find(name)?.profile.base ?? name;
  const { manifest, origin } = openManifests(roots, { uid, runtimes }).find({ name, base });
  if (origin === "none") {
    throw protocolError("agent_profile_not_found", {
      message: `there are no rules for ${JSON.stringify(name.slice(0, MANIFEST_LIMITS.idLength))} on this host`,
    });
  }
  return manifest;
}
