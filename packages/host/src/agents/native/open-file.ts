import { realpathSync } from "node:fs";
import { basename, dirname, join } from "node:path";
import type { ProcessCalls } from "../../platform/index.ts";
import type { NativeReference } from "../runtime-definition.ts";
import { referenceInName } from "./name-pattern.ts";

type ProcessFacts = ReturnType<ProcessCalls["list"]>[number];

/** Agents hold some dozens of files open, in one to three processes. */
const PROCESSES = 8;
const DESCRIPTORS = 1024;

export interface OpenFileSearch {
  readonly processes: Pick<ProcessCalls, "list" | "listOpenFiles">;
  readonly rootPid: number;
  readonly configHome: string;
  readonly openFile: NonNullable<NativeReference["openFile"]>;
  readonly kind: NativeReference["kind"];
}

/** The references of the conversations whose files a program, or what it started, holds open. Without repetitions. */
export function referencesOfOpenFiles(search: OpenFileSearch): readonly string[] {
  const { processes, rootPid } = search;
  const own = referencesOf(search, rootPid);
  if (own.length > 0) {
    return own;
  }
  // A launcher: the agent is below it.
  const found = descendantsOf(processes.list(), rootPid).flatMap((pid) => referencesOf(search, pid));
  return [...new Set(found)];
}

function referencesOf({ processes, configHome, openFile, kind }: OpenFileSearch, pid: number): string[] {
  const folder = realPath(join(configHome, openFile.directory));
  const found = processes.listOpenFiles(pid, DESCRIPTORS).flatMap((path) => {
    const reference = dirname(path) === folder ? referenceInName(openFile.name, basename(path)) : undefined;
    return reference === undefined ? [] : [kind === "path" ? path : reference];
  });
  return [...new Set(found)];
}

function descendantsOf(all: readonly ProcessFacts[], root: number): number[] {
  const found = [root];
  for (const pid of found) {
    const children = all.filter(({ parent }) => parent === pid).map((child) => child.pid);
    found.push(...children.slice(0, Math.max(0, PROCESSES - found.length)));
  }
  return found.slice(1);
}

/** The kernel tells paths without links. */
function realPath(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    // ENOENT: then no file in it is open either.
    return path;
  }
}
