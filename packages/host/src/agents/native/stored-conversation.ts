import type { Dirent } from "node:fs";
import { readdir } from "node:fs/promises";
import { join } from "node:path";
import type { NativeReference } from "../runtime-definition.ts";
import { nameMatcher } from "./name-pattern.ts";

/** Folders below the store that are looked into, and entries that are looked at. */
const DEPTH = 4;
const ENTRIES = 50_000;

export interface ConversationSearch {
  readonly configHome: string;
  readonly store: NonNullable<NativeReference["store"]>;
  readonly reference: string;
}

/** `unclear`: there is too much to look through, or it may not be read; then the agent itself has to say. */
export interface ConversationFinding {
  readonly kind: "found" | "missing" | "unclear";
}

/** Looks for the file or folder that an agent keeps a conversation in. Links are not followed. */
export async function findConversation(search: ConversationSearch): Promise<ConversationFinding> {
  const isIt = nameMatcher(search.store.name, search.reference);
  let folders = [join(search.configHome, search.store.directory)];
  let left = ENTRIES;
  let isComplete = true;
  for (let depth = 0; depth <= DEPTH && folders.length > 0; depth += 1) {
    const below: string[] = [];
    for (const folder of folders) {
      const entries = await entriesOf(folder);
      isComplete &&= entries !== undefined;
      for (const entry of (entries ?? []).slice(0, left)) {
        if (isIt(entry.name)) {
          return { kind: "found" };
        }
        if (entry.isDirectory()) {
          below.push(join(folder, entry.name));
        }
      }
      left -= entries?.length ?? 0;
      if (left <= 0) {
        return { kind: "unclear" };
      }
    }
    folders = below;
  }
  return { kind: isComplete ? "missing" : "unclear" };
}

/** Undefined for a folder that may not be read. */
async function entriesOf(folder: string): Promise<readonly Dirent[] | undefined> {
  try {
    return await readdir(folder, { withFileTypes: true });
  } catch (cause) {
    const { code } = cause as NodeJS.ErrnoException;
    // ENOENT: the agent has kept nothing yet, or removed it just now.
    return code === "ENOENT" || code === "ENOTDIR" ? [] : undefined;
  }
}
