import { ARCHIVE_LIMITS } from "./archive-limits.ts";

/** Printable ASCII without the backslash; parts that are neither empty nor `.` nor `..`. */
const PATH = /^[ -[\]-~]+$/;

function isPackagePath(path: string): boolean {
  const parts = path.split("/");
  return (
    path.length <= ARCHIVE_LIMITS.pathBytes &&
    PATH.test(path) &&
    parts.every((part) => part !== "" && part !== "." && part !== "..")
  );
}

/**
 * What is wrong with the paths of a package, in the order in which they come; undefined when nothing is. They must rise byte
 * by byte, and no file system may take two for the same or one for a folder of another.
 */
export function faultOfPaths(paths: readonly string[]): string | undefined {
  if (!paths.every(isPackagePath)) return "holds a path that is not allowed";
  // ASCII: the order of code units is the order of bytes.
  if (paths.some((path, index) => index > 0 && path <= (paths[index - 1] ?? ""))) return "is not sorted by path";
  const folded = new Set(paths.map((path) => path.toLowerCase()));
  if (folded.size < paths.length) return "holds two paths that differ only in case";
  const folders = new Set(paths.flatMap((path) => foldersOf(path)));
  const foldedFolders = new Set([...folders].map((folder) => folder.toLowerCase()));
  if (foldedFolders.size < folders.size) return "holds two folders that differ only in case";
  return [...foldedFolders].some((folder) => folded.has(folder)) ? "holds a file where it needs a folder" : undefined;
}

/** The folders that hold a file, outermost first. */
export function foldersOf(path: string): string[] {
  const parts = path.split("/").slice(0, -1);
  return parts.map((_part, index) => parts.slice(0, index + 1).join("/"));
}
